"""Rounding, bit by bit: to odd, to fewer bits, and into a smaller range of exponents."""

from __future__ import annotations

from typing import Any

import ml_dtypes

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.elementwise import F32, F64, Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured

I32 = ELEMENT_TYPES["i32"]


def sticky(e: Emit, value: Value, source: ElementType) -> Value:
    """A 64-bit integer made exact in f64: low bits of a large one are or-ed into bit 11.

    f16 and bf16 look at far fewer than 53 leading bits, so only whether any lower bit is set
    matters to their rounding.
    """
    low = e("arith.andi", value, e.constant(0x7FF, source))
    any_low = e.compare_integers("ne", low, e.constant(0, source))
    high = e("arith.andi", value, e.constant(~0x7FF, source))
    marked = e("arith.ori", high, e.constant(0x800, source))
    rounded = e.select(any_low, marked, high)
    limit = e.constant(1 << 53, source)
    if source.kind is Kind.UNSIGNED:
        return e.select(e.compare_integers("ult", value, limit), value, rounded)
    above = e.compare_integers("sgt", value, e.constant(-(1 << 53), source))
    inside = e("arith.andi", above, e.compare_integers("slt", value, limit))
    return e.select(inside, value, rounded)


def round_to_odd(e: Emit, value: Value) -> Value:
    """f64 to f32 such that a further rounding gives what one rounding would have given.

    An inexact result gets its last bit set: of the two neighbours of the exact value the one
    with an odd significand is taken.
    """
    f32, i32 = structured.element(F32), structured.element(I32)
    nearest = e("arith.truncf", value, type=f32)
    back = e("arith.extf", nearest, type=structured.element(F64))
    bits = e("arith.bitcast", nearest, type=i32)
    # Toward zero: one step back where rounding went away from zero.
    grew = e.compare_floats("ogt", e("math.absf", back), e("math.absf", value))
    one = e.constant(1, I32)
    truncated = e.select(grew, e("arith.subi", bits, one), bits)
    odd = e("arith.ori", truncated, one)
    inexact = e.compare_floats("one", back, value)
    return e("arith.bitcast", e.select(inexact, odd, bits), type=f32)


def mantissa_bits(type: ElementType) -> int:
    """How many bits of a float type's significand are stored."""
    finfo: Any = ml_dtypes.finfo
    return int(finfo(type.dtype).nmant)


def round_bits(e: Emit, value: Value, dropped: int, bits: ElementType) -> Value:
    """Round to even at bit ``dropped``; a carry out of the mantissa raises the exponent."""
    half = e.constant((1 << (dropped - 1)) - 1, bits)
    last = e("arith.andi", e("arith.shrui", value, e.constant(dropped, bits)), e.constant(1, bits))
    raised = e("arith.addi", value, e("arith.addi", half, last))
    return e("arith.andi", raised, e.constant(-1 << dropped, bits))


def flush_exponent(
    e: Emit, value: Value, reduced: Value, widths: tuple[int, int, int], bits: ElementType
) -> Value:
    """Infinity above, zero below the exponents that ``wanted`` bits hold; the sign is kept."""
    exponent, mantissa, target = widths
    bias, reach = (1 << (exponent - 1)) - 1, (1 << (target - 1)) - 1
    infinity = e.constant(((1 << exponent) - 1) << mantissa, bits)
    sign = e("arith.andi", value, e.constant(1 << (bits.bits - 1), bits))
    field = e("arith.andi", reduced, infinity)
    above = e.compare_integers("ugt", field, e.constant((bias + reach) << mantissa, bits))
    below = e.compare_integers("ule", field, e.constant((bias - reach) << mantissa, bits))
    bounded = e.select(above, e("arith.ori", sign, infinity), reduced)
    return e.select(below, sign, bounded)
