"""Numbers of a distribution made from random bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulation_type
from shlo_tools.passes.legalize_to_linalg.random.ciphers import U64
from shlo_tools.passes.legalize_to_linalg.rounding import mantissa_bits

I64 = ELEMENT_TYPES["i64"]


def uniform_integer(
    e: Emit, bits: Sequence[Value], low: Value, high: Value, type: ElementType
) -> Value:
    """low + floor(r * (high - low)) for r = bits / 2^64 (or / 2^128) below 1, exactly.

    The difference is taken without sign: it may exceed what the type holds.
    """
    unsigned = ELEMENT_TYPES.get(f"ui{type.bits}", type)
    span = cast_scalar(e, e("arith.subi", high, low), unsigned, U64)
    offset, fraction = _times(e, span, bits[0])
    if len(bits) > 1:
        finer = e("arith.addi", fraction, _times(e, span, bits[1])[0])
        carry = e.compare_integers("ult", finer, fraction)
        offset = e("arith.addi", offset, cast_scalar(e, carry, ELEMENT_TYPES["i1"], U64))
    if type.bits < 64:
        offset = e("arith.trunci", offset, type=structured.element(type))
    return e("arith.addi", low, offset)


def _times(e: Emit, x: Value, y: Value) -> tuple[Value, Value]:
    """The high and the low 64 bits of a product."""
    a, b = _halves(e, x), _halves(e, y)
    low, first, second, high = (e("arith.muli", p, q) for q in b for p in a)
    middle = e("arith.addi", first, _halves(e, low)[1])
    other = e("arith.addi", second, _halves(e, middle)[0])
    high = e("arith.addi", high, _halves(e, middle)[1])
    return e("arith.addi", high, _halves(e, other)[1]), e("arith.muli", x, y)


def _halves(e: Emit, x: Value) -> tuple[Value, Value]:
    """The low and the high 32 bits, as 64 each."""
    return e("arith.andi", x, e.constant(2**32 - 1, U64)), e("arith.shrui", x, e.constant(32, U64))


def uniform_float(
    e: Emit, bits: Sequence[Value], low: Value, high: Value, type: ElementType
) -> Value:
    """low + r * (high - low) with as many bits of r as the type's significand has.

    Half the difference is added twice: the whole may exceed the largest number. What rounding
    puts outside the interval becomes low.
    """
    wide = accumulation_type(type)
    digits = mantissa_bits(type) + 1
    r = _fraction(e, bits[0], digits, wide)
    start, end = (cast_scalar(e, value, type, wide) for value in (low, high))
    half = e.constant(0.5, wide)
    span = e("arith.subf", e("arith.mulf", end, half), e("arith.mulf", start, half))
    step = e("arith.mulf", r, span)
    value = cast_scalar(e, _sum(e, start, step, step), wide, type)
    inside = e("arith.andi", e.compare_floats("oge", value, low), _below(e, value, high))
    return e.select(inside, value, low)


def _sum(e: Emit, *terms: Value) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = e("arith.addf", total, term)
    return total


def _below(e: Emit, value: Value, bound: Value) -> Value:
    return e.compare_floats("olt", value, bound)


def _fraction(e: Emit, bits: Value, digits: int, type: ElementType, first: int = 0) -> Value:
    """``digits`` leading bits as a multiple of 2^-digits, counted from ``first``."""
    kept = e("arith.shrui", bits, e.constant(64 - digits, U64))
    number = cast_scalar(e, kept, I64, type)
    if first:
        number = e("arith.addf", number, e.constant(float(first), type))
    return e("arith.mulf", number, e.constant(2.0**-digits, type))


def normal(
    e: Emit, bits: Sequence[Value], mean: Value, deviation: Value, type: ElementType
) -> Value:
    """The method of Box and Muller: a radius and an angle, of which one coordinate is used."""
    wide = accumulation_type(type)
    if len(bits) > 1:
        first, second, digits = bits[0], bits[1], 53
    else:
        first, digits = bits[0], 32
        second = e("arith.shli", bits[0], e.constant(32, U64))
    radius = e("math.log", _fraction(e, first, digits, wide, first=1))
    radius = e("math.sqrt", e("arith.mulf", radius, e.constant(-2.0, wide)))
    angle = e("arith.mulf", _fraction(e, second, digits, wide), e.constant(2 * pi, wide))
    deviate = e("arith.mulf", radius, e("math.cos", angle))
    center, width = (cast_scalar(e, value, type, wide) for value in (mean, deviation))
    value = e("arith.addf", center, e("arith.mulf", deviate, width))
    return cast_scalar(e, value, wide, type)
