"""Sine, cosine, tangent, and the angle of a point."""

from __future__ import annotations

import math
import platform

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.series import Series

LONG_DOUBLE = {"x86_64": "f80", "AMD64": "f80", "aarch64": "f128"}  # where it is more than f64

_FAR = 2.0**30  # beyond, an angle loses too much when multiples of pi / 2 are subtracted
# pi / 2 in three times the digits.
_RIGHT = [
    float.fromhex(part)
    for part in ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110")
]

# Chebyshev fits of (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, r up to pi / 4,
# and of (atan(t) / t - 1) / t^2 in t^2, t up to tan(pi / 8).
_SINE = [1.591810123027412e-10, -2.5051131455427946e-08, 2.755731610068303e-06]
_SINE += [-0.0001984126983675497, 0.008333333333330946, -0.16666666666666666]
_SINE_OF_SINGLE = [2.7249864655139585e-06, -0.00019840086263755443]
_SINE_OF_SINGLE += [0.008333331873837089, -0.16666666663853044]
_COSINE = [-1.1382614868556325e-11, 2.0876146024689747e-09, -2.7557317270560326e-07]
_COSINE += [2.4801587298763433e-05, -0.0013888888888887395, 0.041666666666666664]
_COSINE_OF_SINGLE = [-2.7300908167996537e-07, 2.480059998353171e-05]
_COSINE_OF_SINGLE += [-0.0013888887671288108, 0.04166666666431933]
_ARCTANGENT = [0.016285183029865667, -0.034570044186095536, 0.04551573086664191]
_ARCTANGENT += [-0.052304498567092406, 0.05878928398517232, -0.06666424833613552]
_ARCTANGENT += [0.07692296372129964, -0.09090908753400499, 0.11111111105153429]
_ARCTANGENT += [-0.14285714285659806, 0.19999999999999804, -0.3333333333333333]
_ARCTANGENT_OF_SINGLE = [-0.040431454558852234, 0.07135287552145222, -0.09028976882102906]
_ARCTANGENT_OF_SINGLE += [0.11107494603271183, -0.1428561249224054, 0.1999999891704028]
_ARCTANGENT_OF_SINGLE += [-0.3333333333144022]


def sin(s: Series, x: Value) -> Value:
    """Of angles up to 2^30 by the rest of multiples of pi / 2."""
    n, rest, low = _reduced(s, x)
    sine, cosine = _both(s, rest, low)
    value = _signed(s, s.select((n & 1) != 0, cosine, sine), n & 2)
    return _beyond(s, s.select(x == 0.0, x, value), "sin", x)


def cos(s: Series, x: Value) -> Value:
    """As the sine."""
    n, rest, low = _reduced(s, x)
    sine, cosine = _both(s, rest, low)
    value = _signed(s, s.select((n & 1) != 0, sine, cosine), (n + 1) & 2)
    return _beyond(s, value, "cos", x)


def tan(s: Series, x: Value) -> Value:
    """The quotient of both, which takes more digits of both than f64 has."""
    f = s.f
    n, rest, low = _reduced(s, x)
    turned = (n & 1) != 0
    (sine, sine_rest), (cosine, cosine_rest) = map(_renormalized, _pairs(s, rest, low))
    over, over_rest = s.select(turned, -cosine, sine), s.select(turned, -cosine_rest, sine_rest)
    under, under_rest = s.select(turned, sine, cosine), s.select(turned, sine_rest, cosine_rest)
    quotient = over / under
    left = f.fma(-quotient, under, over) + f.fma(-quotient, under_rest, over_rest)
    return _beyond(s, s.select(x == 0.0, x, quotient + left / under), "tan", x)


def _renormalized(pair: tuple[Value, Value]) -> tuple[Value, Value]:
    """A sum of a larger and a smaller number as what it is rounded to, and the rest."""
    total = pair[0] + pair[1]
    return total, pair[1] - (total - pair[0])


def _reduced(s: Series, x: Value) -> tuple[Value, Value, Value | None]:
    """x = n pi / 2 + rest + low: n as i64, the rest of at most pi / 4.

    An f32 is far enough from all multiples of pi / 2 to do without ``low``.
    """
    f = s.f
    is_near = f.intrinsic("fabs", x) <= _FAR
    x = s.select(is_near, x, s.constant(0.0, x))
    n = f.intrinsic("rint", x * (2 / math.pi))
    number = n.to("fptosi", "i64")
    high, middle, last = (s.constant(part, x) for part in _RIGHT)
    if s.is_single:
        return number, f.fma(-n, middle, f.fma(-n, high, x)), None
    first, first_rest = s.product(n, high)
    second, second_rest = s.product(n, middle)
    rest, lost = s.sum_of_two(x - first, -first_rest)
    rest, more = s.sum_of_two(rest, -second)
    low = lost + (more - f.fma(n, last, second_rest))
    total = rest + low
    return number, total, low - (total - rest)


