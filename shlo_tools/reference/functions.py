"""Elementwise functions of numbers: exponentials, trigonometry, powers, roots, rounding, bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference import complex_functions as on_complex
from shlo_tools.reference import special_functions
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import leading_zeros, unsigned
from shlo_tools.reference.rounding import above_zero, closely, element_of, exactly, rounded, widened


def _function(real: Callable[..., Any], complex: Callable[..., Any], *operands: Array) -> Array:
    return closely(complex if element_of(operands[0]).is_complex else real, *operands)


@evaluates
def atan2(lhs: Array, rhs: Array) -> Array:
    return _function(np.arctan2, on_complex.atan2, lhs, rhs)


@evaluates
def cbrt(operand: Array) -> Array:
    return _function(np.cbrt, on_complex.cbrt, operand)


@evaluates
def ceil(operand: Array) -> Array:
    return exactly(np.ceil, operand)


@evaluates
def cosine(operand: Array) -> Array:
    return closely(np.cos, operand)


@evaluates
def count_leading_zeros(operand: Array) -> Array:
    return rounded(leading_zeros(operand), operand.dtype)


@evaluates
def exponential(operand: Array) -> Array:
    return closely(np.exp, operand)


@evaluates
def exponential_minus_one(operand: Array) -> Array:
    return _function(np.expm1, on_complex.exponential_minus_one, operand)


@evaluates
def floor(operand: Array) -> Array:
    return exactly(np.floor, operand)


@evaluates
def log(operand: Array) -> Array:
    return closely(np.log, operand)


@evaluates
def log_plus_one(operand: Array) -> Array:
    return _function(np.log1p, on_complex.log_plus_one, operand)


@evaluates
def logistic(operand: Array) -> Array:
    return _function(special_functions.logistic, on_complex.logistic, operand)


@evaluates
def popcnt(operand: Array) -> Array:
    return rounded(np.bitwise_count(unsigned(operand)), operand.dtype)


@evaluates
def power(lhs: Array, rhs: Array) -> Array:
    if element_of(lhs).is_integer:
        return special_functions.integer_power(lhs, rhs)
    if element_of(lhs).name == "f8E8M0FNU":
        return closely(above_zero(np.power), lhs, rhs)
    return _function(np.power, on_complex.power, lhs, rhs)


@evaluates
def round_nearest_afz(operand: Array) -> Array:
    def round_away(x: Array) -> Array:
        whole = np.trunc(x)
        away = np.abs(x - whole) >= 0.5
        return np.asarray(np.copysign(np.abs(whole) + away, x))

    return exactly(round_away, operand)


@evaluates
def round_nearest_even(operand: Array) -> Array:
    return exactly(np.rint, operand)


@evaluates
def rsqrt(operand: Array) -> Array:
    return _function(lambda x: 1 / np.sqrt(x), on_complex.rsqrt, operand)


@evaluates
def sign(operand: Array) -> Array:
    if element_of(operand).is_complex:
        return closely(on_complex.sign, operand)
    x = widened(operand)
    if not element_of(operand).is_float:
        return rounded(np.sign(x), operand.dtype)
    return rounded(np.where((x == 0) | np.isnan(x), x, np.copysign(1, x)), operand.dtype)


@evaluates
def sine(operand: Array) -> Array:
    return closely(np.sin, operand)


@evaluates
def sqrt(operand: Array) -> Array:
    return (closely if element_of(operand).is_complex else exactly)(np.sqrt, operand)


@evaluates
def tan(operand: Array) -> Array:
    return closely(np.tan, operand)


@evaluates
def tanh(operand: Array) -> Array:
    return closely(np.tanh, operand)
