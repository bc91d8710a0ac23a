"""Bessel functions."""

from __future__ import annotations

from shlo_tools.codegen.library.maths import tables
from shlo_tools.passes.normalize.legalize_chlo.formula import (
    Term,
    abs,
    minimum,
    polynomial,
    ratio,
    select,
    sign,
    sqrt,
)
from shlo_tools.passes.normalize.legalize_chlo.rules import Precision, real


@real(f32_in="f64")
def bessel_i1e(precision: Precision, x: Term) -> Term:
    # a P(a) / Q(a) up to a = |x| = 8, beyond P(16 / a - 1) / sqrt(a)
    a = abs(x)
    near = a * ratio(tables.I1E_SMALL[precision], minimum(a, 8.0))
    far = polynomial(tables.I1E_LARGE[precision], 16.0 / a - 1.0) / sqrt(a)
    return sign(x) * select(a <= 8.0, near, far)
