"""Elementwise ops: the result has the operands' shape."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.constraints import Verdict, every, meet_all, require, same_baseline, same_shape
from shlo_tools.dtypes import ElementType, Kind, TensorType
from shlo_tools.ops._attributes import I32, AttributeEnum
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import quantized_sum
from shlo_tools.ops.accuracy import ResultAccuracy
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Scalar, Tensor

Allowed = Callable[[ElementType], bool]

_FUNCTION = Trait.ELEMENTWISE | Trait.ARITHMETIC
_EXACT = Trait.CORRECTLY_ROUNDED | Trait.COMPLEX_CORRECTLY_ROUNDED


def _any(element: ElementType) -> bool:
    return element.kind is not Kind.INDEX


def _number(element: ElementType) -> bool:
    return _float_or_complex(element) or element.is_integer


def _signed(element: ElementType) -> bool:
    return _float_or_complex(element) or element.kind is Kind.SIGNED


def _float(element: ElementType) -> bool:
    return element.is_float or element.is_quantized


def _float_or_complex(element: ElementType) -> bool:
    return element.is_float or element.is_complex or element.is_quantized


def _integer(element: ElementType) -> bool:
    return element.is_integer


def _logical(element: ElementType) -> bool:
    return element.is_integer or element.is_boolean


def _same_types(allowed: Allowed, *operands: Tensor) -> Tensor:
    """The rule of most elementwise ops: allowed element type, all operands of one type."""
    element = operands[0].element_type
    require("I1", allowed(element), f"element type {element} is not allowed")
    if len(operands) > 1:
        types = " and ".join(str(operand.type) for operand in operands)
        alike = every(
            same_baseline(operand.element_type, element)
            and same_shape(operand.shape, operands[0].shape)
            for operand in operands[1:]
        )
        require("C1", alike, f"operands differ in type: {types}")
    return meet_all([operand.like(element_type=element) for operand in operands])


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def abs(operand: Tensor) -> Tensor:
    """Absolute value; of a complex number its modulus, a real."""
    element = operand.element_type
    require("I1", _signed(element), f"element type {element} is not allowed")
    if element.is_complex:
        return operand.like(element_type="f32" if element.bits == 64 else "f64")
    return operand.like()


@op(traits=_FUNCTION | _EXACT | Trait.COMMUTATIVE | Trait.QUANTIZED_PER_AXIS)
def add(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Sum; logical OR for booleans, integers wrap around."""
    if lhs.element_type.is_quantized or rhs.element_type.is_quantized:
        return quantized_sum(lhs, rhs)
    return _same_types(_any, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def and_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical AND of booleans, bitwise AND of integers."""
    return _same_types(_logical, lhs, rhs)


@op(traits=_FUNCTION)
def atan2(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Angle of the point (rhs, lhs), in (-pi, pi]."""
    return _same_types(_float_or_complex, lhs, rhs)


@op(traits=_FUNCTION)
def cbrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Cube root; real for negative reals, principal for complex."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def ceil(operand: Tensor) -> Tensor:
    """Smallest integral value not below the operand."""
    return _same_types(_float, operand)


@op(traits=_FUNCTION | _EXACT)
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


@op(traits=_FUNCTION | _EXACT)
def compare(
    lhs: Tensor,
    rhs: Tensor,
    comparison_direction: ComparisonDirection,
    compare_type: ComparisonType | None = None,
) -> Tensor:
    """Booleans telling where the comparison holds. A float compares false with NaN, except NE."""
    return _same_types(_any, lhs, rhs).like(element_type="i1")


@op(traits=Trait.ELEMENTWISE | Trait.CORRECTLY_ROUNDED)
def complex(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Complex numbers from real parts ``lhs`` and imaginary parts ``rhs``."""
    result = _same_types(lambda e: e.name in ("f32", "f64"), lhs, rhs)
    return result.like(element_type=f"complex<{lhs.element_type}>")


@op(traits=Trait.ELEMENTWISE | _EXACT)
def convert(operand: Tensor, result_type: TensorType) -> Tensor:
    """Each element as the nearest value of the result's element type.

    Floats to integers truncate and saturate, NaN becomes 0; anything nonzero is true.
    """
    result = Tensor(result_type)
    require("C1", same_shape(operand.shape, result.shape), "shapes differ")
    return meet_all([operand.like(element_type=result.element_type), result])


@op(traits=_FUNCTION)
def cosine(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Cosine."""
    return _same_types(_float_or_complex, operand)


@op(traits=Trait.ELEMENTWISE)
def count_leading_zeros(operand: Tensor) -> Tensor:
    """Number of leading zero bits; the bit width for 0."""
    return _same_types(_integer, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def divide(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Quotient; integers truncate toward zero (x/0 is all ones, INT_MIN/-1 is INT_MIN)."""
    return _same_types(_number, lhs, rhs)


@op(traits=_FUNCTION)
def exponential(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """e to the power of the operand."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION)
def exponential_minus_one(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """exp(operand) - 1, accurate near 0."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def floor(operand: Tensor) -> Tensor:
    """Largest integral value not above the operand."""
    return _same_types(_float, operand)


@op(traits=Trait.ELEMENTWISE | _EXACT)
def imag(operand: Tensor) -> Tensor:
    """Imaginary part; zeros for a real operand."""
    return _part(operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def is_finite(x: Tensor) -> Tensor:
    """Booleans telling where the operand is neither infinite nor NaN."""
    return _same_types(_float, x).like(element_type="i1")


@op(traits=_FUNCTION)
def log(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Natural logarithm."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION)
def log_plus_one(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """log(1 + operand), accurate near 0."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION)
def logistic(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """1 / (1 + exp(-operand))."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION | _EXACT | Trait.COMMUTATIVE)
def maximum(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Larger value; NaN wins and -0 < +0; OR for booleans, lexicographic for complex."""
    return _same_types(_any, lhs, rhs)


@op(traits=_FUNCTION | _EXACT | Trait.COMMUTATIVE)
def minimum(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Smaller value; NaN wins and -0 < +0; AND for booleans, lexicographic for complex."""
    return _same_types(_any, lhs, rhs)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED | Trait.COMMUTATIVE)
def multiply(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Product; logical AND for booleans, integers wrap around."""
    return _same_types(_any, lhs, rhs)


@op(traits=_FUNCTION | _EXACT)
def negate(operand: Tensor) -> Tensor:
    """Opposite; two's complement for unsigned integers."""
    return _same_types(_number, operand)


@op(traits=Trait.ELEMENTWISE)
def not_(operand: Tensor) -> Tensor:
    """Logical NOT of booleans, bitwise NOT of integers."""
    return _same_types(_logical, operand)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def or_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical OR of booleans, bitwise OR of integers."""
    return _same_types(_logical, lhs, rhs)


@op(traits=Trait.ELEMENTWISE)
def popcnt(operand: Tensor) -> Tensor:
    """Number of one bits."""
    return _same_types(_integer, operand)


@op(traits=_FUNCTION)
def power(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs to the power of rhs."""
    return _same_types(_number, lhs, rhs)


@op(traits=Trait.ELEMENTWISE | _EXACT)
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


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def reduce_precision(operand: Tensor, exponent_bits: I32, mantissa_bits: I32) -> Tensor:
    """Round to a float format of that many exponent and mantissa bits, and back."""
    require("C2", exponent_bits >= 1, f"exponent_bits = {exponent_bits} is below 1")
    require("C3", mantissa_bits >= 0, f"mantissa_bits = {mantissa_bits} is negative")
    return _same_types(_float, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def remainder(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Remainder with the sign of the dividend, like C's ``%`` and fmod."""
    return _same_types(_number, lhs, rhs)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def round_nearest_afz(operand: Tensor) -> Tensor:
    """Nearest integral value, ties away from zero."""
    return _same_types(_float, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def round_nearest_even(operand: Tensor) -> Tensor:
    """Nearest integral value, ties to even."""
    return _same_types(_float, operand)


@op(traits=_FUNCTION)
def rsqrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """1 / sqrt(operand)."""
    return _same_types(_float_or_complex, operand)


@op(traits=Trait.ELEMENTWISE | _EXACT | Trait.QUANTIZED)
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
    return _same_types(_integer, lhs, rhs)


@op(traits=Trait.ELEMENTWISE)
def shift_right_arithmetic(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs shifted right, filled with its top bit."""
    return _same_types(_integer, lhs, rhs)


@op(traits=Trait.ELEMENTWISE)
def shift_right_logical(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs shifted right, filled with zeros; 0 when rhs is the width or more."""
    return _same_types(_integer, lhs, rhs)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def sign(operand: Tensor) -> Tensor:
    """-1, 0 or 1 (keeping -0 and NaN); z/|z| for complex."""
    return _same_types(_signed, operand)


@op(traits=_FUNCTION)
def sine(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Sine."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION | Trait.CORRECTLY_ROUNDED)
def sqrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Square root."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION | _EXACT)
def subtract(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Difference; integers wrap around."""
    return _same_types(_number, lhs, rhs)


@op(traits=_FUNCTION)
def tan(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Tangent."""
    return _same_types(_float_or_complex, operand)


@op(traits=_FUNCTION)
def tanh(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Hyperbolic tangent."""
    return _same_types(_float_or_complex, operand)


@op(traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def xor(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Logical XOR of booleans, bitwise XOR of integers."""
    return _same_types(_logical, lhs, rhs)
