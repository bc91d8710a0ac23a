"""Powers and the cube root."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import exponentials
from shlo_tools.codegen.library.maths.exponentials import exp
from shlo_tools.codegen.library.maths.series import LN2_HIGH, LN2_LOW, TINY, Series

# A Chebyshev fit of the cube root from 1 to 2, within 2^-16.
_CUBE_ROOT = [-0.010102212336338642, 0.08307903547963541, -0.2939541180848237]
_CUBE_ROOT += [0.7117423866025924, 0.5092481335492415]
_TWO_THIRDS = (2 / 3, 3.700743415417188e-17)  # rounded, and the rest


def power(s: Series, x: Value, y: Value) -> Value:
    """|x|^y by exp and log, and C's special cases."""
    return with_special_cases(s, x, y, _of_magnitude(s, s.f.intrinsic("fabs", x), y))


def with_special_cases(s: Series, x: Value, y: Value, value: Value) -> Value:
    """C's, where ``value`` is |x|^y."""
    f = s.f
    magnitude, size = f.intrinsic("fabs", x), f.intrinsic("fabs", y)
    is_whole = f.intrinsic("floor", y) == y
    halved = y * 0.5
    is_odd = is_whole & (f.intrinsic("floor", halved) != halved)
    value = s.select((x < 0.0) & ~is_whole & (magnitude < math.inf), s.constant(math.nan, x), value)
    is_negative = f.intrinsic("copysign", s.constant(1.0, x), x) < 0.0
    value = s.select(is_negative & is_odd, -value, value)
    is_one = (x == 1.0) | (y == 0.0) | ((magnitude == 1.0) & (size == math.inf))
    return s.select(is_one, s.constant(1.0, x), value)


def _of_magnitude(s: Series, x: Value, y: Value) -> Value:
    """e^(y log x) of a positive x; the exponent in more digits than f64 has."""
    high, low = _logarithm(s, x)
    exponent, rest = s.product(y, high)
    is_moderate = s.f.intrinsic("fabs", exponent) < 1000.0
    rest = s.select(is_moderate, rest + y * low, 0.0)
    value = exp(s, exponent, rest)
    ends = (x == 0.0) | (x == math.inf)
    at_end = exp(s, y * s.select(x == 0.0, s.constant(-math.inf, x), x))
    value = s.select(ends, at_end, value)
    return s.select(x.compare("uno", y), x + y, value)


def _logarithm(s: Series, x: Value) -> tuple[Value, Value]:
    """2 atanh(f / (2 + f)) and multiples of ln 2, in 65 bits."""
    f, one = s.f, exponentials.split(s, x)
    below = one.fraction + 2.0
    below_rest = one.fraction - (below - 2.0)
    q = one.fraction / below
    q_rest = (f.fma(-q, below, one.fraction) - q * below_rest) / below
    square, square_rest = s.product(q, q)
    square_rest = f.fma(q + q, q_rest, square_rest)
    cube, cube_rest = s.product(q, square)
    cube_rest = cube_rest + f.fma(q, square_rest, q_rest * square)
    # The series behind its first term: cube (2/3 + square P(square)).
    more = s.powers(square, [2.0 / (2 * j + 1) for j in range(12, 1, -1)]) * square
    factor, factor_rest = s.sum_of_two(s.constant(_TWO_THIRDS[0], x), more)
    factor_rest = factor_rest + _TWO_THIRDS[1]
    term, term_rest = s.product(cube, factor)
    term_rest = term_rest + f.fma(cube, factor_rest, cube_rest * factor)
    total, rest = s.sum_of_two(q + q, term)
    rest = rest + (term_rest + (q_rest + q_rest))
    high, high_rest = s.sum_of_two(one.exponent * LN2_HIGH, total)
    low, low_rest = s.product(one.exponent, s.constant(LN2_LOW, x))
    high, more_rest = s.sum_of_two(high, low)
    rest = rest + (high_rest + (more_rest + low_rest))
    total = high + rest
    return total, rest - (total - high)


def cbrt(s: Series, x: Value) -> Value:
    """2^q cbrt(m 2^r) of x = m 2^(3 q + r): a fit, then a step of Halley's and one of Newton's."""
    f = s.f
    size = f.intrinsic("fabs", x)
    is_tiny = size < TINY
    bits = s.bits(s.select(is_tiny, size * 2.0**54, size))
    exponent = ((bits >> 52) - 1023).to("sitofp", "f64")
    q = f.intrinsic("floor", (exponent + 0.5) * (1 / 3))
    r = exponent - q * 3.0
    one = ((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000).to("bitcast", "f64")
    third = s.select(
        r == 1.0, s.constant(2 ** (1 / 3), x), s.select(r == 2.0, s.constant(2 ** (2 / 3), x), 1.0)
    )
    root = s.powers(one, _CUBE_ROOT) * third
    a = one * s.select(r == 1.0, s.constant(2.0, x), s.select(r == 2.0, s.constant(4.0, x), 1.0))
    cube = root * root * root
    root = root * ((cube + a + a) / (cube + cube + a))
    if not s.is_single:
        square, rest = s.product(root, root)
        left = f.fma(-square, root, a) - rest * root
        root = root + left / (square * 3.0)
    scaled = root * s.power_of_two(q.to("fptosi", "i64"))
    scaled = scaled * s.select(is_tiny, s.constant(2.0**-18, x), 1.0)
    value = f.intrinsic("copysign", scaled, x)
    return s.select((x == 0.0) | ~(size < math.inf), x, value)
