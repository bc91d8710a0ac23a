"""Hurwitz' zeta function, and the derivatives of digamma; computed in f64."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.library.maths import exponentials, powers, tables
from shlo_tools.codegen.library.maths.gamma_functions import logarithm, stirling
from shlo_tools.codegen.library.maths.series import Series

_TERMS = {"f32": 6, "f64": 10}  # of the sum, before the others are estimated
_STEEP = 300.0  # of larger exponents only the first terms count
_ENDLESS = 1e30  # the same as infinity, but for what is 0 times it
_LEAST, _MOST = -700.0, 700.0  # exponents of what is 0, and of what is infinite

# Least errors relative to e^r of (e^r - 1 - r) / r^2, r up to ln 2 / 2.
_EXPONENTIAL = [2.74930099034194e-06, 2.4880952009938054e-05, 0.00019841539880967692]
_EXPONENTIAL += [0.0013888810865199741, 0.008333333093976356, 0.04166666696383923]
_EXPONENTIAL += [0.16666666667268956, 0.49999999999661887]


def zeta(s: Series, x: Value, q: Value) -> Value:
    """The sum of (q + k)^-x over k from 0 on."""
    return _scaled(s, x, q, s.constant(0.0, x))


def polygamma(s: Series, n: Value, x: Value) -> Value:
    """(-1)^(n + 1) n! zeta(n + 1, x); digamma where n is 0."""
    f = s.f
    value = _times_factorial(s, n, x)
    value = s.select(_is_even(s, n), -value, value)
    is_defined = (n >= 0.0) & (n == f.intrinsic("floor", n))
    value = s.select(is_defined, value, s.constant(math.nan, n))
    is_first = n == 0.0

    def with_first() -> Value:
        type = x.type.of(s.precision)
        argument = x.to("fptrunc", "f32") if s.is_single else x
        first = f.call(maths.name("digamma", type), [argument], type)
        return s.select(is_first, first.to("fpext", "f64"), value)

    (value,) = f.if_(f.reduce("or", is_first), with_first, lambda: value)
    return value


def _times_factorial(s: Series, n: Value, x: Value) -> Value:
    """n! zeta(n + 1, x)."""
    y = s.f.intrinsic("minnum", n, s.constant(_ENDLESS, n)) + 1.0
    is_one, inside = n < 2.0, s.select(y < 3.0, s.constant(3.0, n), y)
    if s.is_single:
        logarithm = s.select(is_one, s.constant(0.0, n), stirling(s, inside))
        return _scaled(s, n + 1.0, x, logarithm)
    # sqrt(2 pi) p^2 e^(rest / y), p^2 = y^(y - 1/2) e^-y: powers are right to a rounding, where
    # what is to the logarithm's power loses as many digits as that has.
    zero = s.constant(0.0, n)
    inverse = 1.0 / inside
    rest = s.ratio(tables.LGAMMA_LARGE["f64"], inverse * inverse) * inverse
    power = powers.power(s, inside, inside * 0.5 - 0.25) * exponentials.exp(s, inside * -0.5)
    factorial = exponentials.exp(s, rest) * math.sqrt(2.0 * math.pi) * power * power
    factorial = s.select(is_one, s.constant(1.0, n), factorial)
    return factorial * _scaled(s, n + 1.0, x, zero)


def _is_even(s: Series, n: Value) -> Value:
    half = n * 0.5
    return half == s.f.intrinsic("floor", half)


def _scaled(s: Series, x: Value, q: Value, scale: Value) -> Value:
    """e^scale zeta(x, q); the scale is 0 but for results of f32.

    At negative q, where x must be whole, three values at positive ones make the result. With
    q = r - m and 0 < r < 1 the terms of negative base are those of 1 - r, 2 - r, ..., m - r:
    zeta(x, q) = zeta(x, r) + (-1)^x (zeta(x, 1 - r) - zeta(x, 1 - q)).
    """
    f = s.f
    whole = f.intrinsic("floor", q)
    is_negative, is_even = q < 0.0, _is_even(s, x)
    rest, one = q - whole, s.constant(1.0, x)
    base = s.select(is_negative, rest, q)
    mirrored = s.select(is_negative, 1.0 - rest, one)
    farthest = s.select(is_negative, 1.0 - q, one)
    sign = s.select(is_even, one, -1.0)
    zero = s.constant(0.0, x)

    def part(_: Value, *carry: Value) -> list[Value]:
        total, base, weight, next_base, next_weight = carry
        total = f.fma(weight, _sum(s, x, base, scale), total)
        return [total, next_base, next_weight, farthest, s.select(is_negative, -sign, zero)]

    count = f.select(f.reduce("or", is_negative), f.constant(3), f.constant(1))
    start = [zero, base, one, mirrored, s.select(is_negative, sign, zero)]
    value = f.loop(0, count, 1, part, start)[0]
    nothing = s.constant(math.nan, x)
    is_whole = x == f.intrinsic("floor", x)
    value = s.select(is_negative & ~is_whole, nothing, value)
    pole = s.select(is_even, s.constant(math.inf, x), nothing)
    value = s.select((q <= 0.0) & (rest == 0.0), pole, value)
    value = s.select(q == math.inf, zero, s.select(q.compare("uno", q), q, value))
    return s.select(x > 1.0, value, s.select(x == 1.0, s.constant(math.inf, x), nothing))


def _sum(s: Series, x: Value, q: Value, scale: Value) -> Value:
    """e^scale times the first terms, and, from a = q + n on, after Euler and Maclaurin.

    That is a^(1 - x) times 1 / (x - 1) + 1 / (2 a) + the sum over j of B[2 j] / (2 j)!
    x (x + 1) ... (x + 2 j - 2) / a^(2 j).
    """
    f = s.f
    exponent = -f.intrinsic("minnum", x, s.constant(_ENDLESS, x))

    def term(k: Value, total: Value, _: Value) -> list[Value]:
        number = f.broadcast(k.to("sitofp", "f64"), x.type.lanes)
        if s.is_single:
            power = _power(s, f.fma(exponent, logarithm(s, q + number), scale))
        else:
            power = powers.power(s, q + number, exponent)
        return [total + power, power]

    zero = s.constant(0.0, x)
    count = _TERMS[s.precision]
    total, last = f.loop(0, count + 1, 1, term, [zero, zero])
    a = q + float(count)
    steep = f.intrinsic("minnum", x, s.constant(_STEEP, x))
    inverse = 1.0 / a
    square = inverse * inverse
    product = steep * square
    rest = f.fma(inverse, s.constant(0.5, x), 1.0 / (x - 1.0))
    for j, coefficient in enumerate(tables.EULER_MACLAURIN[s.precision]):
        rest = f.fma(product, s.constant(coefficient, x), rest)
        product = product * ((steep + (2.0 * j + 1.0)) * (steep + (2.0 * j + 2.0)) * square)
    value = f.fma(last, f.fma(a, rest, s.constant(-1.0, x)), total)
    return f.intrinsic("fabs", value)  # of 0


def _power(s: Series, x: Value) -> Value:
    """e^x, within 2^-45."""
    f = s.f
    inside = s.clamped(x, _LEAST, _MOST)
    n, r = s.reduced(inside)
    return (f.fma(s.powers(r, _EXPONENTIAL), r * r, r) + 1.0) * s.power_of_two(n)
