"""Inverse trigonometric and hyperbolic functions of reals.

Small arguments go through odd polynomials; where two formulas meet, each is good on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from shlo_tools.codegen.library.maths import tables
from shlo_tools.passes.normalize.legalize_chlo.formula import (
    Term,
    abs,
    atan2,
    exp,
    log,
    log1p,
    polynomial,
    select,
    sign,
    sqrt,
)
from shlo_tools.passes.normalize.legalize_chlo.rules import Precision, real

LN2 = 0.6931471805599453

# Beyond, x^2 + 1 and x^2 - 1 are x^2 in the precision.
FAR = {"f32": 2.0**13, "f64": 2.0**28}

# Below the largest number whose exponential is finite.
EXP_LIMIT = {"f32": 88.0, "f64": 709.0}

# Up to here asin is a polynomial, and beyond 2 asin(sqrt((1 - a) / 2)) is below 1.
CENTRAL = 0.5405

# pi / 2 rounded, and the rest.
HALF_PI = {
    "f32": (1.57079637050628662109375, -4.37113900018624283e-8),
    "f64": (1.57079632679489655799898, 6.12323399573676603587e-17),
}


def odd(coefficients: Sequence[float], s: Term) -> Term:
    """s + s z P(z) with z = s^2."""
    z = s * s
    return s + s * (z * polynomial(coefficients, z))


@real(f32_in="f32")
def acos(precision: Precision, x: Term) -> Term:
    # pi/2 - asin(x); near 1, acos(x) = 2 asin(sqrt((1 - x) / 2)); near -1, pi - acos(-x)
    a = abs(x)
    central = a <= CENTRAL
    arc = odd(tables.ASIN[precision], select(central, x, sqrt(0.5 - 0.5 * a)))
    outer = 2.0 * arc
    return select(central, pi / 2 - arc, select(x < 0.0, pi - outer, outer))


@real(f32_in="f32")
def asin(precision: Precision, x: Term) -> Term:
    # beyond, asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)) with a = |x|; NaN beyond 1
    a = abs(x)
    central = a <= CENTRAL
    arc = odd(tables.ASIN[precision], select(central, a, sqrt(0.5 - 0.5 * a)))
    high, low = HALF_PI[precision]
    return sign(x) * select(central, arc, high - (2.0 * arc - low))


@real(f32_in="f32")
def atan(precision: Precision, x: Term) -> Term:
    return atan2(x, 1.0)


@real(f32_in="f32")
def acosh(precision: Precision, x: Term) -> Term:
    # 2 asinh(sqrt(t / 2)) with t = x - 1; log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2t + t^2))
    t = x - 1.0
    near = 2.0 * odd(tables.ASINH[precision], sqrt(0.5 * t))
    middle = log1p(t + sqrt(2.0 * t + t * t))
    value = select(t <= 0.5, near, middle)
    return select(x > FAR[precision], log(x) + LN2, value)


@real(f32_in="f32")
def asinh(precision: Precision, x: Term) -> Term:
    # log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|
    a = abs(x)
    square = a * a
    middle = log1p(a + square / (1.0 + sqrt(square + 1.0)))
    value = select(a <= 0.5, odd(tables.ASINH[precision], a), middle)
    return sign(x) * select(a > FAR[precision], log(a) + LN2, value)


@real(f32_in="f32")
def atanh(precision: Precision, x: Term) -> Term:
    # log((1 + a) / (1 - a)) / 2 = log1p(2a / (1 - a)) / 2 with a = |x|
    a = abs(x)
    outer = 0.5 * log1p(2.0 * a / (1.0 - a))
    return sign(x) * select(a <= 0.5, odd(tables.ATANH[precision], a), outer)


@real(f32_in="f32")
def cosh(precision: Precision, x: Term) -> Term:
    # (e^a + e^-a) / 2 with a = |x|
    a = abs(x)
    power = exp(a)
    return select(a < EXP_LIMIT[precision], 0.5 * power + 0.5 / power, _half_exp(a))


@real(f32_in="f32")
def sinh(precision: Precision, x: Term) -> Term:
    # (e^a - e^-a) / 2 with a = |x|
    a = abs(x)
    power = exp(a)
    outer = select(a < EXP_LIMIT[precision], 0.5 * power - 0.5 / power, _half_exp(a))
    return sign(x) * select(a <= 1.0, odd(tables.SINH[precision], a), outer)


def _half_exp(a: Term) -> Term:
    """e^a / 2, infinite no sooner than that is."""
    root = exp(0.5 * a)
    return 0.5 * root * root
