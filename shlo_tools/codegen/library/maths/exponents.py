"""f32 as a power of two and a number near 1: taken apart, and put together.

Where that is an instruction (AVX-512) it is one; elsewhere it is arithmetic on bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from shlo_tools.codegen import instructions, target
from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.library.maths.series import Series

ROUNDING = 1.5 * 2.0**23  # added to a number it leaves the nearest whole one in the last bits
LN2_HIGH = float.fromhex("0x1.62e4p-1")  # few digits: thousands of times it are exact
LN2_LOW = float.fromhex("0x1.7f7d1cf79abcap-20")
LEAST, MOST = -104.0, 89.0  # e^x below is 0, and beyond infinite
BIAS = 127  # of exponents: what 1 has
_ONE = 0x3F800000
_THREE_QUARTERS = 0x3F400000
_FROM_THREE_QUARTERS = 0b0011  # mantissas from 3/4 to 3/2, with the number's sign
_LOGARITHMS = 0x03530422  # of 0 it is -inf, of inf inf, of what is below NaN, and NaN stays


class Split(NamedTuple):
    """A positive number as 2^exponent (1 + fraction), the fraction from -1/4 to 1/2."""

    exponent: Value
    fraction: Value


def clamped(s: Series, x: Value, low: float, high: float) -> Value:
    """NaN stays."""
    x = s.select(x < low, s.constant(low, x), x)
    return s.select(x > high, s.constant(high, x), x)


def scaled(s: Series, value: Value, n: Value) -> Value:
    """A number near 1 or 0, times 2^n for a whole f32 from -151 to 128.

    An n that is not whole is rounded down, where that is an instruction.
    """
    if target.host().splits_floats:
        return instructions.of_floats(s.f, "scalef", [value, n])
    # In two steps, each with its bias: results may be denormal. 0 stays 0.
    bits = (n + (ROUNDING + 2 * BIAS)).to("bitcast", "i32")
    half = bits >> 1
    first, second = ((part << 23).to("bitcast", "f32") for part in (half, bits - half))
    return value * first * second


def power_of_two(n: Value) -> Value:
    """2^n for whole numbers -126 to 127: the last 9 bits of integers, whatever the others are."""
    return ((n << 23) + _ONE).to("bitcast", "f32")


def split(s: Series, x: Value, *, is_normal: bool = False) -> Split:
    """A positive number; what others become is for ``logarithm_of`` to say.

    Args:
        is_normal: whether it is known not to be denormal.
    """
    f = s.f
    if target.host().splits_floats:
        exponent, part = mantissa(f, x)
        return Split(exponent, part - 1.0)
    is_tiny = None if is_normal else x < 2.0**-126
    scaled_up = x if is_tiny is None else s.select(is_tiny, x * 2.0**25, x)
    moved = scaled_up.to("bitcast", "i32") + (_ONE - _THREE_QUARTERS)
    exponent = (f.op("ashr", moved, f.immediate(23, moved.type)) - BIAS).to("sitofp", "f32")
    if is_tiny is not None:
        exponent = exponent - s.select(is_tiny, s.constant(25.0, x), 0.0)
    part = ((moved & 0x007FFFFF) + _THREE_QUARTERS).to("bitcast", "f32")
    return Split(exponent, part - 1.0)


def mantissa(f: Function, x: Value) -> tuple[Value, Value]:
    """A positive number as 2^exponent times one from 3/4 to 3/2, by instructions."""
    part = instructions.of_floats(f, "getmant", [x], _FROM_THREE_QUARTERS)
    whole, less = (instructions.of_floats(f, "getexp", [value]) for value in (x, part))
    return whole - less, part


def divided(s: Series, value: Value, exponent: Value) -> Value:
    """A small number by 2^exponent of a number from 2^-24 on; by 2^127 and more it is 0."""
    if target.host().splits_floats:
        return instructions.of_floats(s.f, "scalef", [value, -exponent])
    inside = s.select(exponent > 127.0, s.constant(127.0, value), exponent)
    return value * power_of_two((ROUNDING - inside).to("bitcast", "i32"))


def logarithm_of(s: Series, x: Value, value: Value) -> Value:
    """``value``, but for 0, infinity, what is below 0 and what is no number."""
    if target.host().splits_floats:
        return instructions.replaced_by_class(s.f, value, x, _LOGARITHMS)
    value = s.select(x == 0.0, s.constant(-math.inf, x), value)
    value = s.select(x < 0.0, s.constant(math.nan, x), value)
    return s.select(x.compare("ueq", math.inf), x, value)
