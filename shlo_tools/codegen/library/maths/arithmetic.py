"""The exact remainder, in f32 or f64."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.library.maths.series import Series

_WHOLE = {"f32": 2.0**23, "f64": 2.0**52}  # numbers below may have fractions


def fmod(s: Series, x: Value, y: Value) -> Value:
    """x - trunc(x / y) y, exactly.

    Quotients of more digits than f32 has are computed in f64, than f64 has by the C library.
    """
    f = s.f
    quotient = x / y
    whole = f.intrinsic("trunc", quotient)
    rest = f.fma(-whole, y, x)
    # The quotient may have been rounded up to a whole number.
    size, step = f.intrinsic("fabs", x), f.intrinsic("fabs", y)
    is_over = f.intrinsic("copysign", rest, x) != rest
    rest = s.select(is_over, rest + f.intrinsic("copysign", step, x), rest)
    rest = s.select((step == math.inf) & (size < math.inf), x, rest)
    value = f.intrinsic("copysign", rest, x)
    is_few = f.intrinsic("fabs", quotient) < _WHOLE[x.type.element]
    is_far = ~is_few & (size < math.inf) & (step > 0.0)
    if x.type.element == "f64":
        return s.by_lane(is_far, value, "fmod", [x, y], "f64")
    return s.by_vector(is_far, value, maths.far_name("fmod", x.type), [x, y])
