"""Narrow floats as bytes: what a code means in f32, which code is nearest, and codes rounded.

Only integer arithmetic and sums of normal numbers, so that it does not matter whether the thread
flushes denormals. f8E8M0FNU, which has neither sign nor zero, goes its own way.
"""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.mlir import Value
from shlo_tools.narrow_floats import Format, format_of
from shlo_tools.passes.legalize_to_linalg.elementwise import F32, Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured

U32 = ELEMENT_TYPES["ui32"]
MANTISSA, BIAS = 23, 127  # of f32
INFINITY, QUIET_NAN, SIGN = 0x7F800000, 0x7FC00000, 0x80000000


# --- from codes -----------------------------------------------------------------------------------
def decode(e: Emit, code: Value, type: ElementType) -> Value:
    """The number that a code of a narrow float type stands for, exactly, as f32."""
    format = format_of(type)
    wide = e("arith.extui", code, type=structured.element(U32))
    bits = _decode_power(e, wide) if format.only_powers else _decode(e, wide, format)
    return _float(e, bits)


def _decode(e: Emit, code: Value, format: Format) -> Value:
    """Bits of f32: fields moved to their places, the bias exchanged, the sign put back.

    A subnormal has no leading one: it is given one, which is subtracted as a number.
    """
    top = 1 << (format.bits - 1)
    field = e("arith.shli", _and(e, code, top - 1), _u32(e, MANTISSA - format.mantissa))
    sign = e("arith.shli", _and(e, code, top), _u32(e, 32 - format.bits))
    normal = e("arith.addi", field, _exponent(e, BIAS - format.bias))
    leading = _exponent(e, BIAS - format.bias + 1)
    marked = _float(e, e("arith.addi", field, leading))
    subnormal = _bits(e, e("arith.subf", marked, _float(e, leading)))
    small = e.compare_integers("ult", field, _u32(e, 1 << MANTISSA))
    bits = e.select(small, subnormal, normal)
    if format.only_nan is not None:
        nan = e.compare_integers("eq", code, _u32(e, format.only_nan))
        return e.select(nan, _u32(e, SIGN | QUIET_NAN), e("arith.ori", bits, sign))
    if format.largest < top - 1:  # infinity and NaNs lie above
        last = _u32(e, format.largest << (MANTISSA - format.mantissa))
        special = e.compare_integers("ugt", field, last)
        bits = e.select(special, e("arith.ori", field, _u32(e, INFINITY)), bits)
    return e("arith.ori", bits, sign)


def _decode_power(e: Emit, code: Value) -> Value:
    """The exponent field is the code; what it cannot say are 2^-127 and NaN."""
    bits = e("arith.shli", code, _u32(e, MANTISSA))
    least = e.compare_integers("eq", code, _u32(e, 0))
    bits = e.select(least, _u32(e, 1 << (MANTISSA - 1)), bits)
    nan = e.compare_integers("eq", code, _u32(e, 0xFF))
    return e.select(nan, _u32(e, QUIET_NAN), bits)


# --- to codes -------------------------------------------------------------------------------------
def encode(e: Emit, value: Value, type: ElementType) -> Value:
    """The code of the number of a narrow float type that is nearest to an f32."""
    format = format_of(type)
    bits = _bits(e, value)
    code = _encode_power(e, bits) if format.only_powers else _encode(e, bits, format)
    return e("arith.trunci", code, type=mlir.integer_type(max(8, type.bits)))


def _encode(e: Emit, bits: Value, format: Format) -> Value:
    """Round the magnitude to even, replace what is too large, add the sign."""
    top = 1 << (format.bits - 1)
    magnitude = _and(e, bits, 0x7FFFFFFF)
    code = _nearest(e, magnitude, format)
    above = e.compare_integers("ugt", code, _u32(e, format.largest))
    code = e.select(above, _u32(e, format.overflow), code)
    sign = _and(e, e("arith.shrui", bits, _u32(e, 32 - format.bits)), top)
    signed = e("arith.ori", code, sign)
    if format.only_nan is not None:  # a sign would make 0 NaN
        return e.select(e.compare_integers("eq", code, _u32(e, 0)), code, signed)
    if format.overflow == format.nan:
        return signed
    nan = e.compare_integers("ugt", magnitude, _u32(e, INFINITY))
    # Without a NaN the answer is -0, whatever the sign of a NaN is on this processor.
    nan_of_sign = (
        _u32(e, format.nan) if format.nan == top else e("arith.ori", _u32(e, format.nan), sign)
    )
    return e.select(nan, nan_of_sign, signed)


