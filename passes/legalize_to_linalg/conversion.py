"""Numbers of one element type as those of another: by value, by bits, with less precision.

``convert`` gives the nearest value, and rounds once. Where hardware goes through f32 (f64 to f16 or
bf16, i64 to bf16) the first step rounds to odd, which the second step cannot tell from the exact
value. Floats of 8 bits and less are bytes, known only here: all conversions of them go through f32.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.narrow_floats import is_narrow
from shlo_tools.passes.legalize_to_linalg.bits import cast_bits, joined_bits, part_of_bits
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, elementwise, scalar_only
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import load
from shlo_tools.passes.legalize_to_linalg.encoding import MANTISSA, decode, encode, reduced
from shlo_tools.passes.legalize_to_linalg.rounding import (
    flush_exponent,
    mantissa_bits,
    round_bits,
    round_to_odd,
    sticky,
)
from shlo_tools.passes.legalize_to_linalg.rules import lowers

F32, F64 = ELEMENT_TYPES["f32"], ELEMENT_TYPES["f64"]
I32, I64 = ELEMENT_TYPES["i32"], ELEMENT_TYPES["i64"]
UI32, UI64 = ELEMENT_TYPES["ui32"], ELEMENT_TYPES["ui64"]
TF32_MANTISSA = 10


@elementwise
def convert(e: Emit, operand: Value) -> Value:
    return cast_scalar(e, operand, e.operand, e.result)


def cast_scalar(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    """``value`` of type ``source`` as ``target``."""
    if source == target:
        return value
    if source.is_complex and target.is_complex:
        part = _part_type(source), _part_type(target)
        parts = [cast_scalar(e, e.part(name, value), *part) for name in ("re", "im")]
        return e("complex.create", *parts, type=structured.element(target))
    if source.is_complex:  # the imaginary part is dropped
        return cast_scalar(e, e.part("re", value), _part_type(source), target)
    if target.is_complex:
        part_type = _part_type(target)
        real = cast_scalar(e, value, source, part_type)
        zero = e.constant(0.0, part_type)
        return e("complex.create", real, zero, type=structured.element(target))
    if is_narrow(source):
        return cast_scalar(e, decode(e, value, source), F32, target)
    if is_narrow(target):
        return encode(e, _to_single(e, value, source), target)
    if target.is_boolean:
        return _nonzero(e, value, source)
    if source.is_float and target.is_float:
        return _float_to_float(e, value, source, target)
    if source.is_float:
        return _float_to_integer(e, value, source, target)
    if target.is_float:
        return _integer_to_float(e, value, source, target)
    return _integer_to_integer(e, value, source, target)


def _part_type(type: ElementType) -> ElementType:
    return F32 if type.bits == 64 else F64


def _nonzero(e: Emit, value: Value, source: ElementType) -> Value:
    if source.is_float:  # NaN is true, -0 is false
        return e.compare_floats("une", value, e.constant(0.0, source))
    return e.compare_integers("ne", value, e.constant(0, source))


def _to_single(e: Emit, value: Value, source: ElementType) -> Value:
    """A number as f32, such that a further rounding gives what one rounding would have given."""
    if source == F64:
        return round_to_odd(e, value)
    if source.is_float or source.bits <= MANTISSA:
        return cast_scalar(e, value, source, F32)
    return round_to_odd(e, _to_double(e, value, source))


def _to_double(e: Emit, value: Value, source: ElementType) -> Value:
    """An integer as f64, where a 64-bit one leaves a trace of the digits that are lost."""
    name = "arith.sitofp" if source.kind is Kind.SIGNED else "arith.uitofp"
    exact = value if source.bits < 64 else sticky(e, value, source)
    return e(name, exact, type=structured.element(F64))


def _integer_to_integer(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    if source.bits == target.bits:
        return value
    type = structured.element(target)
    if source.bits > target.bits:
        return e("arith.trunci", value, type=type)
    return e("arith.extsi" if source.kind is Kind.SIGNED else "arith.extui", value, type=type)


def _integer_to_float(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    name = "arith.sitofp" if source.kind is Kind.SIGNED else "arith.uitofp"
    if target.bits >= 32:
        return e(name, value, type=structured.element(target))
    return _float_to_float(e, _to_double(e, value, source), F64, target)


def _float_to_float(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    type = structured.element(target)
    if source.bits < target.bits:
        return e("arith.extf", value, type=type)
    if source.bits == target.bits:  # f16 <-> bf16
        wide = e("arith.extf", value, type=structured.element(F32))
        return e("arith.truncf", wide, type=type)
    if source == F64 and target.bits == 16:
        return e("arith.truncf", round_to_odd(e, value), type=type)
    return e("arith.truncf", value, type=type)


def _float_to_integer(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    """Truncate toward zero; beyond the range the nearest bound, NaN 0."""
    if source.bits < 32:
        value, source = e("arith.extf", value, type=structured.element(F32)), F32
    signed = target.kind is Kind.SIGNED
    least = -(1 << (target.bits - 1)) if signed else 0
    most = (1 << (target.bits - 1 if signed else target.bits)) - 1
    # most + 1 and least are powers of two (or 0), so both are exact in every float type.
    too_big = e.compare_floats("oge", value, e.constant(float(most + 1), source))
    too_small = e.compare_floats("ole", value, e.constant(float(least), source))
    unordered = e.compare_floats("uno", value, value)
    outside = e("arith.ori", too_big, e("arith.ori", too_small, unordered))
    safe = e.select(outside, e.constant(0.0, source), value)
    name = "arith.fptosi" if signed else "arith.fptoui"
    inside = e(name, safe, type=mlir.integer_type(target.bits))
    bounded = e.select(too_big, e.constant(most, target), inside)
    return e.select(too_small, e.constant(least, target), bounded)


# --- reduced precision ----------------------------------------------------------------------------
@elementwise
def reduce_precision(e: Emit, operand: Value) -> Value:
    """Round the bits as a type of fewer mantissa bits would, then flush what its exponent lacks.

    NaNs are kept as they are, even where no mantissa is left to tell them from infinity.
    """
    wanted_exponent = ir.integer_of(e.op, "exponent_bits")
    wanted_mantissa = ir.integer_of(e.op, "mantissa_bits")
    if is_narrow(e.operand):
        return reduced(e, operand, e.operand, wanted_exponent, wanted_mantissa)
    bits = ELEMENT_TYPES[f"ui{e.operand.bits}"]
    mantissa = mantissa_bits(e.operand)
    exponent = e.operand.bits - 1 - mantissa
    value = e("arith.bitcast", operand, type=structured.element(bits))
    fewer = value
    if wanted_mantissa < mantissa:
        fewer = round_bits(e, fewer, mantissa - wanted_mantissa, bits)
    if wanted_exponent < exponent:
        fewer = flush_exponent(e, value, fewer, (exponent, mantissa, wanted_exponent), bits)
    number = e("arith.bitcast", fewer, type=structured.element(e.operand))
    return e.select(e.compare_floats("uno", operand, operand), operand, number)


def round_to_tf32(e: Emit, value: Value, source: ElementType) -> Value:
    """A number as the f32 nearest to it that has 10 bits of mantissa, as NVIDIA's TF32."""
    single = _to_single(e, value, source)
    bits = e("arith.bitcast", single, type=structured.element(UI32))
    rounded = round_bits(e, bits, MANTISSA - TF32_MANTISSA, UI32)
    number = e("arith.bitcast", rounded, type=structured.element(F32))
    return e.select(e.compare_floats("uno", single, single), single, number)


