"""Elementwise ops: the result has the operands' shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES, Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops.elementwise import ComparisonDirection, ComparisonType
from shlo_tools.reference import complex_functions as on_complex
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import (
    from_unsigned,
    sign_bit,
    total_order,
    unsigned,
)
from shlo_tools.reference.rounding import (
    closely,
    element_of,
    exactly,
    extended,
    rounded,
    widened,
    wrapped,
)


def _is_float(x: Array) -> bool:
    return element_of(x).is_float


def _is_complex(x: Array) -> bool:
    return element_of(x).is_complex


def _is_boolean(x: Array) -> bool:
    return bool(x.dtype == np.bool_)


# --- arithmetic -----------------------------------------------------------------------------------
@evaluates
def abs(operand: Array) -> Array:
    if _is_complex(operand):
        return rounded(np.abs(extended(operand)), operand.real.dtype)
    if _is_float(operand):
        return _with_sign(operand, np.zeros(operand.shape, np.bool_))
    return exactly(np.abs, operand)


def _with_sign(x: Array, negative: Array) -> Array:
    """Floats with the given sign bits, NaNs too; a type without a sign keeps its values."""
    if x.dtype == ELEMENT_TYPES["f8E8M0FNU"].dtype:
        return rounded(np.where(negative, np.nan, widened(x)), x.dtype)
    bits, element = unsigned(x), element_of(x)
    top = bits.dtype.type(1) << bits.dtype.type(element.bits - 1)
    signed = np.where(negative, bits | top, bits & ~top)
    if element.name.endswith("FNUZ"):  # their only NaN is what -0 would be, and has no sign
        signed = np.where((bits == top) | ((bits == 0) & negative), bits, signed)
    return from_unsigned(signed, x.dtype)


@evaluates
def add(lhs: Array, rhs: Array) -> Array:
    return lhs | rhs if _is_boolean(lhs) else exactly(np.add, lhs, rhs)


@evaluates
def and_(lhs: Array, rhs: Array) -> Array:
    return exactly(np.bitwise_and, lhs, rhs)


@evaluates
def clamp(min: Array, operand: Array, max: Array) -> Array:
    return minimum(maximum(operand, min), max)


@evaluates
def compare(
    lhs: Array,
    rhs: Array,
    comparison_direction: ComparisonDirection,
    compare_type: ComparisonType | None = None,
) -> Array:
    name = comparison_direction.name
    if _is_complex(lhs) and name not in ("EQ", "NE"):
        left, right = (lhs, rhs) if name in ("LT", "LE") else (rhs, lhs)
        return on_complex.precedes(left, right, or_equal=name in ("LE", "GE"))
    if compare_type is ComparisonType.TOTALORDER and _is_float(lhs):
        lhs, rhs = total_order(lhs), total_order(rhs)
    else:
        lhs, rhs = widened(lhs), widened(rhs)
    with np.errstate(invalid="ignore"):
        return np.asarray(_COMPARISONS[name](lhs, rhs))


_COMPARISONS: dict[str, Callable[..., Any]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


@evaluates
def complex(lhs: Array, rhs: Array) -> Array:
    return on_complex.joined(lhs, rhs)


@evaluates
def divide(lhs: Array, rhs: Array) -> Array:
    if _is_complex(lhs):
        return closely(on_complex.divide, lhs, rhs)
    if _is_float(lhs):
        return exactly(np.divide, lhs, rhs)
    x, y = widened(lhs), widened(rhs)
    with np.errstate(all="ignore"):
        quotient = (x - np.fmod(x, np.where(y == 0, y.dtype.type(1), y))) // np.where(
            y == 0, y.dtype.type(1), y
        )
    return rounded(np.where(y == 0, ~y.dtype.type(0), quotient), lhs.dtype)


@evaluates
def imag(operand: Array) -> Array:
    if _is_complex(operand):
        return np.array(operand.imag)
    return rounded(np.zeros(operand.shape), operand.dtype)  # NaN where a type has no zero


@evaluates
def is_finite(x: Array) -> Array:
    return np.asarray(np.isfinite(widened(x)))


@evaluates
def maximum(lhs: Array, rhs: Array) -> Array:
    if _is_boolean(lhs):
        return lhs | rhs
    return _chosen(lhs, rhs, np.greater, sign_bit(rhs) if _is_float(lhs) else True)


@evaluates
def minimum(lhs: Array, rhs: Array) -> Array:
    if _is_boolean(lhs):
        return lhs & rhs
    return _chosen(lhs, rhs, np.less, sign_bit(lhs) if _is_float(lhs) else True)


def _chosen(lhs: Array, rhs: Array, better: Callable[..., Any], if_equal: Any) -> Array:
    """lhs where it is better or NaN, or where they are equal (0 and -0) and ``if_equal``."""
    x, y = widened(lhs), widened(rhs)
    with np.errstate(invalid="ignore"):
        if _is_complex(lhs):
            up = better is np.greater
            wins = on_complex.precedes(y, x, True) if up else on_complex.precedes(x, y, True)
        else:
            wins = better(x, y) | ((x == y) & if_equal)
        nan = (np.isnan(x), np.isnan(y)) if not element_of(lhs).is_integer else (False, False)
    return np.asarray(np.where(nan[0] | (wins & ~np.asarray(nan[1])), lhs, rhs))


@evaluates
def multiply(lhs: Array, rhs: Array) -> Array:
    return (closely if _is_complex(lhs) else exactly)(np.multiply, lhs, rhs)


@evaluates
def negate(operand: Array) -> Array:
    if _is_float(operand):
        return _with_sign(operand, ~sign_bit(operand))
    if _is_complex(operand):
        return on_complex.joined(negate(operand.real), negate(operand.imag))
    return exactly(np.negative, operand)


@evaluates
def not_(operand: Array) -> Array:
    return exactly(np.invert, operand)


@evaluates
def or_(lhs: Array, rhs: Array) -> Array:
    return exactly(np.bitwise_or, lhs, rhs)


@evaluates
def real(operand: Array) -> Array:
    return np.array(operand.real) if _is_complex(operand) else operand


@evaluates
def remainder(lhs: Array, rhs: Array) -> Array:
    if _is_complex(lhs):
        raise UnsupportedError("the specification leaves complex remainders open (#997)")
    if _is_float(lhs):
        return exactly(np.fmod, lhs, rhs)
    x, y = widened(lhs), widened(rhs)
    minus = y == -1 if y.dtype.kind == "i" else False
    with np.errstate(all="ignore"):
        rest = np.where(minus, 0, np.fmod(x, np.where(y == 0, 1, y)))
    return rounded(np.where(y == 0, x, rest.astype(x.dtype)), lhs.dtype)


@evaluates
def select(pred: Array, on_true: Array, on_false: Array) -> Array:
    return np.asarray(np.where(pred, on_true, on_false))


@evaluates
def shift_left(lhs: Array, rhs: Array) -> Array:
    x, amount = unsigned(lhs), unsigned(rhs)
    width = element_of(lhs).bits
    shifted = x << np.minimum(amount, amount.dtype.type(width - 1))
    return _of_bits(np.where(amount >= width, x.dtype.type(0), shifted), lhs)


@evaluates
def shift_right_arithmetic(lhs: Array, rhs: Array) -> Array:
    width = element_of(lhs).bits
    amount = np.minimum(unsigned(rhs).astype(np.uint64), np.uint64(width - 1)).astype(np.int64)
    bits = unsigned(lhs).astype(np.uint64)
    unused = np.uint64(64 - width)
    return _of_bits((bits << unused).view(np.int64) >> (amount + (64 - width)), lhs)


@evaluates
def shift_right_logical(lhs: Array, rhs: Array) -> Array:
    x, amount = unsigned(lhs), unsigned(rhs)
    width = element_of(lhs).bits
    shifted = x >> np.minimum(amount, amount.dtype.type(width - 1))
    return _of_bits(np.where(amount >= width, x.dtype.type(0), shifted), lhs)


def _of_bits(bits: Array, like: Array) -> Array:
    """Integers with the low bits of ``bits``, of the type of ``like``."""
    return wrapped(np.asarray(bits), element_of(like))


@evaluates
def subtract(lhs: Array, rhs: Array) -> Array:
    return exactly(np.subtract, lhs, rhs)


@evaluates
def xor(lhs: Array, rhs: Array) -> Array:
    return exactly(np.bitwise_xor, lhs, rhs)
