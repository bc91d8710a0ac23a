"""The gamma function's logarithm and its derivatives, and Hurwitz' zeta function."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nan, pi, sqrt
from typing import cast

from shlo_tools import ops
from shlo_tools.codegen.library.maths import tables
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.legalize_chlo import formula as f
from shlo_tools.passes.normalize.legalize_chlo.formula import Term, constant, floor, ratio, select
from shlo_tools.passes.normalize.legalize_chlo.rules import Precision, real

# How many terms of zeta's sum are taken before its tail is estimated.
ZETA_TERMS = {"f32": 6, "f64": 10}

# Beyond this exponent only the first terms of zeta's sum count.
ZETA_STEEP = 300.0


def _distance_from_one(x: Term) -> Term:
    """u >= 0 such that the functions are known at x from their values at 1 + u.

    lgamma(x) = lgamma(1 + x) - log(x), and reflection leads from -a to 1 + a.
    """
    return select(x < 1.0, f.abs(x), x - 1.0)


def _fraction(a: Term) -> Term:
    """a minus the nearest integer, exactly."""
    rest = a - floor(a)
    return select(rest > 0.5, rest - 1.0, rest)


@real(f32_in="f64")
def lgamma(precision: Precision, x: Term) -> Term:
    u = _distance_from_one(x)
    y = u + 1.0
    small = 0.0 - u * (1.0 - u) * ratio(tables.LGAMMA_SMALL[precision], u)  # 0, not -0, at 1
    # Stirling's formula and what it leaves
    rest = ratio(tables.LGAMMA_LARGE[precision], 1.0 / (y * y)) / y
    large = (y - 0.5) * (f.log(y) - 1.0) + (0.5 * (log(2 * pi) - 1.0) + rest)
    value = select(u <= 2.0, small, large)
    # |gamma(-a)| gamma(1 + a) = pi / |sin(pi a)|
    fraction = _fraction(u)
    sine = f.abs(f.sin(pi * fraction)) * (1.0 / pi)
    positive = x > 0.0
    below_one = select(positive, value, -value) - f.log(select(positive, u, sine))
    pole = (x <= 0.0) & (fraction == 0.0)  # where both terms may be infinite
    infinite = pole | (f.abs(x) == inf)
    return select(infinite, inf, select(x < 1.0, below_one, value))


@real(f32_in="f64")
def digamma(precision: Precision, x: Term) -> Term:
    u = _distance_from_one(x)
    y = u + 1.0
    high, low = tables.DIGAMMA_ROOT
    small = ((u - high) - low) * ratio(tables.DIGAMMA_SMALL[precision], u)
    z = 1.0 / (y * y)
    large = f.log(y) - 0.5 / y - z * ratio(tables.DIGAMMA_LARGE[precision], z)
    value = select(u <= 2.0, small, large)
    # digamma(x) = digamma(1 + x) - 1 / x; digamma(-a) = digamma(1 + a) + pi / tan(pi a)
    fraction = _fraction(u)
    cotangent = pi / f.tan(pi * fraction)
    below_one = value + select(x > 0.0, -1.0 / u, cotangent)
    pole = (x <= 0.0) & (fraction == 0.0)
    return select(pole, nan, select(x < 1.0, below_one, value))


@real(f32_in="f64")
def polygamma(precision: Precision, n: Term, x: Term) -> Term:
    # (-1)^(n + 1) n! zeta(n + 1, x)
    order = n + 1.0
    value = _factorial(precision, n) * zeta(precision, order, x)
    signed = select(_is_even(n), -value, value)
    defined = (n >= 0.0) & (n == floor(n))
    return select(n == 0.0, digamma(precision, x), select(defined, signed, nan))


def _factorial(precision: Precision, n: Term) -> Term:
    # Stirling with y = n + 1: sqrt(2 pi) p^2 exp(rest / y) with p^2 = y^(y - 1/2) e^-y; the
    # powers are good to a rounding, where exp(lgamma(y)) would lose as many digits as y has
    y = f.maximum(n + 1.0, 3.0)
    rest = ratio(tables.LGAMMA_LARGE[precision], 1.0 / (y * y)) / y
    p = f.power(y, 0.5 * y - 0.25) * f.exp(-0.5 * y)
    return select(n < 2.0, 1.0, sqrt(2.0 * pi) * p * p * f.exp(rest))


def _is_even(n: Term) -> Term:
    half = 0.5 * n
    return half == floor(half)


@real(f32_in="f64")
def zeta(precision: Precision, x: Term, q: Term) -> Term:
    """At negative q, where x must be an integer, three values at positive ones make the result.

    With q = r - m and 0 < r < 1 the terms of negative base are those of 1 - r, 2 - r, ..., m - r:
    zeta(x, q) = zeta(x, r) + (-1)^x (zeta(x, 1 - r) - zeta(x, 1 - q)).
    """
    negative = q < 0.0
    rest = q - floor(q)
    even = _is_even(x)
    sign = select(even, x.constant(1.0), -1.0)

    def part(step: Term) -> Term:
        mirrored = select(negative, select(step == 1, 1.0 - rest, 1.0 - q), 1.0)
        base = select(step == 0, select(negative, rest, q), mirrored)
        weight = select(step == 0, x.constant(1.0), select(step == 1, sign, -sign))
        value = weight * _zeta_sum(precision, x, base)
        return select(step == 0, value, select(negative, value, 0.0))

    value = _sum_of_parts(part, negative, x.type)
    value = select(negative & (x != floor(x)), nan, value)
    pole = (q <= 0.0) & (q == floor(q))
    value = select(pole, select(even, x.constant(inf), nan), value)
    return select(x > 1.0, value, select(x == 1.0, x.constant(inf), nan))


def _zeta_sum(precision: Precision, x: Term, q: Term) -> Term:
    # The first terms, and from a = q + n on, after Euler and Maclaurin, a^(1 - x) times
    # 1 / (x - 1) + 1 / (2a) + sum over j of B[2j] / (2j)! x (x + 1) ... (x + 2j - 2) / a^(2j)
    count = ZETA_TERMS[precision]
    total = f.power(q, -x)
    for k in range(1, count):
        total = total + f.power(q + float(k), -x)
    a = q + float(count)
    steep = f.minimum(x, ZETA_STEEP)
    inverse = 1.0 / (a * a)
    product = steep * inverse
    rest = 1.0 / (x - 1.0) + 0.5 / a
    for j, coefficient in enumerate(tables.EULER_MACLAURIN[precision]):
        rest = rest + coefficient * product
        product = product * ((steep + (2.0 * j + 1.0)) * (steep + (2.0 * j + 2.0)) * inverse)
    return total + f.power(a, 1.0 - x) * rest


def _sum_of_parts(part: Callable[[Term], Term], negative: Term, type: TensorType) -> Term:
    """part(0), plus part(1) and part(2) where any element is negative: one body, looped over."""
    scalar = TensorType((), element_type("i32"))
    parts = select(_any(negative), constant(3, scalar), 1)

    def following(step: Tensor, total: Tensor) -> list[Tensor]:
        return [(Term(step) + 1).tensor, (Term(total) + part(Term(step))).tensor]

    _, total = ops.while_(
        [constant(0, scalar).tensor, constant(0.0, type).tensor],
        lambda step, _: (Term(step) < parts).tensor,
        following,
    )
    return Term(cast(Tensor, total))


def _any(mask: Term) -> Term:
    """Whether any element of a mask is true, as a 0-dimensional mask."""
    start = constant(False, mask.type.with_shape(()))
    rank = mask.type.rank
    (result,) = ops.reduce([mask.tensor], [start.tensor], list(range(rank)), ops.or_)
    return Term(result)
