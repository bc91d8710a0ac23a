"""Numbers of one element type as those of another."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind
from shlo_tools.reference.bits import from_unsigned, unsigned
from shlo_tools.reference.rounding import element_of, extended, rounded, widened, wrapped


def converted(operand: Array, element: ElementType) -> Array:
    """Each element as the nearest value of another element type."""
    if element_of(operand).is_complex and not element.is_complex:
        operand = operand.real
    if element.is_boolean:
        return np.asarray(widened(operand) != 0)
    if element.is_integer and element_of(operand).is_float:
        return _saturated(extended(operand), element)
    return rounded(widened(operand), element.dtype)


def _saturated(x: Array, element: ElementType) -> Array:
    """Floats truncated to integers: out of range gives the limit, NaN 0."""
    signed = element.kind is Kind.SIGNED
    low = -(1 << (element.bits - 1)) if signed else 0
    high = (1 << (element.bits - signed)) - 1
    inside = (x > low - 1) & (x < high + 1)
    wide = np.int64 if signed else np.uint64
    with np.errstate(invalid="ignore"):
        whole = np.where(inside, x, 0).astype(wide)
    whole = np.where(x >= high + 1, wide(high), np.where(x <= low - 1, wide(low), whole))
    return wrapped(whole, element)


def with_precision(operand: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    """Floats rounded to fewer bits: the mantissa to even, then the exponent's range."""
    if element_of(operand).bits < 16:
        wide = with_precision(operand.astype(np.float32), exponent_bits, mantissa_bits)
        return rounded(wide, operand.dtype)
    bits = unsigned(operand)
    word, width = bits.dtype.type, element_of(operand).bits
    stored = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element_of(operand).name]
    top = word(1) << word(width - 1)
    sign, magnitude = bits & top, bits & ~top
    infinity = ((word(1) << word(width - 1 - stored)) - word(1)) << word(stored)
    if mantissa_bits < stored:
        drop = word(stored - mantissa_bits)
        half = (word(1) << (drop - word(1))) - word(1)
        kept = magnitude + half + ((magnitude >> drop) & word(1))
        rounded_off = kept & ~((word(1) << drop) - word(1))
    else:
        rounded_off = magnitude
    bias = (1 << (width - 2 - stored)) - 1
    if exponent_bits < width - 1 - stored:
        own = (1 << (exponent_bits - 1)) - 1
        least, most = word(bias - own + 1), word(bias + own)
        exponent = rounded_off >> word(stored)
        rounded_off = np.where(exponent > most, infinity, rounded_off)
        rounded_off = np.where(exponent < least, word(0), rounded_off)
    nan = magnitude > infinity
    return from_unsigned(np.where(nan, bits, sign | rounded_off), operand.dtype)
