"""The error function of f32, and what it lacks to 1."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import single
from shlo_tools.codegen.library.maths.series import Series

# Least errors relative to the function: of erf(x) / x - 1 in x^2, x up to 1, and of log(erfc(x)),
# x from 1 to 4, where erf is 1.
_NEAR = [7.889119520309754e-05, -0.000802084127625493, 0.005189535338928042]
_NEAR += [-0.026854444591673413, 0.11283600176250726, -0.3761262713596501, 0.12837916591375115]
_REST = [0.00018638008417817305, -0.0029476667957770647, 0.021838096964580563]
_REST += [-0.10310682136175994, -0.6381447581843213, -1.1270892337680214, -0.0003415125925796403]
_ONE = 4.0

# The same of erfc(x) e^(x^2) (1 + 2 x) in (x - 15/4) / (x + 15/4), x from 0 until erfc is 0 in f32.
_COMPLEMENT = [-0.00020232060149036758, 0.000504750855945356, 0.001822148520400984]
_COMPLEMENT += [-0.009836898007612754, 0.02831057767523971, -0.05868080512495379]
_COMPLEMENT += [0.09231482745969077, -0.1088044861610919, 0.08227596087097663]
_COMPLEMENT += [0.0035854194149178495, -0.14024058285493834, 1.2375126308270876]
_CENTER, _ZERO = 3.75, 10.5
_ROUNDING = 1.5 * 2.0**52  # added to a number it leaves the nearest whole one in the last bits
_ONE_BITS = 0x3FF0000000000000


def erf(s: Series, x: Value) -> Value:
    """x + x p(x^2) up to 1, and 1 - e^q(|x|) beyond; computed in f32."""
    f = s.f
    size = f.intrinsic("fabs", x)
    near = f.fma(s.horner(x * x, _NEAR), size, size)
    inside = s.select(size > _ONE, s.constant(_ONE, x), size)
    far = 1.0 - single.power_above_zero(s, s.horner(inside, _REST))
    return f.intrinsic("copysign", s.select(size < 1.0, near, far), x)


def erfc(s: Series, x: Value) -> Value:
    """e^(-x^2) p(t) / (1 + 2 |x|), below 0 what that lacks to 2; computed in f64."""
    f = s.f
    size = f.intrinsic("fabs", x)
    size = s.select(size > _ZERO, s.constant(_ZERO, x), size)
    slope = f.fma(size, s.constant(2.0, x), s.constant(1.0, x))
    beyond = size + _CENTER
    inverse = 1.0 / (beyond * slope)
    t = (size - _CENTER) * (slope * inverse)
    tail = s.horner(t, _COMPLEMENT) * (beyond * inverse) * _power(s, -(size * size))
    return s.select(x < 0.0, 2.0 - tail, tail)


def _power(s: Series, x: Value) -> Value:
    """e^x of an f64 from -700 to 0, within 2^-28."""
    f = s.f
    shifted = f.fma(x, s.constant(math.log2(math.e), x), s.constant(_ROUNDING, x))
    r = f.fma(shifted - _ROUNDING, s.constant(-math.log(2), x), x)
    scale = (s.bits(shifted) << 52) + _ONE_BITS
    return (s.exponential_less_one(r) + 1.0) * scale.to("bitcast", "f64")
