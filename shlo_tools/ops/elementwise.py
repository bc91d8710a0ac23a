"""Elementwise ops: the result has the operands' shape."""

from __future__ import annotations

from shlo_tools.constraints import Verdict, meet_all, require, same_baseline, same_shape
from shlo_tools.ops._attributes import AttributeEnum
from shlo_tools.ops._elementwise import (
    EXACT,
    FUNCTION,
    any_type,
    floating,
    integer,
    logical,
    number,
    same_types,
    signed,
)
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import quantized_sum
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Scalar, Tensor


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def abs(operand: Tensor) -> Tensor:
    """Absolute value; of a complex number its modulus, a real."""
    element = operand.element_type
    require("I1", signed(element), f"element type {element} is not allowed")
    if element.is_complex:
        return operand.like(element_type="f32" if element.bits == 64 else "f64")
    return operand.like()


@op(traits=FUNCTION | EXACT | Trait.COMMUTATIVE | Trait.QUANTIZED_PER_AXIS)
def add(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Sum; logical OR for booleans, integers wrap around."""
    if lhs.element_type.is_quantized or rhs.element_type.is_quantized:
        return quantized_sum(lhs, rhs)
    return same_types(any_type, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def and_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical AND of booleans, bitwise AND of integers."""
    return same_types(logical, lhs, rhs)


@op(traits=FUNCTION | EXACT)
def clamp(min: Scalar, operand: Tensor, max: Scalar) -> Tensor:
    """minimum(maximum(operand, min), max); the bounds are 0-dimensional or of operand's shape."""
    for label, bound in (("C1", min), ("C2", max)):
        fits: Verdict = True if bound.rank == 0 else same_shape(bound.shape, operand.shape)
        require(label, fits, f"bound {bound.type} does not fit {operand.type}")
        alike = same_baseline(bound.element_type, operand.element_type)
        require("C3", alike, "element types differ")
    return operand.like()


class ComparisonDirection(AttributeEnum):
    """Which comparison holds."""

    EQ = 0
    NE = 1
    GE = 2
    GT = 3
    LE = 4
    LT = 5


class ComparisonType(AttributeEnum):
    """How values are ordered; NOTYPE leaves it to the element type."""

    NOTYPE = 0
    FLOAT = 1
    TOTALORDER = 2
    SIGNED = 3
    UNSIGNED = 4


@op(traits=FUNCTION | EXACT)
def compare(
    lhs: Tensor,
    rhs: Tensor,
    comparison_direction: ComparisonDirection,
    compare_type: ComparisonType | None = None,
) -> Tensor:
    """Booleans telling where the comparison holds. A float compares false with NaN, except NE."""
    return same_types(any_type, lhs, rhs).like(element_type="i1")


@op(traits=Trait.ELEMENTWISE | Trait.CORRECTLY_ROUNDED)
def complex(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Complex numbers from real parts ``lhs`` and imaginary parts ``rhs``."""
    result = same_types(lambda e: e.name in ("f32", "f64"), lhs, rhs)
    return result.like(element_type=f"complex<{lhs.element_type}>")


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def divide(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Quotient; integers truncate toward zero (x/0 is all ones, INT_MIN/-1 is INT_MIN)."""
    return same_types(number, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | EXACT)
def imag(operand: Tensor) -> Tensor:
    """Imaginary part; zeros for a real operand."""
    return _part(operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def is_finite(x: Tensor) -> Tensor:
    """Booleans telling where the operand is neither infinite nor NaN."""
    return same_types(floating, x).like(element_type="i1")


@op(traits=FUNCTION | EXACT | Trait.COMMUTATIVE)
def maximum(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Larger value; NaN wins and -0 < +0; OR for booleans, lexicographic for complex."""
    return same_types(any_type, lhs, rhs)


@op(traits=FUNCTION | EXACT | Trait.COMMUTATIVE)
def minimum(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Smaller value; NaN wins and -0 < +0; AND for booleans, lexicographic for complex."""
    return same_types(any_type, lhs, rhs)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED | Trait.COMMUTATIVE)
def multiply(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Product; logical AND for booleans, integers wrap around."""
    return same_types(any_type, lhs, rhs)


@op(traits=FUNCTION | EXACT)
def negate(operand: Tensor) -> Tensor:
    """Opposite; two's complement for unsigned integers."""
    return same_types(number, operand)


@op(traits=Trait.ELEMENTWISE)
def not_(operand: Tensor) -> Tensor:
    """Logical NOT of booleans, bitwise NOT of integers."""
    return same_types(logical, operand)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def or_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical OR of booleans, bitwise OR of integers."""
    return same_types(logical, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | EXACT)
def real(operand: Tensor) -> Tensor:
    """Real part; the operand itself where that is real."""
    return _part(operand)


def _part(operand: Tensor) -> Tensor:
    element = operand.element_type
    allowed = element.is_float or element.is_complex
    require("I1", allowed, f"element type {element} is not allowed")
    if element.is_complex:
        return operand.like(element_type="f32" if element.bits == 64 else "f64")
    return operand.like()


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def remainder(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Remainder with the sign of the dividend, like C's ``%`` and fmod."""
    return same_types(number, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | EXACT | Trait.QUANTIZED)
def select(pred: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
    """on_true where pred holds, else on_false; pred may be 0-dimensional."""
    require("I1", pred.element_type.is_boolean, f"pred is {pred.type}, not boolean")
    fits = True if pred.rank == 0 else same_shape(pred.shape, on_true.shape)
    require("C1", fits, f"pred {pred.type} does not fit {on_true.type}")
    alike: Verdict = same_baseline(on_true.element_type, on_false.element_type)
    alike = alike and same_shape(on_true.shape, on_false.shape) is not False
    require("C2", alike, f"branches differ in type: {on_true.type} and {on_false.type}")
    return meet_all([on_true, on_false.like(element_type=on_true.element_type)])


@op(traits=Trait.ELEMENTWISE)
def shift_left(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs shifted left by rhs bits; 0 when rhs is the width or more."""
    return same_types(integer, lhs, rhs)


@op(traits=Trait.ELEMENTWISE)
def shift_right_arithmetic(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs shifted right, filled with its top bit."""
    return same_types(integer, lhs, rhs)


@op(traits=Trait.ELEMENTWISE)
def shift_right_logical(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs shifted right, filled with zeros; 0 when rhs is the width or more."""
    return same_types(integer, lhs, rhs)


@op(traits=FUNCTION | EXACT)
def subtract(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Difference; integers wrap around."""
    return same_types(number, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def xor(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical XOR of booleans, bitwise XOR of integers."""
    return same_types(logical, lhs, rhs)
