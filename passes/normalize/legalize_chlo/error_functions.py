"""The error function, its complement and its inverse."""

from __future__ import annotations

from shlo_tools.codegen.library.maths import tables
from shlo_tools.passes.normalize.legalize_chlo.formula import (
    Term,
    abs,
    exp,
    log,
    minimum,
    polynomial,
    ratio,
    select,
    sign,
    sqrt,
)
from shlo_tools.passes.normalize.legalize_chlo.rules import Precision, real

# Beyond, erfc(x) is 0.
VANISHES = {"f32": 10.5, "f64": 28.0}


def _erf_small(precision: Precision, x: Term) -> Term:
    return x + x * polynomial(tables.ERF[precision], x * x)


@real(f32_in="f32")
def erf(precision: Precision, x: Term) -> Term:
    # beyond 1, 1 - erfc(a) with a = |x|
    a = abs(x)
    if precision == "f32":  # erf(4) is 1 already
        rest = exp(polynomial(tables.LOG_ERFC[precision], minimum(a, 4.0)))
    else:
        rest = _erfc_tail(precision, a)
    return select(a <= 1.0, _erf_small(precision, x), sign(x) * (1.0 - rest))


@real(f32_in="f64")
def erfc(precision: Precision, x: Term) -> Term:
    # 1 - erf(x) where that is at least 1/2; erfc(-a) = 2 - erfc(a)
    a = abs(x)
    tail = _erfc_tail(precision, a)
    outer = select(x < 0.0, 2.0 - tail, tail)
    return select(a <= 0.5, 1.0 - _erf_small(precision, x), outer)


def _erfc_tail(precision: Precision, a: Term) -> Term:
    # exp(-a^2) = exp(-s) (1 - e), where s + e is a^2 and s its rounding
    a = minimum(a, VANISHES[precision])
    square = a * a
    power = exp(-square)
    if precision == "f64":  # f32 is computed in f64, where e does not count
        power = power - power * _square_rest(a, square)
    center = (a - 3.75) / (a + 3.75)
    return power * (polynomial(tables.ERFC[precision], center) / (1.0 + 2.0 * a))


def _square_rest(a: Term, square: Term) -> Term:
    # a^2 - square exactly (Dekker): a = high + low with 26 bits each
    spread = a * (2.0**27 + 1.0)
    high = spread - (spread - a)
    low = a - high
    return (high * high - square) + 2.0 * high * low + low * low


@real(f32_in="f32")
def erf_inv(precision: Precision, x: Term) -> Term:
    # x times a function of w = -log(1 - x^2), which is infinite at 1 and NaN beyond
    a = abs(x)
    w = -log((1.0 - a) * (1.0 + a))
    if precision == "f32":
        central = polynomial(tables.ERF_INV_CENTRAL[precision], w)
        tail = polynomial(tables.ERF_INV_TAIL[precision], sqrt(w) - 3.0)
    else:
        central = ratio(tables.ERF_INV_CENTRAL_RATIO[precision], w)
        tail = ratio(tables.ERF_INV_TAIL_RATIO[precision], w)
    value = x * select(w <= 5.0, central, tail)
    return select(a == 1.0, x * float("inf"), value)
