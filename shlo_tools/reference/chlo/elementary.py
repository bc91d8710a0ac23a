"""Constants, comparisons with infinity, and functions of the bits of a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.reference import elementwise
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import closely, element_of, rounded, widened

chlo = evaluates(dialect="chlo")


@chlo
def tan(operand: Array) -> Array:
    return closely(np.tan, operand)


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
