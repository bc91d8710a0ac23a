"""``power`` of complex numbers: e^(w log z), whose error grows with |w log z|.

That is why complex<f64> needs log z in more digits than f64 has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan, pi

from shlo_tools.passes.legalize_to_linalg.complex.arithmetic import (
    SCALE,
    Complex,
    complex_form,
    sized,
)
from shlo_tools.passes.legalize_to_linalg.complex.functions import times_exp
from shlo_tools.passes.legalize_to_linalg.complex.logarithms import log_modulus
from shlo_tools.passes.legalize_to_linalg.complex.scalar_formula import (
    Number,
    Pair,
    abs,
    atan2,
    chosen,
    cos,
    exponent_of_power_of_two,
    is_undefined,
    maximum,
    minimum,
    pair,
    product,
    reciprocal_power_of_two,
    select,
    sin,
    sum_of,
)

# Constants in twice the digits: rounded, and the rest.
THIRD = (1 / 3, 1.850371707708594e-17)
HALF_PI = (pi / 2, 6.123233995736766e-17)
HALF_LN2 = (math.log(2) / 2, 1.1595234069231498e-17)
ARCTANGENTS = {  # of quarters
    0.25: (0.24497866312686414, 1.0698755618734451e-17),
    0.5: (0.4636476090008061, 2.2698777452961687e-17),
    0.75: (0.6435011087932844, 1.5834785051444286e-17),
    1.0: (0.7853981633974483, 3.061616997868383e-17),
}


@complex_form
def power(z: Complex, w: Complex) -> Complex:
    """Special values are XLA's: z^0 = 1^w = 1, 0 to a positive real is 0 and to another power NaN;
    of infinities only inf + 0i to a real power is defined.
    """
    (x, y), (c, d) = z, w
    size, angle = _log(z)
    exponent = pair(c).times(size).plus(pair(-d).times(angle))
    phase = pair(d).times(size).plus(pair(c).times(angle))
    real, imag = cos(phase.high), sin(phase.high)
    c_, s_ = cos(phase.low), sin(phase.low)
    value = times_exp(exponent.high, real * c_ - imag * s_, imag * c_ + real * s_)
    more = 1.0 + select(abs(exponent.low) < 1.0, exponent.low, 0.0)
    zero, positive = (x == 0.0) & (y == 0.0), (x == inf) & (y == 0.0)
    undefined = zero | is_undefined(x) | is_undefined(y) | is_undefined(c) | is_undefined(d)
    value = Complex(*(select(undefined, nan, part * more) for part in value))
    one = ((c == 0.0) & (d == 0.0)) | ((x == 1.0) & (y == 0.0))
    grows = positive & (c > 0.0)
    limited = one | ((d == 0.0) & (grows | (zero & (c > 0.0)) | (positive & (c < 0.0))))
    limit = select(one, 1.0, select(grows, inf, 0.0))
    return Complex(select(limited, limit, value.real), select(limited, 0.0, value.imag))


def _log(z: Complex) -> tuple[Pair, Pair]:
    """log |z| and the argument of z: of finite numbers but 0 in 65 bits, for complex<f64>."""
    if z.real.has_spare:
        return pair(log_modulus(z.real, None, z.imag)), pair(atan2(z.imag, z.real))
    return _log_modulus(z), _argument(z)


def _log_modulus(z: Complex) -> Pair:
    """Half the logarithm of f 2^k = |z|^2, with f near 1."""
    inside = sized(z)
    xx, yy = (product(part, part) for part in inside.z)
    square = sum_of([xx.high, yy.high, xx.low, yy.low])
    factor = 0.5 * reciprocal_power_of_two(square.high * math.sqrt(0.5))
    f = Pair(square.high * factor, square.low * factor)
    one = pair(f.high.lifted(1.0))
    # log f = 2 atanh((f - 1) / (f + 1))
    fraction = f.plus(one.scaled(-1.0)).divided(f.plus(one))
    k = inside.raised(-exponent_of_power_of_two(factor), 2 * math.log2(SCALE))
    whole = pair(k).times(_constant(k, HALF_LN2))
    return whole.plus(_odd_series(fraction, [1 / (2 * n + 5) for n in range(13)]))


def _argument(z: Complex) -> Pair:
    """The angle of z by that of the smaller part over the larger one, less that of a quarter."""
    x, y = sized(z).z
    over, under = minimum(abs(x), abs(y)), maximum(abs(x), abs(y))
    quotient = over / under
    quarter, base = over.lifted(0.0), pair(over.lifted(0.0))
    for number, arctangent in ARCTANGENTS.items():
        beyond = quotient > number - 0.125
        quarter = select(beyond, number, quarter)
        base = chosen(beyond, _constant(over, arctangent), base)
    # atan(a) - atan(b) = atan((a - b) / (1 + a b))
    fraction = pair(over).plus(product(-quarter, under))
    fraction = fraction.divided(pair(under).plus(product(quarter, over)))
    angle = base.plus(_odd_series(fraction, [(-1) ** n / (2 * n + 5) for n in range(11)], -1.0))
    right = _constant(over, HALF_PI)
    angle = chosen(abs(y) > abs(x), right.plus(angle.scaled(-1.0)), angle)
    angle = chosen(x < 0.0, right.scaled(2.0).plus(angle.scaled(-1.0)), angle)
    return angle.signed(y)


def _odd_series(x: Pair, coefficients: Sequence[float], sign: float = 1.0) -> Pair:
    """x + x^3 (sign / 3 + x^2 P(x^2)); what P adds is so small that f64 is enough for it."""
    square = x.times(x)
    rest = square.high.lifted(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        rest = rest * square.high + coefficient
    third = _constant(rest, THIRD).scaled(sign).plus(pair(square.high * rest))
    return x.plus(square.times(x).times(third))


def _constant(number: Number, value: tuple[float, float]) -> Pair:
    return Pair(number.lifted(value[0]), number.lifted(value[1]))
