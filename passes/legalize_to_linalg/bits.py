"""Elements as patterns of bits: taken, given back, joined and shifted."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, element_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Type, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import arithmetic


def as_bits(build: Lowering, value: Value, type: ElementType) -> Value:
    """The bits of an element as an integer of its width, whatever it is stored in."""
    if type.is_complex:
        part = _part(type)
        stored = structured.element(part)
        parts = [build.value(f"complex.{name}", (value,), stored) for name in ("re", "im")]
        return joined(build, [as_bits(build, each, part) for each in parts], type.bits)
    if _width(value.type):
        return _resized(build, value, type.bits)
    return build.value("arith.bitcast", (value,), mlir.integer_type(type.bits))


def bits_as(build: Lowering, bits: Value, type: ElementType) -> Value:
    """The element that has these bits."""
    lowered = structured.element(type)
    if type.is_complex:
        part = _part(type)
        high = shifted(build, "shrui", bits, structured.index(build, 1), part.bits)
        parts = [bits_as(build, _resized(build, half, part.bits), part) for half in (bits, high)]
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


def joined(build: Lowering, parts: Sequence[Value], width: int) -> Value:
    """Equally wide integers as one, the first one in the low bits."""
    total, *rest = [_resized(build, part, width) for part in parts]
    for number, part in enumerate(rest, 1):
        index = structured.index(build, number)
        moved = shifted(build, "shli", part, index, _width(parts[0].type))
        total = arithmetic(build, "ori", total, moved)
    return total


def shifted(build: Lowering, name: str, bits: Value, part: Value, width: int) -> Value:
    """``bits`` shifted by ``part * width``."""
    type = bits.type
    number = build.value("arith.index_cast", (part,), type)
    step = build.value("arith.constant", (), type, {"value": mlir.integer_attr(width, type)})
    return arithmetic(build, name, bits, arithmetic(build, "muli", number, step))