# --- the same bits --------------------------------------------------------------------------------
@lowers
def bitcast_convert(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    source, result = build.type(op.operands[0]), build.type(op.results[0])
    have, want = source.element_type, result.element_type
    if have.is_complex != want.is_complex:
        raise_unsupported([op], "(C2) complex numbers are no parts of others")
    if have.bits == want.bits:
        if structured.element(have) == structured.element(want):
            return operands
        maps, outputs = [structured.identity(result.rank)], [structured.empty(build, result)]

        def cast(inner: Lowering, values: list[Value]) -> Sequence[Value]:
            return [cast_bits(Emit(op, inner), values[0], have, want)]

        return structured.generic(build, operands, maps, outputs, [result], cast)

    def narrowed(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        *where, part = [structured.position(inner, d) for d in range(result.rank)]
        e = Emit(op, inner)
        number = e("arith.index_cast", part, type=mlir.integer_type(64))
        return [part_of_bits(e, load(inner, operands[0], where), number, have, want)]

    def widened(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        where = [structured.position(inner, d) for d in range(result.rank)]
        parts = [structured.index(inner, number) for number in range(want.bits // have.bits)]
        values = [load(inner, operands[0], [*where, part]) for part in parts]
        return [joined_bits(Emit(op, inner), values, have, want)]

    body = narrowed if have.bits > want.bits else widened
    return structured.generic(build, [], [], [structured.empty(build, result)], [result], body)


@scalar_only("stablehlo.bitcast_convert")
def _bitcast_scalar(e: Emit, operand: Value) -> Value:
    """Of one width: others have a dimension of parts."""
    return cast_bits(e, operand, e.operand, e.result)
