"""Hyperbolic functions of f64 and their inverses; near 0 they are fits."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import exponentials, tables
from shlo_tools.codegen.library.maths.series import Series

_ENDLESS = 711.0  # the powers of what is above are infinite, and half of them
_FAR = 2.0**28  # from there on 1 is nothing beside the square


def sinh(s: Series, x: Value) -> Value:
    """(e^x - e^-x) / 2."""
    f = s.f
    size = f.intrinsic("fabs", x)
    half, inverse = _half_powers(s, size)
    value = s.select(size <= 1.0, s.odd(tables.SINH["f64"], size), half - inverse)
    return f.intrinsic("copysign", s.select(x.compare("uno", x), x, value), x)


def cosh(s: Series, x: Value) -> Value:
    """(e^x + e^-x) / 2."""
    half, inverse = _half_powers(s, s.f.intrinsic("fabs", x))
    return s.select(x.compare("uno", x), x, half + inverse)


def _half_powers(s: Series, size: Value) -> tuple[Value, Value]:
    """e^x / 2, infinite no sooner than that is, and e^-x / 2; of NaN they are numbers."""
    n, r = s.reduced(s.clamped(size, 0.0, _ENDLESS))
    first = s.f.op("ashr", n, s.f.immediate(1, n.type))
    value = (s.exponential_less_one(r) + 1.0) * s.power_of_two(first)
    half = value * s.power_of_two(n - first - 1)
    return half, 0.25 / half


def asinh(s: Series, x: Value) -> Value:
    """log(x + sqrt(x^2 + 1)), as log1p(x + x^2 / (1 + sqrt(x^2 + 1)))."""
    f = s.f
    size = f.intrinsic("fabs", x)
    square = size * size
    root = f.intrinsic("sqrt", square + 1.0)
    middle = _logarithm(s, size, size + square / (root + 1.0))
    return f.intrinsic(
        "copysign", s.select(size <= 0.5, s.odd(tables.ASINH["f64"], size), middle), x
    )


def acosh(s: Series, x: Value) -> Value:
    """log(x + sqrt(x^2 - 1)); near 1 as 2 asinh(sqrt((x - 1) / 2)), below as NaN."""
    f = s.f
    less = x - 1.0
    near = s.odd(tables.ASINH["f64"], f.intrinsic("sqrt", less * 0.5))
    root = f.intrinsic("sqrt", f.fma(less, less, less + less))
    return s.select(less <= 0.5, near + near, _logarithm(s, x, less + root))


def _logarithm(s: Series, x: Value, less: Value) -> Value:
    """log(1 + less), which is log(2 x) of what is far from 0."""
    is_far = x > _FAR
    more = s.select(is_far, s.constant(math.log(2), x), 0.0)
    return exponentials.log1p(s, s.select(is_far, x - 1.0, less)) + more


def atanh(s: Series, x: Value) -> Value:
    """log((1 + x) / (1 - x)) / 2, as log1p(2 x / (1 - x)) / 2."""
    f = s.f
    size = f.intrinsic("fabs", x)
    value = exponentials.log1p(s, (size + size) / (1.0 - size)) * 0.5
    value = s.select(size <= 0.5, s.odd(tables.ATANH["f64"], size), value)
    return f.intrinsic("copysign", value, x)
