"""Scalar formulas in Python's notation: operators on a ``Number`` emit the op they stand for.

    real = select(x == 0.0, x, exp(x) * cos(y))

Everything is f64 (conditions are i1): a Python number becomes a constant. What is written here is
code for the processor, unlike ``legalize_chlo.formula``, whose terms are tensors in StableHLO.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.mlir import Value
from shlo_tools.operators import Operators
from shlo_tools.passes.legalize_to_linalg.elementwise import F64, Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured

I64 = ELEMENT_TYPES["i64"]
Operand: TypeAlias = "Number | float"


class Number(Operators[float]):
    """An f64 or a condition of a formula.

    Attributes:
        has_spare: it was widened from f32, so that a few operations neither overflow nor cost
            digits of the result; formulas may leave out what only f64 needs.
    """

    def __init__(self, e: Emit, value: Value, has_spare: bool = False) -> None:
        self.e = e
        self.value = value
        self.has_spare = has_spare

    def made(self, value: Value) -> Number:
        """Another number of this formula."""
        return Number(self.e, value, self.has_spare)

    def lifted(self, other: Operand) -> Number:
        """``other`` as a number of this formula."""
        return other if isinstance(other, Number) else self.made(self.e.constant(other, F64))

    def operate(self, name: str, *operands: Operand) -> Number:
        """See ``Operators``; ``and`` and ``or`` are of conditions."""
        values = [self.lifted(operand).value for operand in operands]
        if name in _PREDICATES:
            return self.made(self.e.compare_floats(_PREDICATES[name], *values))
        return self.made(self.e(_OPERATIONS[name], *values))


_OPERATIONS = {
    "add": "arith.addf",
    "subtract": "arith.subf",
    "multiply": "arith.mulf",
    "divide": "arith.divf",
    "negate": "arith.negf",
    "and": "arith.andi",
    "or": "arith.ori",
}
_PREDICATES = {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"}


# --- functions ------------------------------------------------------------------------------------
def _function(name: str) -> Callable[[Number], Number]:
    return lambda operand: operand.made(operand.e(name, operand.value))


abs = _function("math.absf")
cbrt = _function("math.cbrt")
cos = _function("math.cos")
exp = _function("math.exp")
expm1 = _function("math.expm1")
log = _function("math.log")
log1p = _function("math.log1p")
sin = _function("math.sin")
sqrt = _function("math.sqrt")


def _of_two(name: str) -> Callable[[Number, Operand], Number]:
    return lambda a, b: a.made(a.e(name, a.value, a.lifted(b).value))


atan2 = _of_two("math.atan2")
copysign = _of_two("math.copysign")
maximum = _of_two("arith.maximumf")
minimum = _of_two("arith.minimumf")
power = _of_two("math.powf")


def fma(a: Number, b: Operand, c: Operand) -> Number:
    """a b + c, rounded once."""
    return a.made(a.e("math.fma", a.value, a.lifted(b).value, a.lifted(c).value))


def select(condition: Number, on_true: Operand, on_false: Operand) -> Number:
    """``on_true`` where the condition holds, else ``on_false``."""
    values = condition.lifted(on_true).value, condition.lifted(on_false).value
    return condition.made(condition.e.select(condition.value, *values))


def is_infinite(x: Number) -> Number:
    """Whether x is inf or -inf."""
    return abs(x) == float("inf")


def is_nan(x: Number) -> Number:
    """NaN differs from itself."""
    return x != x  # noqa: PLR0124


def is_undefined(x: Number) -> Number:
    """Whether x is infinite or NaN, and an angle of that size means nothing."""
    return x - x != 0.0


def reciprocal_power_of_two(x: Number) -> Number:
    """2^-k for x in [2^k, 2^(k + 1)), close to that where x or it is not normal."""
    e, i64 = x.e, structured.element(I64)
    bits = e("arith.bitcast", x.value, type=i64)
    exponent = e("arith.andi", bits, e.constant(0x7FF << 52, I64))
    mirrored = e("arith.subi", e.constant(0x7FE << 52, I64), exponent)
    normal = e("arith.maxsi", mirrored, e.constant(1 << 52, I64))
    return x.made(e("arith.bitcast", normal, type=structured.element(F64)))


def exponent_of_power_of_two(x: Number) -> Number:
    """k of 2^k."""
    e, i64 = x.e, structured.element(I64)
    bits = e("arith.bitcast", x.value, type=i64)
    exponent = e("arith.shrsi", bits, e.constant(52, I64))
    number = x.made(e("arith.sitofp", exponent, type=structured.element(F64)))
    return number - 1023.0


# --- what rounding loses --------------------------------------------------------------------------
class Pair(NamedTuple):
    """A finite number in twice the digits, but for the last few: high + low, where low is small."""

    high: Number
    low: Number

    def plus(self, other: Pair) -> Pair:
        """The sum; low may become large where it cancels."""
        high, rest = sum_of_two(self.high, other.high)
        return Pair(high, rest + (self.low + other.low))

    def times(self, other: Pair) -> Pair:
        """The product."""
        high, rest = product(self.high, other.high)
        return Pair(high, rest + (self.high * other.low + self.low * other.high))

    def scaled(self, power_of_two: float) -> Pair:
        """A product without rounding."""
        return Pair(self.high * power_of_two, self.low * power_of_two)

    def divided(self, other: Pair) -> Pair:
        """The quotient."""
        quotient = self.high / other.high
        rest = fma(-quotient, other.high, self.high) + (self.low - quotient * other.low)
        return sum_of_two(quotient, rest / other.high)

    def root(self) -> Number:
        """The square root, rounded little more than once; also of 0 and infinity."""
        root = sqrt(self.high)
        if root.has_spare:
            return root
        step = 0.5 * (fma(-root, root, self.high) + self.low) / root  # Newton's
        return select(is_nan(step), root, root + step)

    def signed(self, sign: Number) -> Pair:
        """A positive number with the sign of another, that of a zero too."""
        one = copysign(sign.lifted(1.0), sign)
        return Pair(self.high * one, self.low * one)

    def over(self, other: Pair) -> Number:
        """The quotient, rounded little more than once."""
        return self.divided(other).high


def product(a: Number, b: Number) -> Pair:
    """a b rounded, and the rest."""
    rounded = a * b
    return Pair(rounded, fma(a, b, -rounded))


def sum_of_two(a: Number, b: Number) -> Pair:
    """a + b rounded, and the rest (Knuth)."""
    rounded = a + b
    from_b = rounded - a
    return Pair(rounded, (a - (rounded - from_b)) + (b - from_b))


def sum_of(terms: Sequence[Number]) -> Pair:
    """A sum rounded, and the rest, as if computed with three times the digits (Ogita, Rump)."""
    total, errors = _pass(terms)
    small, smaller = _pass(errors)
    for error in smaller:
        small = small + error
    return sum_of_two(total, small)


def _pass(terms: Sequence[Number]) -> tuple[Number, list[Number]]:
    """The sum of terms with the rest of each addition."""
    total, rests = terms[0], []
    for term in terms[1:]:
        total, rest = sum_of_two(total, term)
        rests.append(rest)
    return total, rests


def pair(number: Number) -> Pair:
    """A number as a pair."""
    return Pair(number, number.lifted(0.0))


def chosen(condition: Number, on_true: Pair, on_false: Pair) -> Pair:
    """``select`` for pairs."""
    return Pair(*(select(condition, t, f) for t, f in zip(on_true, on_false, strict=True)))


def sum_of_products(a: Number, b: Number, c: Number, d: Number) -> Number:
    """a b + c d within two units in the last place even where they cancel (Kahan)."""
    if a.has_spare:
        return a * b + c * d
    first = a * b
    rest = fma(-a, b, first)
    total = fma(c, d, first)
    return select(is_nan(rest), total, total - rest)
