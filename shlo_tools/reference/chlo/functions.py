"""Elementwise functions and constants of CHLO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.reference import complex_functions as on_complex
from shlo_tools.reference import elementwise, special_functions
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import above_zero, closely, element_of, rounded, widened

chlo = evaluates(dialect="chlo")


def _doubled(function: Callable[..., Array], *operands: Array) -> Array:
    """A function that computes in float64 or longer itself."""
    with np.errstate(all="ignore"):
        wide = [operand.astype(np.float64) for operand in operands]
        return rounded(function(*wide), operands[0].dtype)


def _positive(function: Callable[..., Array], operand: Array) -> Callable[..., Array]:
    """A function that is positive where the operand is."""
    return above_zero(function) if element_of(operand).name == "f8E8M0FNU" else function


# --- trigonometric and hyperbolic functions -------------------------------------------------------
@chlo
def _asin_acos_kernel(operand: Array) -> Array:
    """For asin(z) = a + ib the number cos(a) cosh(b) + i|b|."""

    def kernel(z: Array) -> Array:
        if z.dtype.kind != "c":
            return np.asarray(np.sqrt((1 - z) * (1 + z)))
        angle = np.arcsin(z)
        real = np.cos(angle.real) * np.cosh(angle.imag)
        return on_complex.joined(real, np.abs(angle.imag))

    return closely(kernel, operand)


@chlo
def acos(operand: Array) -> Array:
    return closely(np.arccos, operand)


@chlo
def acosh(operand: Array) -> Array:
    return closely(np.arccosh, operand)


@chlo
def asin(operand: Array) -> Array:
    return closely(np.arcsin, operand)


@chlo
def asinh(operand: Array) -> Array:
    return closely(np.arcsinh, operand)


@chlo
def atan(operand: Array) -> Array:
    return closely(np.arctan, operand)


@chlo
def atanh(operand: Array) -> Array:
    return closely(np.arctanh, operand)


@chlo
def cosh(operand: Array) -> Array:
    return closely(np.cosh, operand)


@chlo
def sinh(operand: Array) -> Array:
    return closely(np.sinh, operand)


@chlo
def tan(operand: Array) -> Array:
    return closely(np.tan, operand)


# --- special functions ----------------------------------------------------------------------------
@chlo
def bessel_i1e(operand: Array) -> Array:
    if element_of(operand).is_complex:
        raise UnsupportedError("neither JAX nor XLA says what it is of complex numbers")
    return _doubled(special_functions.bessel_i1e, operand)


@chlo
def digamma(operand: Array) -> Array:
    return _doubled(special_functions.digamma, operand)


@chlo
def erf(operand: Array) -> Array:
    return _doubled(special_functions.erf, operand)


@chlo
def erf_inv(operand: Array) -> Array:
    return _doubled(special_functions.erf_inv, operand)


@chlo
def erfc(operand: Array) -> Array:
    return _doubled(_positive(special_functions.erfc, operand), operand)


@chlo
def lgamma(operand: Array) -> Array:
    return _doubled(special_functions.lgamma, operand)


@chlo
def polygamma(n: Array, x: Array) -> Array:
    return _doubled(special_functions.polygamma, n, x)


@chlo
def zeta(x: Array, q: Array) -> Array:
    return _doubled(_positive(special_functions.zeta, x), x, q)


# --- numbers --------------------------------------------------------------------------------------
@chlo
def conj(operand: Array) -> Array:
    if not element_of(operand).is_complex:
        return operand
    return on_complex.joined(operand.real, elementwise.negate(operand.imag))


@chlo
def is_inf(operand: Array) -> Array:
    return np.isinf(widened(operand))


@chlo
def is_neg_inf(operand: Array) -> Array:
    return np.asarray(widened(operand) == -np.inf)


@chlo
def is_pos_inf(operand: Array) -> Array:
    return np.asarray(widened(operand) == np.inf)


@chlo
def mulhi(lhs: Array, rhs: Array) -> Array:
    """By Python's integers, which have as many digits as they need."""
    bits = element_of(lhs).bits
    product = widened(lhs).astype(object) * widened(rhs).astype(object)
    high = np.asarray(product, object) >> bits
    return rounded(np.asarray(high).astype(widened(lhs).dtype), lhs.dtype)


@chlo
def next_after(x: Array, y: Array) -> Array:
    following: Any = np.nextafter
    try:
        with np.errstate(all="ignore"):
            # Of equal numbers (0 and -0) the result is y; numpy's f16 form gives x.
            return np.asarray(np.where(x == y, y, following(x, y)), x.dtype)
    except TypeError as error:
        raise UnsupportedError(f"numbers of {element_of(x)} have no neighbours here") from error


@chlo
def square(operand: Array) -> Array:
    return elementwise.multiply(operand, operand)


# --- constants ------------------------------------------------------------------------------------
@chlo
def constant(value: Array) -> Array:
    return value


@chlo
def constant_like(operand: Array, value: Any) -> Array:
    return np.full(operand.shape, value, value.dtype)
