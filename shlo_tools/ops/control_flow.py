"""Ops that choose, repeat or stand for a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools.constraints import compatible, every, meet_all, require
from shlo_tools.ops._attributes import I32, Symbol
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Scalar, Tensor, Value, ValueType, as_value


def _branches(label: str, results: Sequence[Sequence[Tensor]]) -> tuple[Tensor, ...]:
    """The results of branches that must return the same types."""
    first = results[0]
    for other in results[1:]:
        alike = len(other) == len(first) and every(
            compatible(a, b) for a, b in zip(first, other, strict=True)
        )
        require(label, alike, "the branches return different types")
    return tuple(_joined([branch[i] for branch in results]) for i in range(len(first)))


def _joined(values: Sequence[Tensor]) -> Tensor:
    if all(isinstance(value, Tensor) for value in values):
        return meet_all(values)
    return values[0]


@op(traits=Trait.CARRIES)
def case(index: Scalar, branches: Sequence[Region]) -> tuple[Tensor, ...]:
    """The results of branch ``index``; an index out of range takes the last branch."""
    require("C1", len(branches) > 0, "there are no branches")
    require("I1", index.rank == 0 and index.element_type.name == "i32", f"index is {index.type}")
    return _branches("C3", [branch() for branch in branches])


@op(traits=Trait.QUANTIZED_PER_AXIS)
def composite(
    inputs: Sequence[Value],
    name: str,
    decomposition: Symbol,
    composite_attributes: Mapping[str, Any] | None = None,
    version: I32 | None = None,
    result_types: Sequence[ValueType] | None = None,
) -> tuple[Value, ...]:
    """An op of its own name that means the same as the function ``decomposition``."""
    own, words = name.partition("."), (name.replace(".", "_"))
    require("C1", bool(own[0] and own[2]) and words.isidentifier(), f"{name!r} is no name")
    promised = decomposition.result_types
    if decomposition.input_types is not None:
        input_types, takes = [v.type for v in inputs], decomposition.input_types
        alike = len(input_types) == len(takes) and every(
            compatible(as_value(a), as_value(b)) for a, b in zip(input_types, takes, strict=True)
        )
        require("C3", alike, f"@{decomposition} takes other types")
    types = promised if promised is not None else result_types
    require("C4", types is not None, f"the results of @{decomposition} are not known")
    return tuple(as_value(type) for type in types or ())


@op(traits=Trait.CARRIES)
def if_(pred: Scalar, true_branch: Region, false_branch: Region) -> tuple[Tensor, ...]:
    """The results of one branch; only that branch runs."""
    require("I1", pred.rank == 0 and pred.element_type.is_boolean, f"pred is {pred.type}")
    return _branches("C2", [true_branch(), false_branch()])


@op(traits=Trait.CARRIES)
def while_(operand: Sequence[Value], cond: Region, body: Region) -> tuple[Value, ...]:
    """Apply ``body`` to the operands as long as ``cond`` holds of them."""
    holds = cond(*operand)
    boolean = len(holds) == 1 and holds[0].rank == 0 and holds[0].element_type.is_boolean
    require("C1", boolean, "cond does not return one 0-dimensional boolean")
    results = body(*operand)
    alike = len(results) == len(operand) and every(
        compatible(a, b) for a, b in zip(results, operand, strict=True)
    )
    require("C2", alike, "body does not return the types of the operands")
    return tuple(as_value(value.type) for value in operand)
