"""From the numbers of a type to wider ones that compute exactly enough, and back in one rounding.

ml_dtypes rounds a float64 twice on its way to bf16 and narrower types (through float32). Here the
step to float32 rounds to odd: the last bit tells whether anything was lost, so that the second
step gives what one rounding of the exact value would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, from_dtype

Type = np.dtype[Any]


def element_of(array: Array) -> ElementType:
    """The element type of an array."""
    return from_dtype(array.dtype)


def widened(array: Array) -> Array:
    """The same values in a type in which one rounded operation on them is no less exact.

    Types that numpy computes with correctly are kept.
    """
    element = element_of(array)
    if element.is_float and element.bits < 32:
        return np.asarray(array.astype(np.float64))
    if element.is_integer and element.bits < 8:
        return np.asarray(array.astype(np.int8 if element.kind is Kind.SIGNED else np.uint8))
    return array


def extended(array: Array) -> Array:
    """The same values with more digits than they need, for functions that round inexactly."""
    element = element_of(array)
    if element.is_complex:
        return np.asarray(array.astype(np.complex128 if element.bits == 64 else np.clongdouble))
    if element.is_float:
        return np.asarray(array.astype(np.longdouble if element.bits == 64 else np.float64))
    return widened(array)


def rounded(values: Any, dtype: Type) -> Array:
    """Values of a wider type as ``dtype``: integers wrap around, floats round once, to even."""
    values = np.asarray(values)
    if values.dtype == dtype:
        return np.asarray(values)
    element = from_dtype(dtype)
    with np.errstate(all="ignore"):
        if element.is_integer:
            return wrapped(values, element)
        if element.is_float and element.bits < 32:
            if values.dtype.kind in "biu":
                values = _exact_double(values)
            if element.bits < 8:  # without NaN: -0, whatever the sign of what computed it
                values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
            if element.name == "f8E8M0FNU":  # ml_dtypes rounds up what is next to the least number
                values = np.where((values > 0) & (values < 1.5 * 2.0**-127), 2.0**-127, values)
            return np.asarray((values if element.name == "f16" else to_odd(values)).astype(dtype))
        return np.asarray(values.astype(dtype))


def wrapped(values: Array, element: ElementType) -> Array:
    """Integers as those of ``element`` with the same low bits."""
    if element.bits >= 8:
        return np.asarray(values.astype(element.dtype))
    low = values.astype(np.int8) & np.int8((1 << element.bits) - 1)
    if element.kind is Kind.SIGNED:
        half = np.int8(1 << (element.bits - 1))
        low = (low ^ half) - half
    return np.asarray(low.astype(element.dtype))


def sticky_single(values: Array) -> Array:
    """Numbers as float32, of which any further rounding gives what one rounding would give."""
    wide = widened(values)
    with np.errstate(all="ignore"):
        return to_odd(_exact_double(wide) if wide.dtype.kind in "biu" else wide)


def to_odd(values: Array) -> Array:
    """Floats as float32, rounded to odd: inexact ones end in a one bit."""
    if values.dtype == np.longdouble:
        values = _double_to_odd(values)
    narrow = np.asarray(values.astype(np.float32))
    return _odd(narrow, narrow.astype(values.dtype), values, np.dtype(np.uint32))


def _double_to_odd(values: Array) -> Array:
    double = np.asarray(values.astype(np.float64))
    return _odd(double, double.astype(values.dtype), values, np.dtype(np.uint64))


def _odd(narrow: Array, back: Array, values: Array, bits_type: Type) -> Array:
    """``narrow``, whose exact value is ``back``, moved to the odd neighbour of ``values``."""
    bits = narrow.view(bits_type)
    one = bits_type.type(1)
    inexact = (back != values) & np.isfinite(values)
    beyond = inexact & (np.abs(back) > np.abs(values))
    toward_zero = np.where(beyond, bits - one, bits)
    return np.where(inexact, toward_zero | one, bits).view(narrow.dtype)


def _exact_double(integers: Array) -> Array:
    """Integers as float64; what does not fit leaves a trace in the last bit kept."""
    wide = integers.astype(np.uint64 if integers.dtype.kind == "u" else np.int64)
    negative = wide < 0
    magnitude = np.where(negative, np.negative(wide), wide).astype(np.uint64)
    low = magnitude & np.uint64(0x7FF)
    sticky = (magnitude & ~np.uint64(0x7FF)) | np.where(low != 0, np.uint64(0x800), np.uint64(0))
    kept = np.where(magnitude >> np.uint64(53), sticky, magnitude)
    return np.where(negative, -kept.astype(np.float64), kept.astype(np.float64))


def exactly(function: Callable[..., Any], *operands: Array) -> Array:
    """An operation that numpy rounds correctly, on values of one type."""
    with np.errstate(all="ignore"):
        return rounded(function(*(widened(x) for x in operands)), operands[0].dtype)


def closely(function: Callable[..., Any], *operands: Array) -> Array:
    """A function that numpy approximates, computed with digits to spare."""
    with np.errstate(all="ignore"):
        return rounded(function(*(extended(x) for x in operands)), operands[0].dtype)


def above_zero(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose values are positive, for f8E8M0FNU: it has no zero to underflow to."""
    return lambda *operands: np.maximum(function(*operands), 2.0**-1000)  # NaN stays NaN