def _nearest(e: Emit, magnitude: Value, format: Format) -> Value:
    """Codes go on above the largest number, so that overflow shows."""
    dropped = MANTISSA - format.mantissa
    half = e("arith.addi", magnitude, _u32(e, (1 << (dropped - 1)) - 1))
    last = _and(e, e("arith.shrui", magnitude, _u32(e, dropped)), 1)
    raised = e("arith.shrui", e("arith.addi", half, last), _u32(e, dropped))
    normal = e("arith.subi", raised, _u32(e, (BIAS - format.bias) << format.mantissa))
    # Added to a power of two whose last digit is the smallest number, a subnormal is rounded.
    anchor = _exponent(e, BIAS - format.bias + 1 + dropped)
    total = e("arith.addf", _float(e, magnitude), _float(e, anchor))
    subnormal = e("arith.subi", _bits(e, total), anchor)
    small = e.compare_integers("ult", magnitude, _exponent(e, BIAS - format.bias + 1))
    return e.select(small, subnormal, normal)


def _encode_power(e: Emit, bits: Value) -> Value:
    """The nearest power of two, the larger one on a tie; zero and what is negative are NaN."""
    half = 1 << (MANTISSA - 1)
    raised = e("arith.shrui", e("arith.addi", bits, _u32(e, half)), _u32(e, MANTISSA))
    # A denormal lies between 2^-127 and 2^-126, or below both.
    upper = e.compare_integers("uge", bits, _u32(e, half + half // 2))
    denormal = e("arith.extui", upper, type=structured.element(U32))
    small = e.compare_integers("ult", bits, _u32(e, 1 << MANTISSA))
    code = e.select(small, denormal, raised)
    # One comparison finds zero, -0, what is negative or too large, infinity and NaN.
    before = e("arith.subi", bits, _u32(e, 1))
    none = e.compare_integers("uge", before, _u32(e, INFINITY - 1))
    return e.select(none, _u32(e, 0xFF), code)


# --- fewer bits -----------------------------------------------------------------------------------
def reduced(
    e: Emit, code: Value, type: ElementType, exponent_bits: int, mantissa_bits: int
) -> Value:
    """The code of a number rounded to a mantissa of so many bits, and flushed by its exponent.

    A type's own range of exponents is never widened: with as many exponent bits nothing is flushed.
    """
    format = format_of(type)
    top = 0 if format.only_powers else 1 << (format.bits - 1)
    wide = e("arith.extui", code, type=structured.element(U32))
    magnitude = _and(e, wide, top - 1) if top else wide
    rounded = _rounded(e, magnitude, max(0, format.mantissa - mantissa_bits))
    least, most = 0, format.largest
    if exponent_bits < format.bits - bool(top) - format.mantissa:
        reach = (1 << (exponent_bits - 1)) - 1
        least = (format.bias - reach + 1) << format.mantissa
        most = min(most, ((format.bias + reach + 1) << format.mantissa) - 1)
    above = e.compare_integers("ugt", rounded, _u32(e, most))
    below = e.compare_integers("ult", rounded, _u32(e, least))
    result = e.select(above, _u32(e, format.overflow), rounded)
    result = e.select(below, _u32(e, format.nan if format.only_powers else 0), result)
    result = _signed(e, result, wide, magnitude, format)
    return e("arith.trunci", result, type=structured.element(type))


def _rounded(e: Emit, magnitude: Value, dropped: int) -> Value:
    """Rounded to even at bit ``dropped``; a carry out of the mantissa raises the exponent."""
    if not dropped:
        return magnitude
    half = e("arith.addi", magnitude, _u32(e, (1 << (dropped - 1)) - 1))
    last = _and(e, e("arith.shrui", magnitude, _u32(e, dropped)), 1)
    return _and(e, e("arith.addi", half, last), 0xFFFFFFFF << dropped & 0xFFFFFFFF)


def _signed(e: Emit, code_of_finite: Value, code: Value, magnitude: Value, format: Format) -> Value:
    """A magnitude with the sign of ``code``, whose NaNs are kept."""
    if format.only_powers:
        return code_of_finite
    signed = e("arith.ori", code_of_finite, _and(e, code, 1 << (format.bits - 1)))
    if format.only_nan is not None:  # which is what -0 would be
        zero = e.compare_integers("eq", code_of_finite, _u32(e, 0))
        nan = e.compare_integers("eq", code, _u32(e, format.only_nan))
        return e.select(nan, code, e.select(zero, code_of_finite, signed))
    if format.overflow in (format.nan, format.largest):  # no infinity lies below the NaNs
        return signed
    nan = e.compare_integers("ugt", magnitude, _u32(e, format.overflow))
    return e.select(nan, code, signed)


# --- words ----------------------------------------------------------------------------------------
def _u32(e: Emit, value: int) -> Value:
    return e.constant(value, U32)


def _exponent(e: Emit, field: int) -> Value:
    """The bits of a power of two."""
    return _u32(e, field << MANTISSA)


def _and(e: Emit, bits: Value, mask: int) -> Value:
    return e("arith.andi", bits, _u32(e, mask))


def _bits(e: Emit, value: Value) -> Value:
    return e("arith.bitcast", value, type=structured.element(U32))


def _float(e: Emit, bits: Value) -> Value:
    return e("arith.bitcast", bits, type=structured.element(F32))
