"""Hyperbolic functions of f32 and their inverses, computed in f32; near 0 they are fits."""

from __future__ import annotations

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import tables
from shlo_tools.codegen.library.maths.exponents import divided, logarithm_of, scaled, split
from shlo_tools.codegen.library.maths.series import Series
from shlo_tools.codegen.library.maths.single import logarithm, power_near_one, reduced

# Of (asinh(x) / x - 1) / x^2 in x^2, x up to 3/4.
_AREA_SINE = [-0.16666656732559204, 0.0749952420592308, -0.044565241783857346]
_AREA_SINE += [0.02977065183222294, -0.019702758640050888, 0.010453558526933193]
_AREA_SINE += [-0.0029829032719135284]
_ENDLESS = 91.0  # the powers of what is above are infinite, and half of them
_FAR = 2.0**13  # from there on 1 is nothing beside the square


def sinh(s: Series, x: Value) -> Value:
    """(e^x - e^-x) / 2."""
    f = s.f
    size = f.intrinsic("fabs", x)
    half, inverse = _half_powers(s, size)
    far = f.intrinsic("copysign", half - inverse, x)
    return s.select(size <= 1.0, s.odd(tables.SINH["f32"], x), far)


def cosh(s: Series, x: Value) -> Value:
    """(e^x + e^-x) / 2."""
    half, inverse = _half_powers(s, s.f.intrinsic("fabs", x))
    return half + inverse


def _half_powers(s: Series, size: Value) -> tuple[Value, Value]:
    """e^x / 2, infinite no sooner than that is, and e^-x / 2."""
    inside = s.select(size > _ENDLESS, s.constant(_ENDLESS, size), size)  # NaN stays
    n, _, _, r = reduced(s, inside)
    half = scaled(s, power_near_one(s, r), n - 1.0)
    return half, 0.25 / half


def asinh(s: Series, x: Value) -> Value:
    """log(x + sqrt(x^2 + 1))."""
    f = s.f
    size = f.intrinsic("fabs", x)
    root = f.intrinsic("sqrt", f.fma(size, size, s.constant(1.0, x)))
    total = size + root
    value = _logarithm(s, size, total, size - (total - root))
    value = s.select(size <= 0.75, s.odd(_AREA_SINE, size), value)
    return f.intrinsic("copysign", value, x)


def acosh(s: Series, x: Value) -> Value:
    """log(x + sqrt(x^2 - 1)); near 1 as 2 asinh(sqrt((x - 1) / 2)), below as NaN."""
    f = s.f
    less = x - 1.0
    near = s.odd(_AREA_SINE, f.intrinsic("sqrt", less * 0.5))
    root = f.intrinsic("sqrt", f.fma(x, x, s.constant(-1.0, x)))
    total = x + root
    far = _logarithm(s, x, total, root - (total - x))
    return s.select(less <= 0.5, near + near, far)


def _logarithm(s: Series, x: Value, total: Value, lost: Value) -> Value:
    """log(total + lost), which is log(2 x) of what is far from 0."""
    is_far = x > _FAR
    total, lost = s.select(is_far, x, total), s.select(is_far, s.constant(0.0, x), lost)
    k, part = split(s, total, is_normal=True)
    part = part + divided(s, lost, k)
    k = s.select(is_far, k + 1.0, k)
    return logarithm_of(s, total, logarithm(s, k, part))


def atanh(s: Series, x: Value) -> Value:
    """log((1 + x) / (1 - x)) / 2, with what rounding has lost of the quotient."""
    f = s.f
    size = f.intrinsic("fabs", x)
    over, under = size + 1.0, 1.0 - size
    inverse = 1.0 / under
    quotient = over * inverse
    left = f.fma(-quotient, under, over) + (size - (over - 1.0))
    k, part = split(s, quotient, is_normal=True)
    part = part + divided(s, left * inverse, k)
    value = logarithm_of(s, quotient, logarithm(s, k, part)) * 0.5
    return s.select(size <= 0.5, s.odd(tables.ATANH["f32"], x), f.intrinsic("copysign", value, x))
