"""Constants, comparisons with infinity, and functions of the bits of a number."""

from __future__ import annotations

from shlo_tools.dtypes import from_dtype, of_array
from shlo_tools.ops._attributes import Elements, Number
from shlo_tools.ops._op import op
from shlo_tools.ops.chlo._elementwise import function, number, real, same_types
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@function
def is_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is infinite."""
    return real(operand).like(element_type="i1")


@function
def is_neg_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is -infinity."""
    return real(operand).like(element_type="i1")


@function
def is_pos_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is +infinity."""
    return real(operand).like(element_type="i1")


@op(dialect="chlo", traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def mulhi(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The upper half of the product of two integers, which has twice their width."""
    return same_types(lambda element: element.is_integer, lhs, rhs)


@function
def next_after(x: Tensor, y: Tensor) -> Tensor:
    """The number next to x in the direction of y; y where they are equal."""
    return real(x, y)


@function
def square(operand: Tensor) -> Tensor:
    """The operand times itself."""
    return number(operand)


@function
def tan(operand: Tensor) -> Tensor:
    """Tangent."""
    return number(operand)


# --- constants ------------------------------------------------------------------------------------
@op(dialect="chlo", traits=Trait.CONSTANT_LIKE)
def constant(value: Elements) -> Tensor:
    """A tensor with the given values."""
    return Tensor(of_array(value))


@function
def constant_like(operand: Tensor, value: Number) -> Tensor:
    """``value``, a numpy scalar, everywhere in the shape of the operand."""
    return operand.like(element_type=from_dtype(value.dtype))
