"""``bitcast_convert``: the bits of elements as elements of another type.

Where widths differ the last dimension of the narrower tensor counts the parts of an element, the
low bits first. A complex number has its real part in the low bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, element_type
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, scalar_only
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import arithmetic, load
from shlo_tools.passes.legalize_to_linalg.rules import lowers


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
        return structured.generic(
            build, operands, maps, outputs, [result], lambda b, v: [_cast(b, v[0], have, want)]
        )

    def narrowed(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        *where, part = [structured.position(inner, d) for d in range(result.rank)]
        bits = _as_bits(inner, load(inner, operands[0], where), have)
        shifted = _shifted(inner, "shrui", bits, part, want.bits)
        narrow = inner.value("arith.trunci", (shifted,), mlir.integer_type(want.bits))
        return [_bits_as(inner, narrow, want)]

    def widened(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        where = [structured.position(inner, d) for d in range(result.rank)]
        parts = [structured.index(inner, number) for number in range(want.bits // have.bits)]
        values = [load(inner, operands[0], [*where, part]) for part in parts]
        bits = [_as_bits(inner, value, have) for value in values]
        return [_bits_as(inner, _joined(inner, bits, want.bits), want)]

    body = narrowed if have.bits > want.bits else widened
    return structured.generic(build, [], [], [structured.empty(build, result)], [result], body)


@scalar_only("stablehlo.bitcast_convert")
def _scalar(e: Emit, operand: Value) -> Value:
    """Of one width: others have a dimension of parts."""
    return _cast(e.build, operand, e.operand, e.result)


def _cast(build: Lowering, value: Value, source: ElementType, target: ElementType) -> Value:
    return _bits_as(build, _as_bits(build, value, source), target)


# --- bits -----------------------------------------------------------------------------------------
def _as_bits(build: Lowering, value: Value, type: ElementType) -> Value:
    """The bits of an element as an integer of its width, whatever it is stored in."""
    if type.is_complex:
        part = _part(type)
        stored = structured.element(part)
        parts = [build.value(f"complex.{name}", (value,), stored) for name in ("re", "im")]
        return _joined(build, [_as_bits(build, each, part) for each in parts], type.bits)
    if _width(value.type):
        return _resized(build, value, type.bits)
    return build.value("arith.bitcast", (value,), mlir.integer_type(type.bits))


def _bits_as(build: Lowering, bits: Value, type: ElementType) -> Value:
    """The element that has these bits."""
    lowered = structured.element(type)
    if type.is_complex:
        part = _part(type)
        high = _shifted(build, "shrui", bits, structured.index(build, 1), part.bits)
        parts = [_bits_as(build, _resized(build, half, part.bits), part) for half in (bits, high)]
        return build.value("complex.create", parts, lowered)
    if width := _width(lowered):
        return _resized(build, bits, width)
    return build.value("arith.bitcast", (bits,), lowered)


def _part(type: ElementType) -> ElementType:
    """The type of the real and of the imaginary part."""
    return element_type(f"f{type.bits // 2}")


def _width(type: Type) -> int:
    """The width of an integer type, 0 for any other."""
    text = str(type)
    return int(text[1:]) if text.startswith("i") else 0


def _resized(build: Lowering, bits: Value, width: int) -> Value:
    """The low bits of an integer, or those with zeros above."""
    have = _width(bits.type)
    if have == width:
        return bits
    name = "arith.trunci" if have > width else "arith.extui"
    return build.value(name, (bits,), mlir.integer_type(width))


def _joined(build: Lowering, parts: Sequence[Value], width: int) -> Value:
    """Equally wide integers as one, the first one in the low bits."""
    total, *rest = [_resized(build, part, width) for part in parts]
    for number, part in enumerate(rest, 1):
        index = structured.index(build, number)
        moved = _shifted(build, "shli", part, index, _width(parts[0].type))
        total = arithmetic(build, "ori", total, moved)
    return total


def _shifted(build: Lowering, name: str, bits: Value, part: Value, width: int) -> Value:
    """``bits`` shifted by ``part * width``."""
    type = bits.type
    number = build.value("arith.index_cast", (part,), type)
    step = build.value("arith.constant", (), type, {"value": mlir.integer_attr(width, type)})
    return arithmetic(build, name, bits, arithmetic(build, "muli", number, step))
