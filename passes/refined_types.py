"""What is known of values' types, written into the program."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.passes import size_constants
from shlo_tools.shapes import Shapes, types
from shlo_tools.shapes.calls import NAMES

# Besides the ops whose types are refined, ops that take operands of any type.
_TAKING_ANY = ("func.func", "func.return", "shape.shape_of", "stablehlo.return", "tensor.dim")


def write(shapes: Shapes, refined_calls: Container[Operation]) -> None:
    """Write what is known of all visited values into their types.

    Args:
        refined_calls: calls of functions that are refined for what they are given.
    """
    spelled: dict[int, Type] = {}  # by identity: Shapes keeps one object for equal types
    changes: list[_Change] = []
    casts = "tensor.cast" in shapes.others
    for value, type in shapes.refined().items():
        refined = spelled.get(id(type))
        if refined is None:
            refined = spelled[id(type)] = types.spelled(types.without_symbols(type))
        declared = value.type
        if refined != declared and not (casts and mlir.is_result_of(value, ("tensor.cast",))):
            changes.append(_Change(value, declared, refined))
    # Before anything changes: the hash of an op is that of its types and attributes.
    looks = any(name in NAMES or not _is_refined(name) for name in shapes.others)
    others = [(c, _others(c.value, refined_calls)) for c in changes] if looks else []
    for value, _, refined in changes:
        value.set_type(refined)
    for change, uses in others:
        if uses:
            _keep_for(change, uses)
    _bring_together(shapes)


class _Change(NamedTuple):
    """A value's type as it was and as it is to be."""

    value: Value
    declared: Type
    refined: Type


def _others(value: Value, refined_calls: Container[Operation]) -> list[Any]:
    """Uses by ops whose types are not refined."""
    return [use for use in value.uses if not _takes_any(use.owner, refined_calls)]


def _keep_for(change: _Change, uses: list[Any]) -> None:
    """Ops whose types are not refined are given what they were given before."""
    op = mlir.defining_op(change.value)
    at = mlir.at_start(change.value.owner) if op is None else mlir.after(op)
    location = mlir.unknown_location() if op is None else op.location
    cast = Build(at, location).value("tensor.cast", (change.value,), change.declared)
    for use in uses:
        use.owner.operands[use.operand_number] = cast


def _bring_together(shapes: Shapes) -> None:
    """Branches yield what they agree on, and loops start with what they carry.

    MLIR takes no branches of other types, and prints one type for what a loop starts with and what
    it carries.
    """
    for op, positions in shapes.apart.items():
        ends = [ir.terminator(region.blocks[0]) for region in op.regions]
        for user in [op] if op.name == "stablehlo.while" else ends:
            for position in positions:
                value, wanted = user.operands[position], op.results[position].type
                if value.type != wanted:
                    build = Build(mlir.before(user), op.location)
                    user.operands[position] = build.value("tensor.cast", (value,), wanted)


def _takes_any(owner: Operation, refined_calls: Container[Operation]) -> bool:
    op = mlir.inner_operation(owner)
    if op.name in NAMES:
        return op in refined_calls
    return _is_refined(op.name)


def _is_refined(name: str) -> bool:
    return name in DESCRIPTIONS or name in _TAKING_ANY


def write_signature(func: Operation) -> None:
    """Have a function's type say what its arguments are and what it returns."""
    block = func.regions[0].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in block.operations[-1].operands]
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


def unwrap(shapes: Shapes) -> None:
    """Replace what ``refine-arguments`` wrapped an argument in, once both have one type."""
    for op in shapes.wrappers:
        if op.results[0].type == op.operands[0].type:
            owners = [mlir.defining_op(operand) for operand in list(op.operands)[1:]]
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
            size_constants.erase_unused(owner for owner in owners if owner is not None)
