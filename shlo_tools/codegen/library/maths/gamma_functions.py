"""The logarithm of the gamma function, and its derivative; computed in f64.

Both are known from their values from 1 on: at x from 0 to 1 by those at 1 + x, and at -x by those
at 1 + x as well, by reflection. From 1 to 3 they are rational functions of least errors, and from 3
on Stirling's series. Of f32, errors relative to the largest term are below 2^-40, as near zeros at
negative numbers two terms cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import exponentials, tables, trigonometry
from shlo_tools.codegen.library.maths.series import Series

# For results of f32, in 1 / y^2: what Stirling's formula lacks, times y, and what digamma is less
# than log(y) - 1 / (2 y), times y^2.
_STIRLING = [-0.0008304486916465381, 0.0007366040013608641, -0.000589920902801607]
_STIRLING += [0.0007935232269936175, -0.002777776635613616, 0.0833333333316663]
_HALF_LOG = 0.5 * (math.log(2 * math.pi) - 1.0)
_DESCENT = [-0.00705393184346133, 0.006049847394159874, -0.0040708619943402]
_DESCENT += [0.003965012051201686, -0.008333281411405168, 0.08333333305276738]

# In r^2, r up to 1/2: of sin(pi r) / (pi r), and of (1 / r - pi / tan(pi r)) / r.
_SINE_OF_SINGLE = [0.00014234829551948574, -0.002343965582236734, 0.02614748033009438]
_SINE_OF_SINGLE += [-0.19075179114950436, 0.8117424238642568, -1.6449340668250951]
_SINE_OF_SINGLE += [0.9999999999999375]
_COTANGENT_OF_SINGLE = [9.956279651852244, -4.44506638866079, 4.617306704662782]
_COTANGENT_OF_SINGLE += [1.3645468451675842, 2.0983027036125055, 1.9906861965058058]
_COTANGENT_OF_SINGLE += [2.002612777285007, 2.0081306139877904, 2.034686639536212]
_COTANGENT_OF_SINGLE += [2.164646462341842, 3.289868133711231]

# Of (log((1 + r) / (1 - r)) / r - 2) / r^2 in r^2, r up to (sqrt(2) - 1) / (sqrt(2) + 1).
_LOGARITHM_OF_SINGLE = [0.1682048031112376, 0.18123589967643255, 0.22223373234579663]
_LOGARITHM_OF_SINGLE += [0.28571417109214275, 0.40000000052391615, 0.6666666666658699]
_HALF_ROOT = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)


def lgamma(s: Series, x: Value) -> Value:
    """log |gamma(x)|."""
    f = s.f
    u = _distance(s, x)

    def near() -> Value:
        ratio = s.ratio(tables.LGAMMA_SMALL[s.precision], u)
        return 0.0 - u * (1.0 - u) * ratio  # 0, not -0, at 1

    value = s.chosen(u <= 2.0, near, lambda: stirling(s, u + 1.0))

    def below() -> Value:
        fraction, is_pole = _fraction(s, x, u)
        # |gamma(-a)| gamma(1 + a) = pi / |sin(pi a)|
        sine = f.intrinsic("fabs", _sine(s, fraction))
        is_positive = x > 0.0
        signed = s.select(is_positive, value, -value)
        result = signed - logarithm(s, s.select(is_positive, u, sine))
        return s.select(is_pole, s.constant(math.inf, x), result)

    value = _unless_above(s, x, value, below)
    return s.select(f.intrinsic("fabs", x) == math.inf, s.constant(math.inf, x), value)


def stirling(s: Series, y: Value) -> Value:
    """log gamma(y), y from 3 on."""
    f = s.f
    inverse = 1.0 / y
    square = inverse * inverse
    if s.is_single:
        rest = s.powers(square, _STIRLING)
    else:
        rest = s.ratio(tables.LGAMMA_LARGE["f64"], square)
    rest = f.fma(rest, inverse, s.constant(_HALF_LOG, y))
    return f.fma(y - 0.5, logarithm(s, y) - 1.0, rest)


def digamma(s: Series, x: Value) -> Value:
    """The derivative of log gamma(x); NaN at its poles."""
    f = s.f
    u = _distance(s, x)

    def near() -> Value:
        root, low = tables.DIGAMMA_ROOT
        return ((u - root) - low) * s.ratio(tables.DIGAMMA_SMALL[s.precision], u)

    def far() -> Value:
        y = u + 1.0
        inverse = 1.0 / y
        square = inverse * inverse
        if s.is_single:
            rest = s.powers(square, _DESCENT)
        else:
            rest = s.ratio(tables.DIGAMMA_LARGE["f64"], square)
        rest = f.fma(rest, inverse, s.constant(0.5, x))
        result = f.fma(-rest, inverse, logarithm(s, y))
        return s.select(y == math.inf, y, result)

    value = s.chosen(u <= 2.0, near, far)

    def below() -> Value:
        fraction, is_pole = _fraction(s, x, u)
        # digamma(x) = digamma(1 + x) - 1 / x; digamma(-a) = digamma(1 + a) + pi / tan(pi a)
        is_positive = x > 0.0
        inverse = s.select(is_positive, -1.0 / u, _cotangent(s, fraction))
        result = value + inverse
        return s.select(is_pole, s.constant(math.nan, x), result)

    return _unless_above(s, x, value, below)


def _distance(s: Series, x: Value) -> Value:
    """u >= 0 such that the functions are known at x from their values at 1 + u."""
    return s.select(x < 1.0, s.f.intrinsic("fabs", x), x - 1.0)


def _fraction(s: Series, x: Value, u: Value) -> tuple[Value, Value]:
    """What u is more than the nearest whole number, and whether x is a pole."""
    fraction = u - s.f.intrinsic("rint", u)
    return fraction, (x <= 0.0) & (fraction == 0.0)


def _sine(s: Series, fraction: Value) -> Value:
    """sin(pi r) / pi of a number of at most 1/2."""
    if s.is_single:
        return fraction * s.powers(fraction * fraction, _SINE_OF_SINGLE)
    return trigonometry.sin(s, fraction * math.pi) * (1 / math.pi)


def _cotangent(s: Series, fraction: Value) -> Value:
    """pi / tan(pi r) of a number of at most 1/2."""
    if s.is_single:
        rest = s.powers(fraction * fraction, _COTANGENT_OF_SINGLE)
        return s.f.fma(-rest, fraction, 1.0 / fraction)
    return math.pi / trigonometry.tan(s, fraction * math.pi)


def _unless_above(s: Series, x: Value, value: Value, below: Callable[[], Value]) -> Value:
    """``value`` from 1 on."""
    f = s.f
    is_below = x < 1.0
    any_below = f.reduce("or", is_below)
    (result,) = f.if_(any_below, lambda: s.select(is_below, below(), value), lambda: value)
    return result


def logarithm(s: Series, x: Value) -> Value:
    """That of a positive number which is not denormal, where results are f32."""
    if not s.is_single:
        return exponentials.log(s, x)
    f = s.f
    shifted = s.bits(x) + (0x3FF0000000000000 - _HALF_ROOT)
    k = f.op("ashr", shifted, f.immediate(52, shifted.type)) - 1023
    mantissa = (shifted & 0x000FFFFFFFFFFFFF) + _HALF_ROOT
    part = mantissa.to("bitcast", "f64") - 1.0
    ratio = part / (part + 2.0)
    square = ratio * ratio
    value = f.fma(s.powers(square, _LOGARITHM_OF_SINGLE), square * ratio, ratio + ratio)
    return f.fma(k.to("sitofp", "f64"), s.constant(math.log(2), x), value)