def _both(s: Series, r: Value, low: Value | None) -> tuple[Value, Value]:
    """Sine and cosine of a small angle."""
    sine, cosine = (large + small for large, small in _pairs(s, r, low))
    return sine, cosine


def _pairs(s: Series, r: Value, low: Value | None) -> list[tuple[Value, Value]]:
    """Sine and cosine of a small angle as sums of a larger and a smaller number."""
    f = s.f
    square = r * r
    odd = s.powers(square, _SINE_OF_SINGLE if s.is_single else _SINE) * square
    even = s.powers(square, _COSINE_OF_SINGLE if s.is_single else _COSINE) * square
    half = square * 0.5
    near = 1.0 - half
    if low is None:
        return [(r, r * odd), (near, even * square)]
    # sin(r + low) is sin r + low cos r, and cos(r + low) is cos r - low sin r.
    lost = ((1.0 - near) - half) - r * low
    return [(r, f.fma(r, odd, f.fma(-half, low, low))), (near, f.fma(even, square, lost))]


def _signed(s: Series, value: Value, turned: Value) -> Value:
    """With the other sign where ``turned`` is 2."""
    return (s.bits(value) ^ (turned << 62)).to("bitcast", "f64")


def _beyond(s: Series, value: Value, function: str, x: Value) -> Value:
    """Far angles by the C library: in long double those of f64, where doubles lose some bits."""
    size = s.f.intrinsic("fabs", x)
    is_far = (size > _FAR) & (size < math.inf)
    wide = LONG_DOUBLE.get(platform.machine()) if not s.is_single else None
    name = function + "l" if wide else function
    value = s.select(size < math.inf, value, math.nan)
    return s.by_lane(is_far, value, name, [x], wide or "f64")


def atan(s: Series, x: Value) -> Value:
    """That of the point (1, x)."""
    return atan2(s, x, s.constant(1.0, x))


def atan2(s: Series, y: Value, x: Value) -> Value:
    """The angle of (x, y) by that of the smaller part over the larger one, at most pi / 8."""
    f = s.f
    over, under = f.intrinsic("fabs", y), f.intrinsic("fabs", x)
    is_steep = over > under
    small, large = s.select(is_steep, under, over), s.select(is_steep, over, under)
    both_endless = small == math.inf
    small = s.select(both_endless, s.constant(1.0, x), small)
    large = s.select(both_endless, s.constant(1.0, x), large)
    if not s.is_single:  # their sum is finite, and so is its inverse
        scale = s.select(large < 2.0**-1000, s.constant(2.0**100, x), 1.0)
        scale = s.select(large > 2.0**1000, s.constant(0.25, x), scale)
        small, large = small * scale, large * scale
    is_wide = small > large * (math.sqrt(2) - 1)
    part, whole = s.select(is_wide, small - large, small), s.select(is_wide, small + large, large)
    inverse = 1.0 / whole
    t = part * inverse
    if not s.is_single:
        # What difference and sum are rounded by counts where the angle is no more than its rest.
        lost = f.fma(-t, small - (whole - large), small - (part + large))
        left = f.fma(-t, whole, part) + s.select(is_wide, lost, 0.0)
        t = f.fma(left, inverse, t)
    t = s.select((large > 0.0) & (large < math.inf), t, 0.0)
    square = t * t
    angle = f.fma(
        t, s.powers(square, _ARCTANGENT_OF_SINGLE if s.is_single else _ARCTANGENT) * square, t
    )
    # How many times pi / 4 lie before it, and on which side of that it is.
    eighths = s.select(is_wide, s.constant(1.0, x), 0.0)
    eighths = s.select(is_steep, 2.0 - eighths, eighths)
    angle = s.select(is_steep, -angle, angle)
    is_left = s.bits(x) < 0
    eighths = s.select(is_left, 4.0 - eighths, eighths)
    angle = s.select(is_left, -angle, angle)
    low = f.fma(eighths, s.constant(_RIGHT[1] / 2, x), angle)
    value = f.fma(eighths, s.constant(_RIGHT[0] / 2, x), low)
    value = s.select(x.compare("uno", y), x + y, value)
    return f.intrinsic("copysign", value, y)
