"""Functions of bf16: operands and results in f32, to the digits that their rounding leaves.

A fit with a least error of 2^-16 is off by a hundredth of a unit of bf16, so some results would be
rounded to the wrong side. Coefficients are moved by less than that error, until none is: of all
65,536 operands results are the nearest bf16.
"""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import angles
from shlo_tools.codegen.library.maths.exponents import (
    LEAST,
    MOST,
    ROUNDING,
    clamped,
    logarithm_of,
    power_of_two,
    scaled,
    split,
)
from shlo_tools.codegen.library.maths.series import Series

_SMALL = 0.25  # numbers up to there lose digits when 1 is added

# Of (e^r - 1) / r, r up to ln 2 / 2, and of log(1 + r) / r, r from -1/4 to 1/2.
_EXPONENTIAL = [0.008338, 0.041875, 0.16667, 0.499994, 0.999999]
_LOGARITHM = [-0.10548, 0.20463, -0.25613, 0.333533, -0.499867, 0.999995]
# Of sin(r) / r in r^2, r up to pi / 2.
_SINE = [-0.00018488, 0.0083119, -0.1666555, 0.999999]
# pi, whose first part has few digits. Both are positive, so that -0 stays.
_HALF_TURN = [float.fromhex(part) for part in ("0x1.921fb4p+1", "0x1.4442d2p-23")]
# Quotients in x^2, tanh(x) / x up to 5.5 and erf(x) / x up to 3.2. Beyond, both are 1 in bf16.
_TANH, _UNDER_TANH = [0.0015761, 0.11575, 1.0], [6.0291e-05, 0.017964, 0.44905, 1.0]
_ERF, _UNDER_ERF = [0.0007539, 0.043278, 0.15398, 1.128379], [0.0093278, 0.094817, 0.46983, 1.0]
# Quotient in x, erfc(x) e^(x^2) from 0 to 10.5. Beyond, erfc is 0 in bf16.
_ERFC, _UNDER_ERFC = [0.086103, 0.44967, 0.99099, 0.999995], [0.15263, 0.79631, 1.8411, 2.1194, 1.0]
_ZERO = 10.5


def exp(s: Series, x: Value) -> Value:
    """2^n e^r; what is 0 does not underflow, which takes processors several times as long."""
    shifted, r = _reduced(s, clamped(s, x, LEAST, MOST))
    value = s.f.fma(s.powers(r, _EXPONENTIAL), r, s.constant(1.0, x))
    return scaled(s, s.select(x < LEAST, s.constant(0.0, x), value), shifted - ROUNDING)


def expm1(s: Series, x: Value) -> Value:
    """Twice 2^(n-1) (e^r - 1) + 2^(n-1) - 1/2."""
    shifted, r = _reduced(s, clamped(s, x, -18.0, MOST))
    scale = power_of_two(shifted.to("bitcast", "i32") - 1)
    value = s.f.fma(scale, s.powers(r, _EXPONENTIAL) * r, scale - 0.5)
    return s.f.intrinsic("copysign", value + value, x)


def _reduced(s: Series, x: Value) -> tuple[Value, Value]:
    """x = n ln 2 + r: n + ``ROUNDING``, and r of at most ln 2 / 2."""
    shifted = s.f.fma(x, s.constant(math.log2(math.e), x), s.constant(ROUNDING, x))
    return shifted, s.f.fma(shifted - ROUNDING, s.constant(-math.log(2), x), x)


def log(s: Series, x: Value) -> Value:
    """k ln 2 + log(1 + part)."""
    k, part = split(s, x)
    return logarithm_of(s, x, _logarithm(s, k, part))


def log1p(s: Series, x: Value) -> Value:
    """As the logarithm, but for the digits of x that 1 + x lacks."""
    near = x + 1.0
    k, part = split(s, near)
    part = s.select(s.f.intrinsic("fabs", x) < _SMALL, x, part)
    value = logarithm_of(s, near, _logarithm(s, k, part))
    return s.f.intrinsic("copysign", value, x)


def _logarithm(s: Series, k: Value, part: Value) -> Value:
    rest = s.powers(part, _LOGARITHM) * part
    return s.f.fma(k, s.constant(math.log(2), part), rest)


def logistic(s: Series, x: Value) -> Value:
    """1 / (1 + e^-|x|), and e^-|x| times that below 0."""
    power = exp(s, -s.f.intrinsic("fabs", x))
    return s.select(x < 0.0, power, s.constant(1.0, x)) / (power + 1.0)


def tanh(s: Series, x: Value) -> Value:
    return _quotient(s, x, 5.5, _TANH, _UNDER_TANH)


def erf(s: Series, x: Value) -> Value:
    return _quotient(s, x, 3.2, _ERF, _UNDER_ERF)


def erfc(s: Series, x: Value) -> Value:
    """e^(-x^2) P(x) / Q(x), below 0 what that lacks to 2; squares of bf16 are exact."""
    size = s.f.intrinsic("fabs", x)
    size = s.select(size > _ZERO, s.constant(_ZERO, x), size)
    over = s.powers(size, _ERFC) * exp(s, -(size * size))
    tail = over / s.powers(size, _UNDER_ERFC)
    return s.select(x < 0.0, 2.0 - tail, tail)


def _quotient(s: Series, x: Value, one: float, over: list[float], under: list[float]) -> Value:
    """x P(x^2) / Q(x^2) of a number clamped to where that is 1."""
    inside = clamped(s, x, -one, one)
    square = inside * inside
    return inside * s.powers(square, over) / s.powers(square, under)


def sin(s: Series, x: Value) -> Value:
    """Of the rest of multiples of pi, with the other sign where they are odd."""
    shifted = s.f.fma(x, s.constant(1 / math.pi, x), s.constant(ROUNDING, x))
    value = _sine(s, x, shifted - ROUNDING, shifted)
    return angles.or_far(s, "sin", x, value)


def cos(s: Series, x: Value) -> Value:
    """The sine of a quarter of a turn more."""
    shifted = s.f.fma(x, s.constant(1 / math.pi, x), s.constant(0.5, x)) + ROUNDING
    value = _sine(s, x, shifted - ROUNDING - 0.5, shifted)
    return angles.or_far(s, "cos", x, value)


def _sine(s: Series, x: Value, n: Value, shifted: Value) -> Value:
    """sin(x - n pi), negated where the last bit is set."""
    f = s.f
    high, low = (s.constant(-part, x) for part in _HALF_TURN)
    r = f.fma(n, low, f.fma(n, high, x))
    value = s.powers(r * r, _SINE) * r
    return angles.turned(s, shifted.to("bitcast", "i32") << 31, value)
