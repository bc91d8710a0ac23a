"""Elementwise functions and constants of CHLO."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.constraints import compatible, every, meet_all, require
from shlo_tools.dtypes import ElementType, from_dtype, of_array
from shlo_tools.ops._attributes import Elements, Number
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor

function = op(dialect="chlo", traits=Trait.ELEMENTWISE)


def _same_types(allowed: Callable[[ElementType], bool], *operands: Tensor) -> Tensor:
    """Operands of one type, which is the result's; ``allowed`` tells of its element type."""
    first = operands[0]
    require("I1", allowed(first.element_type), f"element type {first.element_type} is not allowed")
    alike = every(compatible(operand, first) for operand in operands[1:])
    types = " and ".join(str(operand.type) for operand in operands)
    require("C1", alike, f"operands differ in type: {types}")
    return meet_all(operands)


def _real(*operands: Tensor) -> Tensor:
    return _same_types(lambda element: element.is_float, *operands)


def _number(operand: Tensor) -> Tensor:
    return _same_types(lambda element: element.is_float or element.is_complex, operand)


# --- elementwise functions ------------------------------------------------------------------------
@function
def _asin_acos_kernel(operand: Tensor) -> Tensor:
    """The common part w of the complex inverse functions of z = x + iy: asin(z) has the real part
    atan2(x, re w) and the imaginary part sign(y) * im w."""
    return _number(operand)


@function
def acos(operand: Tensor) -> Tensor:
    """Inverse cosine, in [0, pi] for reals; NaN beyond [-1, 1]."""
    return _number(operand)


@function
def acosh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic cosine, nonnegative for reals; NaN below 1."""
    return _number(operand)


@function
def asin(operand: Tensor) -> Tensor:
    """Inverse sine, in [-pi/2, pi/2] for reals; NaN beyond [-1, 1]."""
    return _number(operand)


@function
def asinh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic sine."""
    return _number(operand)


@function
def atan(operand: Tensor) -> Tensor:
    """Inverse tangent, in [-pi/2, pi/2] for reals."""
    return _number(operand)


@function
def atanh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic tangent; for reals infinite at -1 and 1, NaN beyond."""
    return _number(operand)


@function
def bessel_i1e(operand: Tensor) -> Tensor:
    """exp(-|x|) I1(x), with the modified Bessel function of order 1."""
    return _number(operand)


@function
def conj(operand: Tensor) -> Tensor:
    """Complex conjugate; the operand itself where that is real."""
    return _number(operand)


@function
def cosh(operand: Tensor) -> Tensor:
    """Hyperbolic cosine."""
    return _number(operand)


@function
def digamma(operand: Tensor) -> Tensor:
    """Derivative of ``lgamma``; NaN at 0 and at the negative integers."""
    return _real(operand)


@function
def erf(operand: Tensor) -> Tensor:
    """Error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to the operand."""
    return _real(operand)


@function
def erf_inv(operand: Tensor) -> Tensor:
    """Inverse of ``erf``: infinite at -1 and 1, NaN beyond."""
    return _real(operand)


@function
def erfc(operand: Tensor) -> Tensor:
    """1 - erf(operand), accurate where that is small."""
    return _real(operand)


@function
def is_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is infinite."""
    return _real(operand).like(element_type="i1")


@function
def is_neg_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is -infinity."""
    return _real(operand).like(element_type="i1")


@function
def is_pos_inf(operand: Tensor) -> Tensor:
    """Booleans telling where the operand is +infinity."""
    return _real(operand).like(element_type="i1")


@function
def lgamma(operand: Tensor) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
    return _real(operand)


@op(dialect="chlo", traits=Trait.ELEMENTWISE | Trait.COMMUTATIVE)
def mulhi(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The upper half of the product of two integers, which has twice their width."""
    return _same_types(lambda element: element.is_integer, lhs, rhs)


@function
def next_after(x: Tensor, y: Tensor) -> Tensor:
    """The number next to x in the direction of y; y where they are equal."""
    return _real(x, y)


@function
def polygamma(n: Tensor, x: Tensor) -> Tensor:
    """Derivative of order n of ``digamma`` at x; NaN where n is no integer or negative."""
    return _real(n, x)


@function
def sinh(operand: Tensor) -> Tensor:
    """Hyperbolic sine."""
    return _number(operand)


@function
def square(operand: Tensor) -> Tensor:
    """The operand times itself."""
    return _number(operand)


@function
def tan(operand: Tensor) -> Tensor:
    """Tangent."""
    return _number(operand)


@function
def zeta(x: Tensor, q: Tensor) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x over k = 0, 1, 2, ..."""
    return _real(x, q)


# --- constants ------------------------------------------------------------------------------------
@op(dialect="chlo", traits=Trait.CONSTANT_LIKE)
def constant(value: Elements) -> Tensor:
    """A tensor with the given values."""
    return Tensor(of_array(value))


@function
def constant_like(operand: Tensor, value: Number) -> Tensor:
    """``value``, a numpy scalar, everywhere in the shape of the operand."""
    return operand.like(element_type=from_dtype(value.dtype))
