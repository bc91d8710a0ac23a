"""Bessel functions, computed in f64."""

from __future__ import annotations

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import tables
from shlo_tools.codegen.library.maths.series import Series

_END = 8.0


def bessel_i1e(s: Series, x: Value) -> Value:
    """e^-|x| I1(x): x P(x) / Q(x), and beyond P(16 / x - 1) / sqrt(x)."""
    f = s.f
    size = f.intrinsic("fabs", x)

    def near() -> Value:
        inside = f.intrinsic("minnum", size, s.constant(_END, x))
        return size * s.ratio(tables.I1E_SMALL[s.precision], inside)

    def far() -> Value:
        inverse = 1.0 / size
        place = f.fma(inverse, s.constant(2 * _END, x), s.constant(-1.0, x))
        return s.polynomial(tables.I1E_LARGE[s.precision], place) * f.intrinsic("sqrt", inverse)

    return f.intrinsic("copysign", s.chosen(size <= _END, near, far), x)
