"""Between memrefs and addresses."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.codegen.llvm import POINTER, Code, Number, Word
from shlo_tools.dtypes import parse_tensor_type, tensor_type
from shlo_tools.mlir import Type, Value


def memref_at(
    code: Code,
    address: Word,
    shape: Sequence[Number],
    type: Type,
    strides: Sequence[Number] | None = None,
) -> Value:
    """A memref of ``type`` over memory that starts at ``address``; row-major by default.

    Args:
        shape: sizes; those known at run time only as i64.
        strides: likewise.
    """
    rank = len(shape)
    sizes = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    struct = mlir.parse_type(f"!llvm.struct<(ptr, ptr, i64{sizes})>")
    descriptor = code.emit("llvm.mlir.poison", (), struct)
    steps = _row_major(shape) if strides is None else strides
    fields: dict[tuple[int, ...], Number] = {(0,): address, (1,): address, (2,): 0}
    for d in range(rank):
        fields |= {(3, d): shape[d], (4, d): steps[d]}
    words: dict[int, Word] = {}  # equal numbers are one constant
    for where, value in fields.items():
        if isinstance(value, int):
            value = words[value] = words.get(value) or code.constant(value)
        position = mlir.i64_array_attr(where)
        operands = (descriptor, value)
        descriptor = code.emit("llvm.insertvalue", operands, struct, position=position)
    return code.value("builtin.unrealized_conversion_cast", (descriptor.value,), type)


def _row_major(shape: Sequence[Number]) -> list[Number]:
    strides: list[Number] = []
    step: Number = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * size
    return strides[::-1]


def address_of(code: Code, buffer: Value) -> Word:
    """The address of a memref's first element: the way back from ``memref_at``."""
    index = mlir.index_type()
    start = code.value("memref.extract_aligned_pointer_as_index", (buffer,), index)
    address = code.emit("llvm.inttoptr", (code.word(start),), POINTER)
    type = buffer.type
    if not mlir.is_strided(type) or type.get_strides_and_offset()[1] == 0:
        return address
    itemsize = parse_tensor_type(f"tensor<{type.element_type}>").element_type.dtype.itemsize
    _, offset, _, _ = strided_metadata(code, buffer)
    return address + code.word(offset) * itemsize


def strided_metadata(
    code: Code, buffer: Value
) -> tuple[Value, Value, Sequence[Value], Sequence[Value]]:
    """A memref's base, offset, sizes and strides, as they are at run time."""
    type = buffer.type
    rank = len(type.shape)
    types = [mlir.parse_type(f"memref<{type.element_type}>"), *[mlir.index_type()] * (1 + 2 * rank)]
    base, offset, *measures = code.op("memref.extract_strided_metadata", (buffer,), types).results
    return base, offset, measures[:rank], measures[rank:]


def extent(code: Code, buffer: Value, dimension: int) -> Number:
    """A size of a memref: a number where it is known."""
    size = tensor_type(buffer.type).shape[dimension]
    if isinstance(size, int):
        return size
    place = code.index(dimension)
    return code.word(code.value("memref.dim", (buffer, place), mlir.index_type()))
