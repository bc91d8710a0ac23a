"""Powers of f32."""

from __future__ import annotations

import math

from shlo_tools.codegen import target
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import tabulated_powers
from shlo_tools.codegen.library.maths.exponents import scaled, split
from shlo_tools.codegen.library.maths.powers import with_special_cases
from shlo_tools.codegen.library.maths.series import Series

# Least relative errors of log2(1 + f) / f, f from -1/4 to 1/2, and of 2^r, r up to 1/2.
_LOGARITHM = [0.03798935717497624, -0.1020402584650954, 0.13879287068544185]
_LOGARITHM += [-0.14920814687205575, 0.16050311217707425, -0.18000365162624837]
_LOGARITHM += [0.20605685571208313, -0.24045841725307396, 0.2885404280741066]
_LOGARITHM += [-0.36067365347448305, 0.48089833264083864, -0.7213475208315135, 1.4426950409106443]
_EXPONENTIAL = [0.0001534580752290647, 0.001339993118113815, 0.009618488973732497]
_EXPONENTIAL += [0.055503287770849695, 0.24022646890481106, 0.6931472057371915, 1.0000000005541858]
_LEAST, _MOST = -151.0, 129.0  # exponents of what is 0, and of what is infinite


def power(s: Series, x: Value, y: Value) -> Value:
    """|x|^y, and C's special cases."""
    f, size = s.f, s.f.intrinsic("fabs", x)
    of_size = tabulated_powers.power if target.host().looks_up else _power
    value = of_size(s, size, y)
    is_finite = (size > 0.0) & (size < math.inf) & (f.intrinsic("fabs", y) < math.inf)

    def special() -> Value:
        # Powers of 0 and infinity, and infinite ones, by which way they go; NaN stays.
        way = y * s.select(size > 1.0, s.constant(math.inf, x), -math.inf)
        end = s.select(way > 0.0, way, s.select(way < 0.0, s.constant(0.0, x), way))
        end = s.select(x.compare("uno", y), x + y, end)
        return with_special_cases(s, x, y, s.select(is_finite, value, end))

    return f.if_(f.reduce("or", ~(is_finite & (x > 0.0))), special, lambda: value)[0]


def _power(s: Series, x: Value, y: Value) -> Value:
    """2^(y log2 x) of a positive number and a finite one: the exponent is f64."""
    f, one = s.f, split(s, x)
    fraction = one.fraction.to("fpext", "f64")
    whole = one.exponent.to("fpext", "f64")
    logarithm = f.fma(fraction, s.powers(fraction, _LOGARITHM), whole)
    z = y.to("fpext", "f64") * logarithm
    z = s.select(z < _LEAST, s.constant(_LEAST, z), z)
    z = s.select(z > _MOST, s.constant(_MOST, z), z)
    n = f.intrinsic("rint", z)
    near = s.powers(z - n, _EXPONENTIAL).to("fptrunc", "f32")
    return scaled(s, near, n.to("fptrunc", "f32"))
