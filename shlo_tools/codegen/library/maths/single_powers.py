"""Powers of f32, whose exponents of two are f64."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.exponents import logarithm_of, scaled, split
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
    """|x|^y of f32 as 2^(y log2 |x|), whose exponent is f64, and C's special cases."""
    f, magnitude = s.f, s.f.intrinsic("fabs", x)
    exponent, fraction = split(s, magnitude)
    whole = logarithm_of(s, magnitude, exponent).to("fpext", "f64")
    fraction = fraction.to("fpext", "f64")
    logarithm = f.fma(fraction, s.powers(fraction, _LOGARITHM), whole)
    z = y.to("fpext", "f64") * logarithm
    z = s.select(z < _LEAST, s.constant(_LEAST, z), z)  # NaN stays
    z = s.select(z > _MOST, s.constant(_MOST, z), z)
    n = f.intrinsic("rint", z)
    near = s.powers(z - n, _EXPONENTIAL).to("fptrunc", "f32")
    value = scaled(s, near, n.to("fptrunc", "f32"))
    is_plain = (x > 0.0) & (x < math.inf) & (f.intrinsic("fabs", y) < math.inf)
    return f.if_(
        f.reduce("or", ~is_plain), lambda: with_special_cases(s, x, y, value), lambda: value
    )[0]
