"""Sine, cosine and tangent of f32, computed in f32; angles that are far in f64."""

from __future__ import annotations

import math
from collections.abc import Callable

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.library.maths.exponents import ROUNDING
from shlo_tools.codegen.library.maths.series import Series

# pi / 2: multiples of all parts but the last are exact, and none of 0 is -0.
_RIGHT = [float.fromhex(part) for part in ("0x1.921fb4p+0", "0x1.444p-24", "0x1.68c234p-39")]
_NEAR = 2.0**13  # angles up to there
_UNTURNED = 0.785  # of smaller angles n is 0
_FEW = 4  # lanes that often are all alike
# Of (1 - sin(r) / r) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, r up to pi / 4.
_LESS_SINE = [0.00019517265755078305, -0.0083321779063985, 0.16666654939987444]
_COSINE = [2.4438413265365453e-05, -0.0013887367190287998, 0.04166664685998072]
# Of (tan(r) / r - 1) / r^2 in r^2, relative to the tangent.
_TANGENT = [0.0043730405159294605, 9.813131327973679e-05, 0.010827452875673771]
_TANGENT += [0.02128620631992817, 0.05405891314148903, 0.13332675397396088, 0.33333349227905273]


def sin(s: Series, x: Value) -> Value:
    """Of the rest of multiples of pi / 2; far angles by ``far_sin``."""

    def from_rest() -> Value:
        n, r, excess = _rest(s, x)
        return or_far(s, "sin", x, turned(s, n << 30, _quarter(s, n, r, excess)))

    return _unless_small(s, x, lambda: _sine(s, x, s.constant(0.0, x)), from_rest)


def cos(s: Series, x: Value) -> Value:
    """The sine of x + pi / 2."""

    def from_rest() -> Value:
        n, r, excess = _rest(s, x)
        n = n + 1
        return or_far(s, "cos", x, turned(s, n << 30, _quarter(s, n, r, excess)))

    return _unless_small(s, x, lambda: _cosine(s, x, s.constant(0.0, x)), from_rest)


def tan(s: Series, x: Value) -> Value:
    """As the sine; where n is odd, less the cotangent."""

    def from_rest() -> Value:
        n, r, excess = _rest(s, x)
        value, rest = _tangent(s, r, excess)
        total = value + rest

        def cotangent() -> Value:
            quotient = -1.0 / total
            lost = (rest - (total - value)) * quotient
            left = s.f.fma(quotient, total, s.constant(1.0, x)) + lost
            return s.f.fma(quotient, left, quotient)

        return or_far(s, "tan", x, _where_odd(s, n, cotangent, total))

    def small() -> Value:
        value, rest = _tangent(s, x, s.constant(0.0, x))
        return value + rest

    return _unless_small(s, x, small, from_rest)


def _tangent(s: Series, r: Value, excess: Value) -> tuple[Value, Value]:
    """Of r - excess, at most pi / 4, as a sum of a larger and a smaller number."""
    f = s.f
    square = r * r
    slope = f.fma(square, s.constant(-1.6, r), s.constant(-1.0, r))  # -1 - tan(r)^2, about
    # The square is rounded, too: that counts most where r is large, by 0.58 r.
    lost = f.fma(f.fma(r, r, -square) * r, s.constant(0.58, r), excess * slope)
    return r, f.fma(s.powers(square, _TANGENT), square * r, lost)


def _unless_small(
    s: Series, x: Value, small: Callable[[], Value], from_rest: Callable[[], Value]
) -> Value:
    """The same numbers, where no angle needs more: who waits for few waits half as long."""
    if x.type.lanes > _FEW:
        return from_rest()
    is_turned = s.f.intrinsic("fabs", x).compare("uge", _UNTURNED)
    (value,) = s.f.if_(s.f.reduce("or", is_turned), from_rest, small)
    return value


def _quarter(s: Series, n: Value, r: Value, excess: Value) -> Value:
    """The sine of n pi / 2 + r - excess, but for the sign that n gives it."""
    return _where_odd(s, n, lambda: _cosine(s, r, excess), _sine(s, r, excess))


def _where_odd(s: Series, n: Value, odd: Callable[[], Value], even: Value) -> Value:
    """Few lanes, as scalars are, of even n do not wait for what odd ones take."""
    is_odd = (n & 1) != 0
    if even.type.lanes > _FEW:
        return s.select(is_odd, odd(), even)
    (value,) = s.f.if_(
        s.f.reduce("or", is_odd), lambda: s.select(is_odd, odd(), even), lambda: even
    )
    return value


def turned(s: Series, sign: Value, value: Value) -> Value:
    """With the other sign where the highest bit is set."""
    bits = value.to("bitcast", "i32") ^ (sign & -0x80000000)
    return bits.to("bitcast", "f32")


def _sine(s: Series, r: Value, excess: Value) -> Value:
    """Of r - excess, at most pi / 4; what is subtracted from 0 is 0, so that it keeps its sign."""
    square = r * r
    return r - s.f.fma(s.powers(square, _LESS_SINE), square * r, excess)


def _cosine(s: Series, r: Value, excess: Value) -> Value:
    """Of r - excess, at most pi / 4."""
    f = s.f
    square = r * r
    half = square * 0.5
    most = 1.0 - half
    rest = f.fma(r, excess, (1.0 - most) - half)
    return most + f.fma(s.powers(square, _COSINE), square * square, rest)


def _rest(s: Series, x: Value) -> tuple[Value, Value, Value]:
    """x = n pi / 2 + r - excess: n in the last bits of i32."""
    f = s.f
    shifted = f.fma(x, s.constant(2 / math.pi, x), s.constant(ROUNDING, x))
    n = shifted - ROUNDING
    first, second, last = (s.constant(part, x) for part in _RIGHT)
    left = f.fma(-n, first, x)
    r = f.fma(-n, second, left)
    return shifted.to("bitcast", "i32"), r, f.fma(n, last, f.fma(n, second, r - left))


def or_far(s: Series, function: str, x: Value, value: Value) -> Value:
    """``value``, but for far angles: those are computed in f64."""
    is_far = s.f.intrinsic("fabs", x).compare("uge", _NEAR)
    name = (maths.name if s.is_inline else maths.far_name)(function, x.type)
    return s.by_vector(is_far, value, name, [x])
