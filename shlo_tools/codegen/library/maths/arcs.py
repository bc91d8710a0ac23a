"""Inverse sine, cosine and tangent of f32, and the angle of a point, computed in f32."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import tables
from shlo_tools.codegen.library.maths.series import Series

# pi / 2 rounded, and the rest.
_RIGHT, _RIGHT_LOW = float.fromhex("0x1.921fb6p+0"), float.fromhex("-0x1.777a5cp-25")
_RIGHT_OF_DOUBLE = (math.pi / 2, float.fromhex("0x1.1a62633145c07p-54"))
_CENTRAL = 0.5405  # up to there the inverse sine is a fit
# The least error relative to the function, of (atan(t) / t - 1) / t^2, t up to 1.
_ARCTANGENT = [-0.0017815340543165803, 0.010864202864468098, -0.03109087608754635]
_ARCTANGENT += [0.057877328246831894, -0.08399175107479095, 0.10950864106416702]
_ARCTANGENT += [-0.14264015853405, 0.1999852955341339, -0.33333298563957214]
_LEAST, _MOST = 2.0**-100, 2.0**126
_LEAST_BITS = 0x0D800000  # of the least one


def asin(s: Series, x: Value) -> Value:
    """By a fit, and far from 0 as pi / 2 - 2 asin(sqrt((1 - |x|) / 2)); of f64, too."""
    right, low = _right(s)
    is_central, arc = _arc(s, x)
    far = right - s.f.fma(arc, s.constant(2.0, x), s.constant(-low, x))
    return s.f.intrinsic("copysign", s.select(is_central, arc, far), x)


def acos(s: Series, x: Value) -> Value:
    """pi / 2 - asin(x), near 1 as 2 asin(sqrt((1 - x) / 2)), near -1 as pi - acos(-x)."""
    right, low = _right(s)
    is_central, arc = _arc(s, x)
    twice = arc + arc
    far = s.select(x < 0.0, 2 * right - (twice - 2 * low), twice)
    return s.select(is_central, right - (arc - low), far)


def _right(s: Series) -> tuple[float, float]:
    return (_RIGHT, _RIGHT_LOW) if s.is_single else _RIGHT_OF_DOUBLE


def _arc(s: Series, x: Value) -> tuple[Value, Value]:
    """Whether x is near 0, and asin(x), or elsewhere asin(sqrt((1 - |x|) / 2)): NaN beyond 1."""
    size, half = s.f.intrinsic("fabs", x), s.constant(0.5, x)
    chord = s.f.intrinsic("sqrt", s.f.fma(size, s.constant(-0.5, x), half))
    is_central = size <= _CENTRAL
    return is_central, s.odd(tables.ASIN[s.precision], s.select(is_central, x, chord))


def atan(s: Series, x: Value) -> Value:
    """Beyond 1, pi / 2 less that of the inverse."""
    f = s.f
    size = f.intrinsic("fabs", x)
    is_steep = size > 1.0
    one = s.constant(1.0, x)
    small, large = s.select(is_steep, -one, size), s.select(is_steep, size, one)
    value = _angle(s, s.select(is_steep, one, 0.0), small, large)
    value = s.select(size == math.inf, s.constant(_RIGHT, x), value)
    return f.intrinsic("copysign", value, x)


def atan2(s: Series, y: Value, x: Value) -> Value:
    """The angle of (x, y) by that of the smaller part over the larger one."""
    f = s.f
    over, under = f.intrinsic("fabs", y), f.intrinsic("fabs", x)
    is_steep = over > under
    small, large = _moderate(s, s.select(is_steep, under, over), s.select(is_steep, over, under))
    # It lies behind or before a multiple of pi / 2.
    is_left = x.to("bitcast", "i32") < 0
    turns = s.select(is_steep, s.constant(1.0, x), 0.0)
    turns = s.select(is_left, 2.0 - turns, turns)
    small = s.select(is_steep ^ is_left, -small, small)
    return f.intrinsic("copysign", _angle(s, turns, small, large), y)


def _angle(s: Series, turns: Value, small: Value, large: Value) -> Value:
    """A multiple of pi / 2 and the arctangent of a quotient of at most 1.

    What rounding loses is kept to the end, where it is added to the smaller part.
    """
    f = s.f
    inverse = 1.0 / large
    t = small * inverse
    lost = f.fma(-t, large, small) * inverse
    square = t * t
    slope = f.fma(square, s.constant(-0.5, t), s.constant(1.0, t))  # 1 / (1 + t^2), about
    start = turns * _RIGHT
    total = start + t
    low = f.fma(turns, s.constant(_RIGHT_LOW, t), (start - total) + t)
    low = f.fma(lost, slope, low)
    # Square and cube are rounded, too: that counts most where t is near 1, by these factors.
    cube = square * t
    low = f.fma(f.fma(t, t, -square), t * -0.25, low)
    low = f.fma(f.fma(square, t, -cube), s.constant(-0.22, t), low)
    return total + f.fma(s.powers(square, _ARCTANGENT), cube, low)


def _moderate(s: Series, small: Value, large: Value) -> tuple[Value, Value]:
    """Numbers of the same quotient, of which the larger one has an inverse.

    The smaller one is 0, or such that what a division leaves of it is not lost.
    """
    f = s.f
    is_whole = (small.to("bitcast", "i32") - 1).compare("ugt", _LEAST_BITS)
    is_moderate = is_whole & (large > _LEAST) & (large < _MOST)

    def scaled() -> list[Value]:
        one = s.constant(1.0, large)
        is_endless = large == math.inf
        scale = s.select(large < _MOST, one, 0.25)
        scale = s.select(large < 2.0**24, s.constant(2.0**64, large), scale)
        divisor = s.select(is_endless | (large == 0.0), one, large * scale)
        nearly = s.select(small == math.inf, one, small * 0.0)
        return [s.select(is_endless, nearly, small * scale), divisor]

    any_other = f.reduce("or", ~is_moderate)
    small, large = f.if_(any_other, scaled, lambda: [small, large])
    return small, large
