"""The error function of f64, what it lacks to 1, and its inverse."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import exponentials, tables
from shlo_tools.codegen.library.maths.series import Series

_CENTER, _ZERO = 3.75, 28.0  # beyond, erfc is 0
_NEAR = 5.0  # of the inverse's two fits


def erf(s: Series, x: Value) -> Value:
    """A fit up to 1, and 1 - erfc beyond."""
    f = s.f
    size = f.intrinsic("fabs", x)
    value = s.chosen(size <= 1.0, lambda: _near(s, size), lambda: 1.0 - _tail(s, size))
    return f.intrinsic("copysign", value, x)


def erfc(s: Series, x: Value) -> Value:
    """1 - erf where that is at least 1/2; below 0 what is lacking to 2."""
    size = s.f.intrinsic("fabs", x)

    def outer() -> Value:
        tail = _tail(s, size)
        return s.select(x < 0.0, 2.0 - tail, tail)

    return s.chosen(size <= 0.5, lambda: 1.0 - _near(s, x), outer)


def _near(s: Series, x: Value) -> Value:
    return s.f.fma(s.polynomial(tables.ERF["f64"], x * x), x, x)


def _tail(s: Series, size: Value) -> Value:
    """erfc from 1/2 on: e^(-x^2) P(t) / (1 + 2 x), t = (x - 15/4) / (x + 15/4)."""
    f = s.f
    size = s.select(size > _ZERO, s.constant(_ZERO, size), size)  # NaN stays
    square, rest = s.product(size, size)
    power = exponentials.exp(s, -square, -rest)
    slope = f.fma(size, s.constant(2.0, size), s.constant(1.0, size))
    t = (size - _CENTER) / (size + _CENTER)
    return power * (s.polynomial(tables.ERFC["f64"], t) / slope)


def erf_inv(s: Series, x: Value) -> Value:
    """x times a function of w = -log(1 - x^2); infinite at 1, NaN beyond."""
    f = s.f
    size = f.intrinsic("fabs", x)
    w = -exponentials.log(s, (1.0 - size) * (size + 1.0))
    factor = s.chosen(
        w <= _NEAR,
        lambda: s.ratio(tables.ERF_INV_CENTRAL_RATIO["f64"], w),
        lambda: s.ratio(tables.ERF_INV_TAIL_RATIO["f64"], w),
    )
    return s.select(size == 1.0, x * math.inf, x * factor)
