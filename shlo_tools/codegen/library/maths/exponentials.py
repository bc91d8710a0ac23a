"""Exponentials and logarithms."""

from __future__ import annotations

import math
from typing import NamedTuple

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.series import LN2_HIGH, LN2_LOW, TINY, Series

_LEAST = -746.0  # powers below it are 0


def exp(s: Series, x: Value, low: Value | None = None) -> Value:
    """e^x, or e^(x + low) where more digits of the exponent are known.

    What is 0 is multiplied by 0: processors take several times as long where a product underflows.
    """
    inside = s.clamped(x, _LEAST, 710.0)
    n, r = s.reduced(inside)
    r = r if low is None else r + low
    half = s.f.op("ashr", n, s.f.immediate(1, n.type))
    last = s.select(x < _LEAST, s.constant(0.0, x), s.power_of_two(n - half))
    value = (s.exponential_less_one(r) + 1.0) * s.power_of_two(half) * last
    return s.select(x.compare("uno", x), x, value)


def expm1(s: Series, x: Value) -> Value:
    """2^n (e^r - 1) + (2^n - 1), by halves of it: 2^n may be infinite where the sum is not."""
    inside = s.clamped(x, -80.0, 710.0)
    n, r = s.reduced(inside)
    half = s.power_of_two(n - 1)
    value = s.f.fma(half, s.exponential_less_one(r), half - 0.5) * 2.0
    is_itself = s.f.intrinsic("fabs", x) < 2.0**-54
    return s.select(is_itself | x.compare("uno", x), x, value)


class Split(NamedTuple):
    """A positive number as 2^exponent (1 + fraction), with the fraction near 0."""

    exponent: Value
    fraction: Value


def split(s: Series, x: Value) -> Split:
    """Exponent and fraction, between sqrt(1/2) - 1 and sqrt(2) - 1."""
    is_tiny = x < TINY
    scaled = s.select(is_tiny, x * 2.0**54, x)
    bits = s.bits(scaled)
    lift = 0x3FF0000000000000 - 0x3FE6A09E667F3BCD  # from sqrt(1/2) to 1
    shifted = bits + lift
    k = s.f.op("ashr", shifted, s.f.immediate(52, bits.type)) - 1023
    mantissa = (shifted & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD
    exponent = k.to("sitofp", "f64") - s.select(is_tiny, s.constant(54.0, x), 0.0)
    return Split(exponent, mantissa.to("bitcast", "f64") - 1.0)


def log(s: Series, x: Value) -> Value:
    """x = 2^k (1 + f): k ln 2 + log(1 + f), that by the series of the inverse tangent."""
    exponent, f = split(s, x)
    ratio = f / (f + 2.0)
    z = ratio * ratio
    rest = s.powers(z, [2.0 / (2 * j + 1) for j in range(12, 0, -1)]) * z
    half = f * f * 0.5
    low = s.f.fma(ratio, half + rest, exponent * LN2_LOW)
    value = s.f.fma(exponent, s.constant(LN2_HIGH, x), f - (half - low))
    value = s.select(x == 0.0, s.constant(-math.inf, x), value)
    value = s.select(x < 0.0, s.constant(math.nan, x), value)
    return s.select(x.compare("ueq", math.inf), x, value)


def log1p(s: Series, x: Value) -> Value:
    """log(1 + x), with what the rounding of 1 + x has lost."""
    near = x + 1.0
    lost = (x - (near - 1.0)) / near
    value = log(s, near) + s.select(s.f.intrinsic("fabs", x) < 2.0**53, lost, 0.0)
    value = s.select(near == 0.0, s.constant(-math.inf, x), value)
    return s.select(x == 0.0, x, value)


def tanh(s: Series, x: Value) -> Value:
    """m / (m + 2), where m is exp(2 |x|) - 1; from 20 on that is 1."""
    f = s.f
    size = f.intrinsic("fabs", x)
    inside = s.select(size > 20.0, s.constant(20.0, x), size)
    n, r = s.reduced(inside + inside)
    scale = s.power_of_two(n)
    m = f.fma(scale, s.exponential_less_one(r), scale - 1.0)
    value = f.intrinsic("copysign", s.over_sum(m, m, 2.0), x)
    return s.select(x.compare("uno", x), x, value)


def logistic(s: Series, x: Value) -> Value:
    """1 / (1 + e^-x), below 0 as e^x / (1 + e^x), which does not overflow."""
    power = exp(s, -s.f.intrinsic("fabs", x))
    return s.over_sum(s.select(x < 0.0, power, s.constant(1.0, x)), power, 1.0)
