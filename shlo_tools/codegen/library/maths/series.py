"""What bodies of functions are written with.

Degrees are those that series need: what is left out is below 2^-56 for f64 and below 2^-28 for f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shlo_tools.codegen.function import F64, Function, Type, Value

_MANY = 8  # terms of which a chain takes longer than another product
LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # few digits: n times it is exact
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
TINY = 2.0**-1022

# (e^r - 1 - r) / r^2, r up to ln 2 / 2: the least error relative to e^r for f32, and the series.
_OF_SINGLE = [0.0013950476820578169, 0.008368882433895915, 0.04166620601387228]
_OF_SINGLE += [0.16666518896663962, 0.5000000095121956]
_OF_DOUBLE = [1.0 / math.factorial(k) for k in range(14, 1, -1)]


class Ratio(NamedTuple):
    """Coefficients of a rational function, constant terms first."""

    numerator: Sequence[float]
    denominator: Sequence[float]


class Series:
    """What bodies are written with: vectors of f64, to the digits that are wanted.

    Attributes:
        is_inline: whether a body is part of a function that uses it.
    """

    def __init__(self, f: Function, *, is_single: bool, is_inline: bool = False) -> None:
        self.f = f
        self.is_single = is_single
        self.is_inline = is_inline

    def constant(self, value: float, like: Value) -> Value:
        return self.f.constant(value, like.type)

    @property
    def precision(self) -> str:
        """What results are rounded to: the key of tables."""
        return "f32" if self.is_single else "f64"

    def powers(self, x: Value, coefficients: Sequence[float]) -> Value:
        """A polynomial, the highest coefficient first; many terms by pairs: half the chain."""
        steps = [self.constant(coefficient, x) for coefficient in coefficients]
        if len(steps) >= _MANY:
            pairs = [self.f.fma(a, x, b) for a, b in zip(steps[-2::-2], steps[::-2], strict=False)]
            steps, x = [*steps[: len(steps) % 2], *pairs[::-1]], x * x
        total = steps[0]
        for step in steps[1:]:
            total = self.f.fma(total, x, step)
        return total

    def polynomial(self, coefficients: Sequence[float], x: Value) -> Value:
        """Of coefficients whose first one is the constant term."""
        return self.powers(x, coefficients[::-1])

    def ratio(self, table: Ratio, x: Value) -> Value:
        over, under = (self.polynomial(coefficients, x) for coefficients in table)
        return over / under

    def odd(self, coefficients: Sequence[float], x: Value) -> Value:
        """x + x^3 p(x^2) of coefficients whose first one is the constant term."""
        square = x * x
        return self.f.fma(self.polynomial(coefficients, square), square * x, x)

    def select(self, condition: Value, a: Value, b: Value | float) -> Value:
        return self.f.select(condition, a, b)

    def chosen(
        self, mask: Value, then: Callable[[], Value], otherwise: Callable[[], Value]
    ) -> Value:
        """f64 in lanes of a mask, and others elsewhere; what no lane needs is not computed."""
        f = self.f
        nothing = f.zero(F64.vector(mask.type.lanes))
        (a,) = f.if_(f.reduce("or", mask), then, lambda: nothing)
        (b,) = f.if_(f.reduce("or", ~mask), otherwise, lambda: nothing)
        return f.select(mask, a, b)

    def bits(self, x: Value) -> Value:
        return x.to("bitcast", "i64")

    def power_of_two(self, n: Value) -> Value:
        """2^n of integers -1022 to 1023."""
        return ((n + 1023) << 52).to("bitcast", "f64")

    def clamped(self, x: Value, low: float, high: float) -> Value:
        """NaN becomes a number: what integers are made of must be one."""
        f = self.f
        least = f.intrinsic("maxnum", x, self.constant(low, x))
        return f.intrinsic("minnum", least, self.constant(high, x))

    def reduced(self, x: Value) -> tuple[Value, Value]:
        """x = n ln 2 + r: n as i64, and r of at most ln 2 / 2."""
        f = self.f
        n = f.intrinsic("rint", x * math.log2(math.e))
        r = f.fma(n, self.constant(-LN2_HIGH, x), x)
        return n.to("fptosi", "i64"), f.fma(n, self.constant(-LN2_LOW, x), r)

    def exponential_rest(self, r: Value) -> Value:
        """(e^r - 1 - r) / r^2 for a reduced r."""
        return self.powers(r, _OF_SINGLE if self.is_single else _OF_DOUBLE)

    def exponential_less_one(self, r: Value) -> Value:
        """e^r - 1 for a reduced r."""
        return self.f.fma(self.exponential_rest(r), r * r, r)

    def over_sum(self, over: Value, a: Value, b: float) -> Value:
        """over / (a + b), of a sum that is not rounded."""
        f = self.f
        inverse = 1.0 / (a + b)
        quotient = over * inverse
        left = f.fma(-quotient, a, f.fma(quotient, self.constant(-b, a), over))
        return f.fma(left, inverse, quotient)

    # --- twice the digits -------------------------------------------------------------------------
    def sum_of_two(self, a: Value, b: Value) -> tuple[Value, Value]:
        """a + b rounded, and the rest (Knuth)."""
        total = a + b
        from_b = total - a
        return total, (a - (total - from_b)) + (b - from_b)

    def product(self, a: Value, b: Value) -> tuple[Value, Value]:
        """a b rounded, and the rest."""
        rounded = a * b
        return rounded, self.f.fma(a, b, -rounded)

    # --- lane by lane -----------------------------------------------------------------------------
    def by_vector(
        self, mask: Value, value: Value, function: str, operands: Sequence[Value]
    ) -> Value:
        """``value``, but for the lanes of a mask: they are what a function of vectors gives."""
        f = self.f

        def computed() -> Value:
            return self.select(mask, f.call(function, operands, value.type), value)

        (result,) = f.if_(f.reduce("or", mask), computed, lambda: value)
        return result

    def by_lane(
        self, mask: Value, value: Value, function: str, operands: Sequence[Value], wide: str
    ) -> Value:
        """``value``, but for the lanes of a mask: they are what a C function of scalars gives.

        Args:
            wide: the type that the function takes and returns.
        """
        f = self.f
        lanes = mask.to("sext", "i64")
        scalar, type = value.type.scalar, Type(wide)

        def computed(lane: Value, total: Value) -> Value:
            numbers = [f.extract_at(operand, lane).to("fpext", wide) for operand in operands]
            result = f.call(function, numbers, type).to("fptrunc", scalar.element)
            return f.insert_at(total, result, lane)

        def one(lane: Value, total: Value) -> list[Value]:
            is_wanted = f.extract_at(lanes, lane) != 0
            return f.if_(is_wanted, lambda: computed(lane, total), lambda: total)

        def all_lanes() -> list[Value]:
            return f.loop(0, value.type.lanes, 1, one, [value])

        any_wanted = f.reduce("or", lanes) != 0
        (result,) = f.if_(any_wanted, all_lanes, lambda: value)
        return result
