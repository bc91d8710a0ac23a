"""Buffers whose sizes are known at run time only: taken from behind the frame's arena cursor.

Before:
    scf.while ... do { %t = memref.alloc(%n) : memref<?xf32> ... scf.yield }
After:
    scf.while ... do {
      %mark = <cursor>
      <cursor = %mark + aligned bytes of n elements, or leave with an error>
      %t = <memref over %mark>
      ...
      <cursor = %mark>
      scf.yield }

A loop gives back with each iteration what that took, unless it carries buffers. The function gives
back the rest when it returns.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import I1, Code, Number, Word
from shlo_tools.codegen.memory_plan import ALIGNMENT
from shlo_tools.codegen.memrefs import memref_at
from shlo_tools.dtypes import tensor_type
from shlo_tools.mlir import Block, Operation, Value

LOOPS = {"scf.for": 0, "scf.while": 1}  # the region that is an iteration


def is_dynamic(alloc: Operation) -> bool:
    """Whether an allocation's size is known at run time only."""
    return len(alloc.operands) > 0


def dynamic_allocs(func: Operation) -> list[Operation]:
    return [op for op in mlir.walk(func) if op.name == "memref.alloc" and is_dynamic(op)]


def bump(func: Operation, allocs: Sequence[Operation], below: int) -> None:
    """Replace dynamic allocations by views of the arena.

    Args:
        below: bytes that the functions have to find there that this one calls.
    """
    if not allocs:
        return
    frame = fields.frame_of(func)
    for loop in [op for op in mlir.walk(func) if op.name in LOOPS]:
        body = loop.regions[LOOPS[loop.name]].blocks[0]
        if any(_is_within(alloc, body) for alloc in allocs) and not _passes_buffers(loop):
            _give_back(body, frame, loop)
    for alloc in allocs:
        ir.replace(alloc, [_taken(alloc, frame, below)])


def _is_within(op: Operation, body: Block) -> bool:
    return any(op == inner for inner in _operations(body))


def _operations(body: Block) -> list[Operation]:
    return [inner for op in body.operations for inner in mlir.walk(mlir.inner_operation(op))]


def _passes_buffers(loop: Operation) -> bool:
    return any(mlir.is_memref(result.type) for result in loop.results)


def _give_back(body: Block, frame: Value, loop: Operation) -> None:
    mark = fields.load(Code(mlir.at_start(body), loop.location), frame, "arena")
    end = Code(mlir.before(ir.terminator(body)), loop.location)
    fields.store(end, frame, "arena", mark)


def _taken(alloc: Operation, frame: Value, below: int) -> Value:
    code = Code(mlir.before(alloc), alloc.location)
    type = alloc.results[0].type
    buffer = tensor_type(type)
    sizes = iter(alloc.operands)
    shape = [dim if isinstance(dim, int) else code.word(next(sizes)) for dim in buffer.shape]
    count, fits = _bytes(code, buffer.element_type.dtype.itemsize, shape)
    address = fields.load(code, frame, "arena")
    room = fields.load(code, frame, "arena_end") - address
    enough = fits & (count <= room - below)
    code.op("cf.assert", [enough], (), {"msg": mlir.string_attr("memory does not suffice")})
    fields.store(code, frame, "arena", address + count)
    return memref_at(code, address, shape, type)


def _bytes(code: Code, itemsize: int, shape: Sequence[Number]) -> tuple[Word, Word]:
    """How many bytes, rounded up for the next buffer, and whether the number is right."""
    total = code.constant(itemsize)
    fits = code.constant(1, I1)
    for size in shape:
        total, is_too_large = total.multiplied_exactly(size)
        fits = fits & is_too_large.compared("eq", 0) & (total >= 0)
    rounded = (total + (ALIGNMENT - 1)) & -ALIGNMENT
    return rounded, fits & (rounded >= 0)
