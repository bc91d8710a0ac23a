"""Elementwise functions of numbers: exponentials, trigonometry, powers, roots, rounding, bits."""

from __future__ import annotations

from shlo_tools.ops._elementwise import (
    FUNCTION,
    floating,
    floating_or_complex,
    integer,
    number,
    same_types,
    signed,
)
from shlo_tools.ops._op import op
from shlo_tools.ops.accuracy import ResultAccuracy
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@op(traits=FUNCTION)
def atan2(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Angle of the point (rhs, lhs), in (-pi, pi]."""
    return same_types(floating_or_complex, lhs, rhs)


@op(traits=FUNCTION)
def cbrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Cube root; real for negative reals, principal for complex."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def ceil(operand: Tensor) -> Tensor:
    """Smallest integral value not below the operand."""
    return same_types(floating, operand)


@op(traits=FUNCTION)
def cosine(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Cosine."""
    return same_types(floating_or_complex, operand)


@op(traits=Trait.ELEMENTWISE)
def count_leading_zeros(operand: Tensor) -> Tensor:
    """Number of leading zero bits; the bit width for 0."""
    return same_types(integer, operand)


@op(traits=FUNCTION)
def exponential(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """e to the power of the operand."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION)
def exponential_minus_one(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """exp(operand) - 1, accurate near 0."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def floor(operand: Tensor) -> Tensor:
    """Largest integral value not above the operand."""
    return same_types(floating, operand)


@op(traits=FUNCTION)
def log(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Natural logarithm."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION)
def log_plus_one(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """log(1 + operand), accurate near 0."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION)
def logistic(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """1 / (1 + exp(-operand))."""
    return same_types(floating_or_complex, operand)


@op(traits=Trait.ELEMENTWISE)
def popcnt(operand: Tensor) -> Tensor:
    """Number of one bits."""
    return same_types(integer, operand)


@op(traits=FUNCTION)
def power(lhs: Tensor, rhs: Tensor) -> Tensor:
    """lhs to the power of rhs."""
    return same_types(number, lhs, rhs)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def round_nearest_afz(operand: Tensor) -> Tensor:
    """Nearest integral value, ties away from zero."""
    return same_types(floating, operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def round_nearest_even(operand: Tensor) -> Tensor:
    """Nearest integral value, ties to even."""
    return same_types(floating, operand)


@op(traits=FUNCTION)
def rsqrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """1 / sqrt(operand)."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def sign(operand: Tensor) -> Tensor:
    """-1, 0 or 1 (keeping -0 and NaN); z/|z| for complex."""
    return same_types(signed, operand)


@op(traits=FUNCTION)
def sine(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Sine."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def sqrt(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Square root."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION)
def tan(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Tangent."""
    return same_types(floating_or_complex, operand)


@op(traits=FUNCTION)
def tanh(operand: Tensor, result_accuracy: ResultAccuracy | None = None) -> Tensor:
    """Hyperbolic tangent."""
    return same_types(floating_or_complex, operand)
