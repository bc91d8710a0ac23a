"""Numbers of one element type as those of another, and of one precision."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, TensorType
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import from_unsigned, regrouped, unsigned
from shlo_tools.reference.rounding import element_of, extended, rounded, widened, wrapped


@evaluates
def bitcast_convert(operand: Array, *, result_types: list[TensorType]) -> Array:
    return regrouped(operand, result_types[0].element_type)


@evaluates
def convert(operand: Array, *, result_types: list[TensorType]) -> Array:
    return converted(operand, result_types[0].element_type)


@evaluates
def reduce_precision(operand: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    return with_precision(operand, exponent_bits, mantissa_bits)


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
    """Floats rounded to fewer bits: the mantissa to even, then the exponent's range.

    Bits are those of the operand's type, whose own range of exponents is never widened.
    """
    element = element_of(operand)
    info: Any = ml_dtypes.finfo(operand.dtype)  # type: ignore[no-untyped-call]
    stored = int(info.nmant)
    has_sign = element.name != "f8E8M0FNU"
    bits = unsigned(operand).astype(np.uint64)
    magnitude = bits & _word((1 << (element.bits - has_sign)) - 1)
    kept = _to_even(magnitude, max(0, stored - mantissa_bits))
    least, most = 1, _code(info.max, operand)
    if exponent_bits < element.bits - has_sign - stored:
        bias, reach = _code(1.0, operand) >> stored, (1 << (exponent_bits - 1)) - 1
        least = (bias - reach + 1) << stored
        most = min(most, ((bias + reach + 1) << stored) - 1)
    elif not has_sign:
        least = 0  # the code of a number, where other types have zero
    inside = from_unsigned(
        ((bits - magnitude) | np.minimum(kept, _word(most))).astype(f"u{operand.dtype.itemsize}"),
        operand.dtype,
    )
    numbers = np.where(bits == magnitude, 1.0, -1.0)
    above, below = (rounded(numbers * x, operand.dtype) for x in (np.inf, 0.0))
    word = np.where(kept > _word(most), above, np.where(kept < _word(least), below, inside))
    return np.where(np.isnan(widened(operand)), operand, word).astype(operand.dtype)


def _word(value: int) -> np.uint64:
    return np.uint64(value)


def _code(value: float, like: Array) -> int:
    """The bits of a number in an array's type."""
    return int(unsigned(np.asarray(value).astype(like.dtype)))


def _to_even(magnitude: Array, dropped: int) -> Array:
    """Rounded at a bit; a carry out of the mantissa raises the exponent."""
    if not dropped:
        return magnitude
    drop, one = _word(dropped), _word(1)
    half = (one << (drop - one)) - one
    return (magnitude + half + ((magnitude >> drop) & one)) & ~((one << drop) - one)
