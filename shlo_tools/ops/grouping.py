"""Ops that group values or order them, and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import require
from shlo_tools.ops._attributes import I32
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import TokenType, TupleType, Value, as_value


@op(traits=Trait.CARRIES)
def after_all(inputs: Sequence[Value] = ()) -> Value:
    """A token that comes after all ``inputs``; without any, the beginning."""
    for value in inputs:
        require("I1", isinstance(value.type, TokenType), f"{value.type} is no token")
    return Value(TokenType())


@op(traits=Trait.CARRIES)
def create_token() -> Value:
    """A token that nothing comes before."""
    return Value(TokenType())


@op(traits=Trait.CARRIES)
def get_tuple_element(operand: Value, index: I32) -> Value:
    """The member of a tuple at a position."""
    members = operand.type.members if isinstance(operand.type, TupleType) else None
    require("I1", members is not None, f"{operand.type} is no tuple")
    within = members is not None and 0 <= index < len(members)
    require("C1", within, f"{operand.type} has no member {index}")
    return as_value(members[index]) if members is not None else operand


@op(traits=Trait.CARRIES)
def optimization_barrier(operand: Sequence[Value]) -> tuple[Value, ...]:
    """The operands, which no optimisation may compute from across it."""
    return tuple(as_value(value.type) for value in operand)


@op(traits=Trait.CARRIES)
def tuple_(val: Sequence[Value]) -> Value:
    """The values as one."""
    return Value(TupleType(tuple(value.type for value in val)))
