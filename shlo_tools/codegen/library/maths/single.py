"""Functions of f32 that are computed in f32: twice as many lanes, and a unit or two all the same.

What rounding loses is added where it would count; degrees and fits leave out less than 2^-27.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from shlo_tools.codegen.function import Type, Value
from shlo_tools.codegen.library.maths.exponents import (
    ROUNDING,
    divided,
    logarithm_of,
    power_of_two,
    scaled,
    split,
)
from shlo_tools.codegen.library.maths.series import Series

_LN2_HIGH = float.fromhex("0x1.62e4p-1")  # few digits: n times it is exact
_LN2_LOW = float.fromhex("0x1.7f7d1cf79abcap-20")
_LEAST = -104.0  # powers below it are 0

# Least errors relative to the function, of (log(1 + f) - f + f^2 / 2) / f^3, f from -1/4 to 1/2.
_LOGARITHM = [-0.04507446706560279, 0.10462995711121716, -0.1316119653080091]
_LOGARITHM += [0.14478400496100102, -0.1664731234362028, 0.19990860860182796]
_LOGARITHM += [-0.2500009582880367, 0.3333344912045101]

# pi / 2: multiples of all parts but the last are exact.
_RIGHT = [float.fromhex(part) for part in ("0x1.921fb6p+0", "-0x1.778p-25", "0x1.68c234p-39")]
_NEAR = 2.0**13  # angles up to there
_UNTURNED = 0.785  # of smaller angles n is 0
# Of (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, r up to pi / 4.
_SINE = [-0.00019517265755078305, 0.0083321779063985, -0.16666654939987444]
_COSINE = [2.4438413265365453e-05, -0.0013887367190287998, 0.04166664685998072]


class _Reduced(NamedTuple):
    """x = n ln 2 + rest, the rest at most ln 2 / 2.

    Attributes:
        n: as f32.
        shifted: n + ``ROUNDING``, whose last bits are n.
        left: the rest before the last digits of n ln 2 are subtracted.
    """

    n: Value
    shifted: Value
    left: Value
    rest: Value


def _clamped(s: Series, x: Value, low: float, high: float) -> Value:
    """NaN stays."""
    x = s.select(x < low, s.constant(low, x), x)
    return s.select(x > high, s.constant(high, x), x)


def _reduced(s: Series, x: Value) -> _Reduced:
    f = s.f
    shifted = f.fma(x, s.constant(math.log2(math.e), x), s.constant(ROUNDING, x))
    n = shifted - ROUNDING
    left = f.fma(n, s.constant(-_LN2_HIGH, x), x)
    return _Reduced(n, shifted, left, f.fma(n, s.constant(-_LN2_LOW, x), left))


def exp(s: Series, x: Value) -> Value:
    """Results may be denormal.

    What is 0 is 0 times a power: processors take several times as long where a product underflows,
    and softmax and kernels of distances are made of such.
    """
    n, _, _, r = _reduced(s, _clamped(s, x, _LEAST, 89.0))
    near = r + 1.0
    value = near + s.f.fma(s.exponential_rest(r), r * r, r - (near - 1.0))
    return scaled(s, s.select(x < _LEAST, s.constant(0.0, x), value), n)


def power_above_zero(s: Series, x: Value) -> Value:
    """e^x of a number from -80 to 1, which may be off by a unit and a half."""
    _, shifted, _, r = _reduced(s, x)
    value = s.exponential_less_one(r) + 1.0
    return value * power_of_two(shifted.to("bitcast", "i32"))


def expm1(s: Series, x: Value) -> Value:
    """Twice 2^(n-1) - 1/2 + 2^(n-1) (r + r^2 q(r)), whose first sum keeps what it is rounded by."""
    f = s.f
    n, shifted, left, r = _reduced(s, _clamped(s, x, -18.0, 89.0))
    low = f.fma(n, s.constant(-_LN2_LOW, x), left - r)
    scale = power_of_two(shifted.to("bitcast", "i32") - 1)
    rest = f.fma(s.exponential_rest(r), r * r, low)
    start = scale - 0.5
    total = f.fma(scale, r, start)
    lost = f.fma(scale, r, start - total)
    value = total + f.fma(scale, rest, lost)
    is_small = f.intrinsic("fabs", x) < 2.0**-25
    return s.select(is_small, x, value + value)


def log(s: Series, x: Value) -> Value:
    """k ln 2 + log(1 + f)."""
    k, part = split(s, x)
    return logarithm_of(s, x, _logarithm(s, k, part))


def log1p(s: Series, x: Value) -> Value:
    """log(1 + x), with what the rounding of 1 + x has lost."""
    near = x + 1.0
    lost = x - (near - 1.0)
    k, part = split(s, near)
    value = _logarithm(s, k, part + divided(s, lost, k))
    return s.f.intrinsic("copysign", logarithm_of(s, near, value), x)


def _logarithm(s: Series, k: Value, part: Value) -> Value:
    """k ln 2 + log(1 + part)."""
    f = s.f
    square = part * part
    small = f.fma(s.horner(part, _LOGARITHM), part * square, square * -0.5)
    large = k * _LN2_HIGH
    total = large + part
    return total + (f.fma(k, s.constant(_LN2_LOW, part), small) + (part - (total - large)))


def tanh(s: Series, x: Value) -> Value:
    """m / (m + 2), where m is e^(2 |x|) - 1; from 10 on that is 1."""
    f = s.f
    size = f.intrinsic("fabs", x)
    inside = s.select(size > 10.0, s.constant(10.0, x), size)
    _, shifted, _, r = _reduced(s, inside + inside)
    scale = power_of_two(shifted.to("bitcast", "i32"))
    m = f.fma(scale, s.exponential_less_one(r), scale - 1.0)
    total = m + 2.0
    # What rounding has added to the sum counts where that has more digits than m.
    more = s.select(m < 2.0, total - 2.0 - m, s.constant(0.0, x))
    inverse = 1.0 / total
    quotient = m * inverse
    left = f.fma(quotient, more, f.fma(-quotient, total, m))
    return f.intrinsic("copysign", f.fma(left, inverse, quotient), x)


def logistic(s: Series, x: Value) -> Value:
    """1 / (1 + e^-|x|), and e^-|x| times that below 0; the sum keeps what it is rounded by."""
    f = s.f
    power = exp(s, -f.intrinsic("fabs", x))
    total = power + 1.0
    lost = power - (total - 1.0)
    over = s.select(x < 0.0, power, s.constant(1.0, x))
    quotient = over / total
    inverse = f.fma(power, s.constant(-0.5, x), s.constant(1.0, x))  # of the sum, about
    return f.fma(-quotient, lost * inverse, quotient)


def sin(s: Series, x: Value) -> Value:
    """Of the rest of multiples of pi / 2; far angles by ``far_sin``."""

    def turned() -> Value:
        n, r, low = _rest(s, x)
        value = s.select((n & 1) != 0, _cosine(s, r, low), _sine(s, r, low))
        return or_far(s, "sin", x, _turned(s, n << 30, value))

    zero = s.constant(0.0, x)
    value = _unless_small(s, x, lambda: _sine(s, x, zero), turned)
    return s.select(x == 0.0, x, value)


def cos(s: Series, x: Value) -> Value:
    """As the sine."""

    def turned() -> Value:
        n, r, low = _rest(s, x)
        value = s.select((n & 1) != 0, _sine(s, r, low), _cosine(s, r, low))
        return or_far(s, "cos", x, _turned(s, (n + 1) << 30, value))

    return _unless_small(s, x, lambda: _cosine(s, x, s.constant(0.0, x)), turned)


def _unless_small(
    s: Series, x: Value, small: Callable[[], Value], turned: Callable[[], Value]
) -> Value:
    """The same numbers, where no angle needs more: who waits for one waits half as long."""
    is_turned = s.f.intrinsic("fabs", x).compare("uge", _UNTURNED)
    (value,) = s.f.if_(s.f.reduce("or", is_turned), turned, small)
    return value


def _turned(s: Series, sign: Value, value: Value) -> Value:
    """With the other sign where the highest bit is set."""
    bits = value.to("bitcast", "i32") ^ (sign & -0x80000000)
    return bits.to("bitcast", "f32")


def _sine(s: Series, r: Value, low: Value) -> Value:
    """Of r + low, at most pi / 4."""
    square = r * r
    return r + s.f.fma(s.horner(square, _SINE), square * r, low)


def _cosine(s: Series, r: Value, low: Value) -> Value:
    """Of r + low, at most pi / 4."""
    f = s.f
    square = r * r
    half = square * 0.5
    most = 1.0 - half
    rest = f.fma(-r, low, (1.0 - most) - half)
    return most + f.fma(s.horner(square, _COSINE), square * square, rest)


def _rest(s: Series, x: Value) -> tuple[Value, Value, Value]:
    """x = n pi / 2 + r + low: n in the last bits of i32."""
    f = s.f
    shifted = f.fma(x, s.constant(2 / math.pi, x), s.constant(ROUNDING, x))
    n = shifted - ROUNDING
    first, second, last = (s.constant(-part, x) for part in _RIGHT)
    left = f.fma(n, first, x)
    r = f.fma(n, second, left)
    return shifted.to("bitcast", "i32"), r, f.fma(n, last, f.fma(n, second, left - r))


def or_far(s: Series, function: str, x: Value, value: Value) -> Value:
    """``value``, but for far angles: those are computed in f64."""
    f = s.f
    is_far = f.intrinsic("fabs", x).compare("uge", _NEAR)

    def far() -> Value:
        return s.select(is_far, f.call(far_name(function, x.type), [x], x.type), value)

    (result,) = f.if_(f.reduce("or", is_far), far, lambda: value)
    return result


def far_name(function: str, type: Type) -> str:
    """The name of what computes angles that are too far for f32."""
    return f"far_{function}_{type.element}x{type.lanes}"
