"""Exponentials and logarithms of f32 in f32: twice as many lanes, and a unit or two all the same.

What rounding loses is added where it would count; degrees and fits leave out less than 2^-27.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from shlo_tools.codegen import target
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import piece_tables, tabulated, tabulated_powers
from shlo_tools.codegen.library.maths.exponents import (
    BIAS,
    LEAST,
    LN2_HIGH,
    LN2_LOW,
    MOST,
    ROUNDING,
    clamped,
    divided,
    logarithm_of,
    power_of_two,
    scaled,
    split,
)
from shlo_tools.codegen.library.maths.series import Series

# Least errors relative to the function, of (log(1 + f) - f + f^2 / 2) / f^3, f from -1/4 to 1/2.
_LOGARITHM = [-0.04507446706560279, 0.10462995711121716, -0.1316119653080091]
_LOGARITHM += [0.14478400496100102, -0.1664731234362028, 0.19990860860182796]
_LOGARITHM += [-0.2500009582880367, 0.3333344912045101]


class Reduced(NamedTuple):
    """x = n ln 2 + rest, the rest at most ln 2 / 2.

    Attributes:
        n: as f32.
        shifted: n + ``ROUNDING``, whose last bits are n.
        left: the rest before the last digits of n ln 2 are subtracted.
    """

    n: Value
    shifted: Value
    left: Value
    rest: Value


def reduced(s: Series, x: Value) -> Reduced:
    f = s.f
    shifted = f.fma(x, s.constant(math.log2(math.e), x), s.constant(ROUNDING, x))
    n = shifted - ROUNDING
    left = f.fma(n, s.constant(-LN2_HIGH, x), x)
    return Reduced(n, shifted, left, f.fma(n, s.constant(-LN2_LOW, x), left))


def nearly_reduced(s: Series, x: Value, *, times: int = 1) -> tuple[Value, Value]:
    """2^n and the rest of ``times`` x = n ln 2 + rest; the last digits of n ln 2 do not count.

    What is added to round ends with the exponent's bias, so that only a shift makes 2^n of the sum.
    """
    shift = ROUNDING + BIAS
    shifted = s.f.fma(x, s.constant(times * math.log2(math.e), x), s.constant(shift, x))
    rest = s.f.fma(shifted - shift, s.constant(-math.log(2), x), x * times)
    return (shifted.to("bitcast", "i32") << 23).to("bitcast", "f32"), rest


def exp(s: Series, x: Value) -> Value:
    """Results may be denormal.

    What is 0 is 0 times a power: processors take several times as long where a product underflows,
    and softmax and kernels of distances are made of such.
    """
    inside = clamped(s, x, LEAST, MOST)
    if target.host().looks_up:
        value, n = tabulated_powers.exponential(s, inside)
    else:
        n, _, _, r = reduced(s, inside)
        one = s.constant(1.0, r)
        value = s.f.fma(s.f.fma(s.exponential_rest(r), r, one), r, one)
    return scaled(s, s.select(x < LEAST, s.constant(0.0, x), value), n)


def power_near_one(s: Series, r: Value) -> Value:
    """e^r of a rest, with what rounding loses of 1 + r."""
    near = r + 1.0
    return near + s.f.fma(s.exponential_rest(r), r * r, r - (near - 1.0))


def expm1(s: Series, x: Value) -> Value:
    """Twice 2^(n-1) - 1/2 + 2^(n-1) (r + r^2 q(r)), whose first sum keeps what it is rounded by."""
    f = s.f
    n, shifted, left, r = reduced(s, clamped(s, x, -18.0, 89.0))
    low = f.fma(n, s.constant(-LN2_LOW, x), left - r)
    scale = power_of_two(shifted.to("bitcast", "i32") - 1)
    rest = f.fma(s.exponential_rest(r), r * r, low)
    start = scale - 0.5
    total = f.fma(scale, r, start)
    lost = f.fma(scale, r, start - total)
    value = total + f.fma(scale, rest, lost)
    is_small = f.intrinsic("fabs", x) < 2.0**-25
    return s.select(is_small, x, value + value)


def log(s: Series, x: Value) -> Value:
    """k ln 2 + log(1 + f)."""
    k, part = split(s, x)
    return logarithm_of(s, x, logarithm(s, k, part))


def log1p(s: Series, x: Value) -> Value:
    """log(1 + x), with what the rounding of 1 + x has lost."""
    near = x + 1.0
    lost = x - (near - 1.0)
    k, part = split(s, near, is_normal=True)
    value = logarithm(s, k, part + divided(s, lost, k))
    return s.f.intrinsic("copysign", logarithm_of(s, near, value), x)


def logarithm(s: Series, k: Value, part: Value) -> Value:
    """k ln 2 + log(1 + part)."""
    f = s.f
    square = part * part
    small = f.fma(s.powers(part, _LOGARITHM), part * square, square * -0.5)
    large = k * LN2_HIGH
    total = large + part
    return total + (f.fma(k, s.constant(LN2_LOW, part), small) + (part - (total - large)))


def tanh(s: Series, x: Value) -> Value:
    """m / (m + 2), where m is e^(2 |x|) - 1; from 10 on that is 1.

    The larger m is, the less its last digits count: so ln 2 needs no second part.
    """
    if target.host().looks_up:
        return tabulated.odd(s, piece_tables.TANH, piece_tables.TANH_FIRST, x)
    f = s.f
    size = f.intrinsic("fabs", x)
    inside = s.select(size > 10.0, s.constant(10.0, x), size)
    scale, r = nearly_reduced(s, inside, times=2)
    m = f.fma(scale, s.exponential_less_one(r), scale - 1.0)
    return f.intrinsic("copysign", s.over_sum(m, m, 2.0), x)


def logistic(s: Series, x: Value) -> Value:
    """1 / (1 + e^-|x|), and e^-|x| times that below 0."""
    power = exp(s, -s.f.intrinsic("fabs", x))
    return s.over_sum(s.select(x < 0.0, power, s.constant(1.0, x)), power, 1.0)
