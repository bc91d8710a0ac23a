"""Powers of f32 by tables that registers hold (AVX-512)."""

from __future__ import annotations

import math

import numpy as np

from shlo_tools.codegen import instructions
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.exponents import (
    LEAST,
    LN2_HIGH,
    LN2_LOW,
    MOST,
    ROUNDING,
    clamped,
    mantissa,
    scaled,
)
from shlo_tools.codegen.library.maths.series import Series

# 2^(k / 32) as f32, and what that lacks, relative to it.
_PARTS = 32
_ROOTS = [2.0 ** (k / _PARTS) for k in range(_PARTS)]
_HIGH = [float(np.float32(root)) for root in _ROOTS]
_LOW = [root / high - 1.0 for root, high in zip(_ROOTS, _HIGH, strict=True)]

# Of pieces of mantissas from 3/4 to 3/2, numbered by their first five bits: the inverse of a number
# in it, and that number's logarithm in two parts, the first of so few digits that multiples of ln 2
# are added without loss. Those beside 1 are of 1, so that small logarithms keep their digits.
_KEPT = 18
_NUMBERS = [(1.0 + (k + 0.5) / 32) * (1.0 if k < 16 else 0.5) for k in range(32)]
_INVERSES = [float(np.float32(1.0 / number)) for number in _NUMBERS]
_INVERSES[0] = _INVERSES[-1] = 1.0
_LOGARITHMS = [-math.log(inverse) for inverse in _INVERSES]
_STARTS = [round(value * 2**16) / 2**16 for value in _LOGARITHMS]
_STARTS_LOW = [value - start for value, start in zip(_LOGARITHMS, _STARTS, strict=True)]
# Of (log(1 + r) - r + r^2 / 2) / r^3.
_SERIES = [1 / 7, -1 / 6, 1 / 5, -1 / 4, 1 / 3]


def exponential(s: Series, x: Value, low: Value | None = None) -> tuple[Value, Value]:
    """e^(x + low) as a number from 1 to 2 and the n that it is to be scaled by, rounded down."""
    f = s.f
    shifted = f.fma(x, s.constant(_PARTS * math.log2(math.e), x), s.constant(ROUNDING, x))
    parts = shifted - ROUNDING
    r = f.fma(parts, s.constant(-LN2_HIGH / _PARTS, x), x)
    r = f.fma(parts, s.constant(-LN2_LOW / _PARTS, x), r)
    if low is not None:
        r = r + low
    place = shifted.to("bitcast", "i32")
    root, lost = (instructions.looked_up(f, table, place) for table in (_HIGH, _LOW))
    rest = f.fma(s.powers(r, [1 / 6, 1 / 2]), r * r, r + lost)
    return f.fma(rest, root, root), parts * (1 / _PARTS)


def power(s: Series, x: Value, y: Value) -> Value:
    """x^y of a positive number and a finite one: the exponent in twice the digits."""
    f = s.f
    high, low = _logarithm(s, x)
    exponent = y * high
    rest = f.fma(y, low, f.fma(y, high, -exponent))
    inside = clamped(s, exponent, LEAST, MOST)
    value, n = exponential(s, inside, s.select(inside == exponent, rest, 0.0))
    return scaled(s, s.select(exponent < LEAST, s.constant(0.0, x), value), n)


def _logarithm(s: Series, x: Value) -> tuple[Value, Value]:
    """k ln 2 + log(c) + log(1 + r) of x = 2^k c (1 + r), and the rest."""
    f = s.f
    k, part = mantissa(f, x)
    place = part.to("bitcast", "i32") >> _KEPT
    inverse, start, rest = (
        instructions.looked_up(f, table, place) for table in (_INVERSES, _STARTS, _STARTS_LOW)
    )
    product = part * inverse
    r, missed = product - 1.0, f.fma(part, inverse, -product)
    rest = f.fma(k, s.constant(LN2_LOW, x), rest)
    rest = f.fma(missed, f.fma(r, r - 1.0, s.constant(1.0, x)), rest)
    square = r * r
    rest = f.fma(f.fma(r, r, -square), s.constant(-0.5, x), rest)
    # Each sum is less than the one before, so what rounding loses of it is exact.
    start = f.fma(k, s.constant(LN2_HIGH, x), start)
    total = start + r
    rest = rest + (r - (total - start))
    less = f.fma(square, s.constant(-0.5, x), total)
    rest = rest + f.fma(square, s.constant(-0.5, x), total - less)
    rest = f.fma(s.powers(r, _SERIES), square * r, rest)
    high = less + rest
    return high, rest - (high - less)
