"""Functions of complex numbers: exponentials, trigonometry.

Signed zeros, infinities and NaN are C99's (annex G), and XLA's where C99 has no such function;
zeros tell the sides of branch cuts. ``complex.exp`` and its like are not used: they lower to
formulas that overflow.
"""

from __future__ import annotations

import math
from math import inf
from typing import NamedTuple

from shlo_tools.passes.legalize_to_linalg.complex.arithmetic import Complex, complex_form, zero
from shlo_tools.passes.legalize_to_linalg.complex.scalar_formula import (
    Number,
    Pair,
    abs,
    chosen,
    copysign,
    cos,
    exp,
    expm1,
    is_infinite,
    is_undefined,
    minimum,
    pair,
    product,
    select,
    sin,
    sum_of_two,
)

# --- exponentials ---------------------------------------------------------------------------------
STEP = 700.0  # its exponential is finite, and a subnormal number times three of them is not
FAR = 40.0  # 1 is nothing beside the exponential


class _Growth:
    """What is left of an exponent once whole steps are taken off, and the factors for those."""

    def __init__(self, x: Number) -> None:
        most = STEP if x.has_spare else 3 * STEP
        self.left = minimum(x, most)
        self.over = x > STEP
        self.factors: list[Number] = []
        if not x.has_spare:
            for limit in (STEP, 2 * STEP):
                above = x > limit
                self.left = self.left - select(above, STEP, 0.0)
                self.factors.append(select(above, math.exp(STEP), 1.0))

    def __call__(self, part: Number) -> Number:
        """``part``, at most 1, times the factors."""
        for factor in self.factors:
            part = part * factor
        return part


def times_exp(x: Number, a: Number, b: Number) -> Complex:
    """e^x (a + bi), for a and b up to 1; infinite no sooner than that is."""
    growth = _Growth(x)
    power = exp(growth.left)
    return Complex(growth(a) * power, growth(b) * power)


@complex_form
def exponential(z: Complex) -> Complex:
    x, y = z
    power = times_exp(x, cos(y), sin(y))
    endless = is_infinite(x) & is_undefined(y)
    imag = select((y == 0.0) | (endless & (x < 0.0)), zero(y), power.imag)
    limit = select(x < 0.0, 0.0, inf)
    return Complex(select(endless, limit, power.real), imag)


@complex_form
def exponential_minus_one(z: Complex) -> Complex:
    # e^x cos y - 1 = expm1(x) cos(y) - 2 sin(y/2)^2, which may cancel beside the other part
    x, y = z
    power = exponential(z)
    half = sin(0.5 * y)
    near = expm1(x) * cos(y) - 2.0 * (half * half)
    return Complex(select(abs(x) > FAR, power.real - 1.0, near), power.imag)


class _Decay(NamedTuple):
    """For a >= 0 and an angle, what w = e^(-a + 2i angle) is made of.

    Attributes:
        power, rest: e^-a, and that less 1.
        cosine: the square of the cosine.
        sine: times the cosine.
        square: |1 + w|^2 = rest^2 + 4 power cosine, which does not cancel near 0.
    """

    power: Pair
    rest: Pair
    cosine: Pair
    sine: Pair
    square: Pair


def _decay(a: Number, angle: Number) -> _Decay:
    one, rest, power = a.lifted(1.0), expm1(-a), exp(-a)
    near = rest > -0.5  # one function gives the other, there this and beyond that
    p = chosen(near, sum_of_two(one, rest), pair(power))
    less = chosen(near, pair(rest), sum_of_two(-one, power))
    c, s = cos(angle), sin(angle)
    cosine, sine = product(c, c), product(s, c)
    square = less.times(less).plus(p.times(cosine).scaled(4.0))
    return _Decay(p, less, cosine, sine, square)


@complex_form
def logistic(z: Complex) -> Complex:
    # With p = e^-|x|, (1 + p e^iy) / |1 + p e^iy|^2 for x >= 0, else p (p + e^iy) / |1 + p e^iy|^2;
    # the real part of that may cancel beside the other one.
    d = _decay(abs(z.real), 0.5 * z.imag)
    imag = copysign(d.power.times(d.sine).scaled(2.0).over(d.square), d.sine.high)
    positive = d.power.times(d.cosine).scaled(2.0).plus(d.rest.scaled(-1.0))
    negative = d.power.times(d.cosine.scaled(2.0).plus(d.rest))
    real = chosen(z.real < 0.0, negative, positive)
    return Complex(real.over(d.square), imag)


# --- trigonometry ---------------------------------------------------------------------------------
def _hyperbolic(y: Number, a: Number, b: Number) -> tuple[Number, Number]:
    """a sinh(y) and b cosh(y), for a and b up to 1."""
    growth = _Growth(abs(y))
    rest = expm1(growth.left)
    power = rest + 1.0
    inverse = select(growth.over, 0.0, 1.0 / power)
    sinh = 0.5 * (select(growth.over, power, rest) + rest * inverse)
    cosh = 0.5 * (power + inverse)
    return growth(a) * copysign(sinh, y), growth(b) * cosh


@complex_form
def sine(z: Complex) -> Complex:
    # sin x cosh y + i cos x sinh y
    x, y = z
    imag, real = _hyperbolic(y, cos(x), sin(x))
    fixed = ((y == 0.0) | is_infinite(y)) & is_undefined(x)
    return Complex(select(x == 0.0, x, real), select(fixed, y, imag))


@complex_form
def cosine(z: Complex) -> Complex:
    # cos x cosh y - i sin x sinh y
    x, y = z
    imag, real = _hyperbolic(-y, sin(x), cos(x))
    signed = zero(x) * copysign(y.lifted(1.0), -y)
    return Complex(
        select(is_infinite(y) & is_undefined(x), inf, real),
        select((x == 0.0) | (y == 0.0), signed, imag),
    )


@complex_form
def tanh(z: Complex) -> Complex:
    # (sinh 2x + i sin 2y) / (cosh 2x + cos 2y), above and below times 2 e^-2|x|
    x, y = z
    d = _decay(2.0 * abs(x), y)
    real = copysign(d.rest.times(d.rest).plus(d.rest.scaled(2.0)).over(d.square), x)
    imag = copysign(d.power.times(d.sine).scaled(4.0).over(d.square), d.sine.high)
    endless = is_infinite(x) & is_undefined(y)
    return Complex(
        select(x == 0.0, x, select(endless, copysign(x.lifted(1.0), x), real)),
        select(y == 0.0, y, select(endless, zero(y), imag)),
    )


@complex_form
def tan(z: Complex) -> Complex:
    # -i tanh(iz)
    w = tanh(Complex(-z.imag, z.real))
    return Complex(w.imag, -w.real)
