"""Elements as patterns of bits: taken, given back, cut and joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, Kind, element_type
from shlo_tools.mlir import Value
from shlo_tools.narrow_floats import is_narrow
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured


def cast_bits(e: Emit, value: Value, source: ElementType, target: ElementType) -> Value:
    """The element of one type that has the bits of one of another type of the same width."""
    if structured.element(source) == structured.element(target):
        return value
    return _bits_as(e, _as_bits(e, value, source), target)


def part_of_bits(
    e: Emit, value: Value, number: Value, source: ElementType, target: ElementType
) -> Value:
    """Part ``number`` (64 bits) of the bits of an element, as one of a narrower type."""
    bits = _as_bits(e, value, source)
    step = e("arith.muli", number, e.constant(target.bits, _unsigned(64)))
    shifted = e("arith.shrui", bits, _resized(e, step, 64, source.bits))
    return _bits_as(e, _resized(e, shifted, source.bits, target.bits), target)


def joined_bits(
    e: Emit, values: Sequence[Value], source: ElementType, target: ElementType
) -> Value:
    """The element whose bits are those of several others, the first one in the low bits."""
    bits = [_as_bits(e, value, source) for value in values]
    return _bits_as(e, _joined(e, bits, source.bits), target)


def _as_bits(e: Emit, value: Value, type: ElementType) -> Value:
    """The bits of an element as an integer of its width, whatever it is stored in."""
    if type.is_complex:
        part = _part(type)
        parts = [_as_bits(e, e.part(name, value), part) for name in ("re", "im")]
        return _joined(e, parts, part.bits)
    if width := _width(type):
        return _resized(e, value, width, type.bits)
    return e("arith.bitcast", value, type=mlir.integer_type(type.bits))


def _bits_as(e: Emit, bits: Value, type: ElementType) -> Value:
    """The element that has these bits."""
    if type.is_complex:
        part = _part(type)
        high = e("arith.shrui", bits, e.constant(part.bits, _unsigned(type.bits)))
        halves = [_resized(e, half, type.bits, part.bits) for half in (bits, high)]
        parts = [_bits_as(e, half, part) for half in halves]
        return e("complex.create", *parts, type=structured.element(type))
    if width := _width(type):
        return _resized(e, bits, type.bits, width)
    return e("arith.bitcast", bits, type=structured.element(type))


def _part(type: ElementType) -> ElementType:
    """The type of the real and of the imaginary part."""
    return element_type(f"f{type.bits // 2}")


def _unsigned(bits: int) -> ElementType:
    """An integer of any width, also of those that tensors do not hold."""
    return ElementType(f"ui{bits}", Kind.UNSIGNED, bits, np.dtype(np.uint64))


def _width(type: ElementType) -> int:
    """The width of what an element is stored in, 0 for what is no integer."""
    if is_narrow(type):
        return 8
    return 0 if type.is_float else type.bits


def _resized(e: Emit, bits: Value, have: int, width: int) -> Value:
    """The low bits of an integer, or those with zeros above."""
    if have == width:
        return bits
    name = "arith.trunci" if have > width else "arith.extui"
    return e(name, bits, type=mlir.integer_type(width))


def _joined(e: Emit, parts: Sequence[Value], each: int) -> Value:
    """Integers of ``each`` bits as one, the first one in the low bits."""
    width = each * len(parts)
    total, *rest = [_resized(e, part, each, width) for part in parts]
    for number, part in enumerate(rest, 1):
        moved = e("arith.shli", part, e.constant(number * each, _unsigned(width)))
        total = e("arith.ori", total, moved)
    return total
