"""Functions of the math library on vectors, called by kernels and never inlined.

All are computed in f64: what f32 functions return is the rounded value of a result that is right
to more digits, so they are within a unit in the last place without further care. Degrees are those
that the series need: the terms left out are below 2^-56 for f64 and below 2^-30 for f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from shlo_tools.codegen.function import F32, F64, Function, Type, Value

_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # few digits: n times it is exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_EXPONENT_BITS = 52
_TINY = 2.0**-1022


def name(function: str, type: Type) -> str:
    """The name of a function for vectors of a type."""
    return f"shlo_rt_{function}_{type.element}x{type.lanes}"


def functions(function: str, type: Type) -> list[Function]:
    """One function for vectors of f32 or f64."""
    body, count = BODIES[function]
    f = Function(name(function, type), [type] * count, type)
    wide = [argument.to("fpext", "f64") for argument in f.arguments]
    result = body(_Series(f, is_single=type.element == "f32"), *wide)
    f.result = result.to("fptrunc", type.element) if type.element == "f32" else result
    return [f]


class _Series:
    """What bodies are written with: vectors of f64, to the digits that are wanted."""

    def __init__(self, f: Function, *, is_single: bool) -> None:
        self.f = f
        self.is_single = is_single

    def constant(self, value: float, like: Value) -> Value:
        return self.f.constant(value, like.type)

    def horner(self, x: Value, coefficients: list[float]) -> Value:
        """A polynomial, the highest coefficient first."""
        total = self.constant(coefficients[0], x)
        for coefficient in coefficients[1:]:
            total = self.f.fma(total, x, self.constant(coefficient, x))
        return total

    def select(self, condition: Value, a: Value, b: Value | float) -> Value:
        return self.f.select(condition, a, b)

    def bits(self, x: Value) -> Value:
        return x.to("bitcast", "i64")

    def power_of_two(self, n: Value) -> Value:
        """2^n of integers -1022 to 1023."""
        return ((n + 1023) << _EXPONENT_BITS).to("bitcast", "f64")

    def clamped(self, x: Value, low: float, high: float) -> Value:
        """NaN becomes a number: what integers are made of must be one."""
        f = self.f
        least = f.intrinsic("maxnum", x, self.constant(low, x))
        return f.intrinsic("minnum", least, self.constant(high, x))

    def reduced(self, x: Value) -> tuple[Value, Value]:
        """x = n ln 2 + r: n as i64, and r of at most ln 2 / 2."""
        f = self.f
        n = f.intrinsic("rint", x * math.log2(math.e))
        r = f.fma(n, self.constant(-_LN2_HIGH, x), x)
        return n.to("fptosi", "i64"), f.fma(n, self.constant(-_LN2_LOW, x), r)

    def exponential_less_one(self, r: Value) -> Value:
        """e^r - 1 for a reduced r."""
        degree = 9 if self.is_single else 14
        series = [1.0 / math.factorial(k) for k in range(degree, 1, -1)]
        return self.f.fma(self.horner(r, series), r * r, r)


def exp(s: _Series, x: Value) -> Value:
    inside = s.clamped(x, -746.0, 710.0)
    n, r = s.reduced(inside)
    half = s.f.op("ashr", n, s.f.constant(1, n.type))
    value = (s.exponential_less_one(r) + 1.0) * s.power_of_two(half) * s.power_of_two(n - half)
    return s.select(x.compare("uno", x), x, value)


def expm1(s: _Series, x: Value) -> Value:
    """2^n (e^r - 1) + (2^n - 1); far up as e^x, where 1 is nothing."""
    inside = s.clamped(x, -80.0, 700.0)
    n, r = s.reduced(inside)
    scale = s.power_of_two(n)
    value = s.f.fma(scale, s.exponential_less_one(r), scale - 1.0)
    value = s.select(x > 700.0, exp(s, x), value)
    return s.select((x == 0.0) | x.compare("uno", x), x, value)


def log(s: _Series, x: Value) -> Value:
    """x = 2^k (1 + f): k ln 2 + log(1 + f), that by the series of the inverse tangent."""
    is_tiny = x < _TINY
    scaled = s.select(is_tiny, x * 2.0**54, x)
    bits = s.bits(scaled)
    lift = 0x3FF0000000000000 - 0x3FE6A09E667F3BCD  # from sqrt(1/2) to 1
    shifted = bits + lift
    k = s.f.op("ashr", shifted, s.f.constant(_EXPONENT_BITS, bits.type)) - 1023
    mantissa = (shifted & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD
    f = mantissa.to("bitcast", "f64") - 1.0
    exponent = k.to("sitofp", "f64") - s.select(is_tiny, s.constant(54.0, x), 0.0)
    ratio = f / (f + 2.0)
    z = ratio * ratio
    terms = 6 if s.is_single else 12
    rest = s.horner(z, [2.0 / (2 * j + 1) for j in range(terms, 0, -1)]) * z
    half = f * f * 0.5
    low = s.f.fma(ratio, half + rest, exponent * _LN2_LOW)
    value = s.f.fma(exponent, s.constant(_LN2_HIGH, x), f - (half - low))
    value = s.select(x == 0.0, s.constant(-math.inf, x), value)
    value = s.select(x < 0.0, s.constant(math.nan, x), value)
    return s.select(x.compare("ueq", math.inf), x, value)


def log1p(s: _Series, x: Value) -> Value:
    """log(1 + x), with what the rounding of 1 + x has lost."""
    near = x + 1.0
    lost = (x - (near - 1.0)) / near
    value = log(s, near) + s.select(s.f.intrinsic("fabs", x) < 2.0**53, lost, 0.0)
    value = s.select(near == 0.0, s.constant(-math.inf, x), value)
    return s.select(x == 0.0, x, value)


def power(s: _Series, x: Value, y: Value) -> Value:
    """|x|^y by exp and log, for f32 only, and C's special cases."""
    f = s.f
    magnitude, size = f.intrinsic("fabs", x), f.intrinsic("fabs", y)
    value = exp(s, y * log(s, magnitude))
    is_whole = f.intrinsic("floor", y) == y
    halved = y * 0.5
    is_odd = is_whole & (f.intrinsic("floor", halved) != halved)
    value = s.select((x < 0.0) & ~is_whole & (magnitude < math.inf), s.constant(math.nan, x), value)
    is_negative = f.intrinsic("copysign", s.constant(1.0, x), x) < 0.0
    value = s.select(is_negative & is_odd, -value, value)
    is_one = (x == 1.0) | (y == 0.0) | ((magnitude == 1.0) & (size == math.inf))
    return s.select(is_one, s.constant(1.0, x), value)


Body = Callable[..., Value]
BODIES: dict[str, tuple[Body, int]] = {
    "exp": (exp, 1),
    "expm1": (expm1, 1),
    "log": (log, 1),
    "log1p": (log1p, 1),
    "pow": (power, 2),
}


def has(function: str, type: Type) -> bool:
    """Whether there is a function for a scalar or vector type."""
    singles = (F32.element,) if function == "pow" else (F32.element, F64.element)
    return function in BODIES and type.element in singles
