"""Special functions of real numbers, by series in floats with digits to spare.

Operands and results are float64 or longer. Sums of many terms are worth their time here: they
are simple to check against the definitions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference.rounding import rounded, widened

_SHIFT = 24  # asymptotic series are used from here on
_TERMS = 16  # of these


@functools.cache
def _bernoulli() -> list[Fraction]:
    """The Bernoulli numbers B[2], B[4], ..., one for each term."""
    numbers = [Fraction(1)]
    for m in range(1, 2 * _TERMS + 1):
        total = sum((math.comb(m + 1, k) * b for k, b in enumerate(numbers)), Fraction(0))
        numbers.append(-total / (m + 1))
    return numbers[2::2]


def _float(fraction: Fraction) -> Any:
    return np.longdouble(fraction.numerator) / np.longdouble(fraction.denominator)


def by_element(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python floats on arrays."""

    def applied(x: Array) -> Array:
        flat = [function(float(value)) for value in x.reshape(-1)]
        return np.array(flat, np.float64).reshape(x.shape)

    return applied


erf = by_element(math.erf)
erfc = by_element(math.erfc)


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole (0 and the negative integers), or too large
        return math.inf


lgamma = by_element(_lgamma)


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)), by the exponential that does not overflow."""
    power = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, power, 1) / (1 + power))


def erf_inv(y: Array) -> Array:
    """The number whose erf is y; infinite at -1 and 1, NaN beyond. By Newton's method."""
    a = np.abs(y)
    inside = a < 1
    v = np.where(inside, a, 0)
    w = np.log1p(-v * v)
    t = 2 / (np.pi * 0.147) + w / 2
    x = np.sqrt(np.maximum(np.sqrt(t * t - w / 0.147) - t, 0))
    for _ in range(4):
        # near 1 the complement keeps the digits that erf has lost
        error = np.where(v < 0.5, erf(x) - v, (1 - v) - erfc(x))
        x = x - error * np.exp(x * x) * (np.sqrt(np.pi) / 2)
    x = np.where(v == 0, 0, x)
    return np.where(inside, np.copysign(x, y), np.where(a == 1, np.copysign(np.inf, y), np.nan))


def digamma(x: Array) -> Array:
    """The derivative of lgamma; NaN at 0 and the negative integers."""
    x = x.astype(np.longdouble)
    pole = (x <= 0) & (x == np.floor(x))
    negative = x < 0.5
    y = np.where(negative, 1 - x, x)  # digamma(x) = digamma(1 - x) - pi / tan(pi x)
    total = np.zeros_like(y)
    for _ in range(_SHIFT):
        below = y < _SHIFT
        total = total - np.where(below, 1 / y, 0)
        y = np.where(below, y + 1, y)
    series = np.log(y) - 1 / (2 * y)
    for j, number in enumerate(_bernoulli(), 1):
        series = series - _float(number) / (2 * j) / y ** (2 * j)
    fraction = x - np.rint(x)
    pi = np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)
    reflected = np.where(negative & ~pole, pi / np.tan(pi * np.where(pole, 0.25, fraction)), 0)
    return np.where(pole | (x == -np.inf), np.nan, total + series - reflected)


def zeta(x: Array, q: Array) -> Array:
    """The sum of (q + k)^-x over k = 0, 1, ...; for x > 1, and at a pole of even order infinite.

    Negative q need an integer x; their terms of negative base are those of two positive ones.
    """
    x, q = (v.astype(np.longdouble) for v in np.broadcast_arrays(x, q))
    even = np.floor(x / 2) * 2 == x
    pole = (q <= 0) & (q == np.floor(q))
    rest = q - np.floor(q)
    usable = (x > 1) & ~pole
    exponent = np.where(usable, x, 2)
    negative = usable & (q < 0)
    base = np.where(negative, rest, np.where(usable, q, 1))
    value = _hurwitz(exponent, base)
    if negative.any():
        one = np.longdouble(1)
        mirrored = _hurwitz(exponent, np.where(negative, 1 - rest, one)) - _hurwitz(
            exponent, np.where(negative, 1 - q, one)
        )
        value = np.where(negative, value + np.where(even, 1, -1) * mirrored, value)
    value = np.where(negative & (x != np.floor(x)), np.nan, value)
    value = np.where(pole, np.where(even, np.inf, np.nan), value)
    value = np.where(x > 1, value, np.where(x == 1, np.inf, np.nan))
    return np.where(np.isnan(x) | np.isnan(q), np.nan, value)


def _hurwitz(x: Array, q: Array) -> Array:
    """The sum for positive q, after Euler and Maclaurin."""
    total = np.zeros_like(q)
    for k in range(_SHIFT):
        total = total + (q + k) ** -x
    a = q + _SHIFT
    finite = np.minimum(x, 1e4)  # beyond, the tail is nothing
    tail = 1 / (finite - 1) + 1 / (2 * a)
    product = finite / (a * a)
    for j, number in enumerate(_bernoulli(), 1):
        tail = tail + _float(number / math.factorial(2 * j)) * product
        product = product * (finite + 2 * j - 1) * (finite + 2 * j) / (a * a)
    last = a ** (1 - x)
    return total + np.where(last == 0, 0, last * tail)


def polygamma(n: Array, x: Array) -> Array:
    """(-1)^(n + 1) n! zeta(n + 1, x): the derivative of order n of digamma."""
    n, x = np.broadcast_arrays(n.astype(np.longdouble), x.astype(np.longdouble))
    defined = (n >= 0) & (n == np.floor(n))
    order = np.where(defined, n, 1)
    factorial = by_element(lambda m: math.gamma(m + 1) if m <= 170 else math.inf)(order)
    sign = np.where(np.floor(order / 2) * 2 == order, -1, 1)
    value = sign * factorial * zeta(order + 1, x)
    value = np.where(order == 0, digamma(x), value)
    return np.where(defined, value, np.nan)


def integer_power(base: Array, exponent: Array) -> Array:
    """Wrapping products; to a negative power only 1 and -1 are integers, all else gives 0."""
    b, e = np.broadcast_arrays(widened(base), widened(exponent))
    one = b.dtype.type(1)
    result, factor, rest = np.ones_like(b), b, np.where(e < 0, b.dtype.type(0), e)
    with np.errstate(over="ignore"):
        while rest.any():
            result = np.where(rest & one, result * factor, result)
            factor, rest = factor * factor, rest >> one
    odd = (e & one) != 0
    unit = np.where(b == 1, 1, np.where(b == -1, np.where(odd, -1, 1), 0)).astype(b.dtype)
    return rounded(np.where(e < 0, unit, result), base.dtype)


def bessel_i1e(x: Array) -> Array:
    """exp(-|x|) I1(x), by the power series up to 30, beyond by the asymptotic one."""
    a = np.abs(x.astype(np.longdouble))
    near = np.minimum(a, 30)
    term = near / 2
    total = term
    for k in range(1, 120):
        term = term * (near / 2) ** 2 / (k * (k + 1))
        total = total + term
    far = np.maximum(a, 30)
    piece = np.ones_like(far)
    series = piece
    for k in range(1, 40):
        piece = piece * ((2 * k - 1) ** 2 - 4) / (k * 8 * far)
        series = series + piece
    pi = np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)
    value = np.where(a <= 30, total * np.exp(-near), series / np.sqrt(2 * pi * far))
    return np.copysign(np.where(np.isinf(a), 0, value), x)  # odd: of -0 it is -0
