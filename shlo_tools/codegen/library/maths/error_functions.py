"""The error function of f32, what it lacks to 1, and its inverse."""

from __future__ import annotations

import math

from shlo_tools.codegen import target
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import piece_tables, single, tabulated
from shlo_tools.codegen.library.maths.exponents import split
from shlo_tools.codegen.library.maths.series import Series

# Least errors relative to the function: of erf(x) / x - 1 in x^2, x up to 1, and of log(erfc(x)),
# x from 1 to 4, where erf is 1.
_NEAR = [7.889119520309754e-05, -0.000802084127625493, 0.005189535338928042]
_NEAR += [-0.026854444591673413, 0.11283600176250726, -0.3761262713596501, 0.12837916591375115]
_REST = [0.00018638008417817305, -0.0029476667957770647, 0.021838096964580563]
_REST += [-0.10310682136175994, -0.6381447581843213, -1.1270892337680214, -0.0003415125925796403]
_ONE = 4.0

# The same of erfc(x) e^(x^2), a quotient in x, from 0 until erfc is 0 in f32.
_COMPLEMENT = [-4.9200671155133776e-08, 0.028403186910321947, 0.20733994557810706]
_COMPLEMENT += [0.6844064682635836, 1.1914690359629454, 1.000000002305494]
_UNDER = [0.05033943627357823, 0.3675767094864543, 1.2373818058687256]
_UNDER += [2.3020708710517694, 2.31984845086567, 1.0]
_ZERO = 10.5
# Of e^r: distances, which count half from 0.2345 on, as e^q is smaller for such r.
_POWER_OF_SINGLE = [0.008297187276184559, 0.04190605506300926, 0.16667471826076508]
_POWER_OF_SINGLE += [0.4999900460243225, 0.9999998211860657, 1.0]
# Least relative errors of e^r, r up to ln 2 / 2.
_POWER = [0.0013836841445695708, 0.008374816116846269, 0.04166822566856345]
_POWER += [0.16666420166217294, 0.49999992079295985, 1.000000036323973, 1.000000000554206]
# The same of erf_inv(x) / x in w = -log(1 - x^2) up to 5, and in sqrt(w) - 3 up to w = 17.
_INVERSE = [-8.791138480444746e-09, 2.210329094740716e-07, -1.9764803794406288e-06]
_INVERSE += [3.983316170707901e-06, 4.456504460397191e-05, -0.00012748146699199397]
_INVERSE += [-0.002334296230209603, 0.011548653849001464, 0.23201381806457874, 0.8862269204924058]
_INVERSE_FAR = [0.00011010110296632248, -0.00030436510186597455, -4.8676989073061665e-05]
_INVERSE_FAR += [0.0014786527205027634, -0.00360164102494494, 0.005689406047566754]
_INVERSE_FAR += [-0.007636390572252362, 0.009445007542503814, 1.0016749118604067, 2.832976805704254]
_INVERSE_NEAR = 5.0
_ROUNDING = 1.5 * 2.0**52  # added to a number it leaves the nearest whole one in the last bits


def erf(s: Series, x: Value) -> Value:
    """x + x p(x^2) up to 1, and 1 - e^q(|x|) beyond, a small power; computed in f32."""
    if target.host().looks_up:
        return tabulated.odd(s, piece_tables.ERF, piece_tables.ERF_FIRST, x, is_beside=True)
    f = s.f
    size = f.intrinsic("fabs", x)
    near = f.fma(s.powers(x * x, _NEAR), size, size)
    inside = s.select(size > _ONE, s.constant(_ONE, x), size)
    far = 1.0 - _small_power(s, s.powers(inside, _REST))
    return f.intrinsic("copysign", s.select(size < 1.0, near, far), x)


def _small_power(s: Series, x: Value) -> Value:
    """e^x from -80 to 0, within 2^-22."""
    scale, r = single.nearly_reduced(s, x)
    return s.powers(r, _POWER_OF_SINGLE) * scale


def erfc(s: Series, x: Value) -> Value:
    """e^(-x^2) P(|x|) / Q(|x|), below 0 what that lacks to 2; computed in f64."""
    size = s.f.intrinsic("fabs", x)
    size = s.select(size > _ZERO, s.constant(_ZERO, x), size).to("fpext", "f64")
    over = s.powers(size, _COMPLEMENT) * _power(s, -(size * size))
    tail = over / s.powers(size, _UNDER)
    return s.select(x < 0.0, 2.0 - tail, tail).to("fptrunc", "f32")


def _power(s: Series, x: Value) -> Value:
    """e^x of an f64 from -700 to 0, within 2^-29."""
    f = s.f
    shifted = f.fma(x, s.constant(math.log2(math.e), x), s.constant(_ROUNDING, x))
    r = f.fma(shifted - _ROUNDING, s.constant(-math.log(2), x), x)
    near = s.powers(r, _POWER)
    return (s.bits(near) + (s.bits(shifted) << 52)).to("bitcast", "f64")


def erf_inv(s: Series, x: Value) -> Value:
    """x times a fit in w = -log(1 - x^2), or beyond 5 in sqrt(w) - 3; computed in f32."""
    f = s.f
    missing = f.fma(-x, x, s.constant(1.0, x))
    k, part = split(s, missing, is_normal=True)
    w = -single.logarithm(s, k, part)
    central = s.powers(w, _INVERSE)
    is_far = w > _INVERSE_NEAR

    def far() -> Value:
        root = f.intrinsic("sqrt", w) - 3.0
        return s.select(is_far, s.powers(root, _INVERSE_FAR), central)

    (factor,) = f.if_(f.reduce("or", is_far), far, lambda: central)
    size = f.intrinsic("fabs", x)
    end = s.select(size == 1.0, s.constant(math.inf, x), math.nan)
    return s.select(size < 1.0, x * factor, f.intrinsic("copysign", end, x))
