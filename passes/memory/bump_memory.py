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
from shlo_tools.codegen import frame as frames
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Value

ALIGNMENT = 64
LOOPS = {"scf.for": 0, "scf.while": 1}  # the region that is an iteration


def is_dynamic(alloc: Operation) -> bool:
    """Whether an allocation's size is known at run time only."""
    return len(alloc.operands) > 0


def dynamic_allocs(func: Operation) -> list[Operation]:
    return [op for op in mlir.walk(func) if op.name == "memref.alloc" and is_dynamic(op)]


def bump(func: Operation, allocs: Sequence[Operation]) -> None:
    """Replace dynamic allocations by views of the arena."""
    if not allocs:
        return
    frame = func.regions[0].blocks[0].arguments[0]
    for loop in [op for op in mlir.walk(func) if op.name in LOOPS]:
        body = loop.regions[LOOPS[loop.name]].blocks[0]
        if any(_is_within(alloc, body) for alloc in allocs) and not _passes_buffers(loop):
            _give_back(body, frame, loop)
    for alloc in allocs:
        ir.replace(alloc, [_taken(alloc, frame)])


def _is_within(op: Operation, body: Block) -> bool:
    return any(op == inner for inner in _operations(body))


def _operations(body: Block) -> list[Operation]:
    return [inner for op in body.operations for inner in mlir.walk(mlir.inner_operation(op))]


def _passes_buffers(loop: Operation) -> bool:
    return any(mlir.is_memref(result.type) for result in loop.results)


def _give_back(body: Block, frame: Value, loop: Operation) -> None:
    mark = frames.load(Build(mlir.at_start(body), loop.location), frame, "arena", frames.pointer())
    end = Build(mlir.before(ir.terminator(body)), loop.location)
    frames.store(end, frame, "arena", mark)


def _taken(alloc: Operation, frame: Value) -> Value:
    build = Build(mlir.before(alloc), alloc.location)
    type = alloc.results[0].type
    held = tensor_type(type)
    given = iter(alloc.operands)
    shape = [
        dim
        if isinstance(dim, int)
        else build.value("arith.index_cast", (next(given),), frames.i64())
        for dim in held.shape
    ]
    count, fits = _bytes(build, held.element_type.dtype.itemsize, shape)
    address = frames.load(build, frame, "arena", frames.pointer())
    room = _distance(build, address, frames.load(build, frame, "arena_end", frames.pointer()))
    enough = _both(build, fits, _at_most(build, count, room))
    build.op("cf.assert", [enough], (), {"msg": mlir.string_attr("memory does not suffice")})
    frames.store(build, frame, "arena", frames.element_address(build, address, count))
    return frames.memref_at(build, address, shape, type)


def _bytes(build: Build, itemsize: int, shape: Sequence[int | Value]) -> tuple[Value, Value]:
    """How many bytes, rounded up for the next buffer, and whether the number is right."""
    total = frames.constant(build, itemsize)
    zero = frames.constant(build, 0)
    fits: Value | None = None
    for size in shape:
        number = frames.constant(build, size) if isinstance(size, int) else size
        types = (frames.i64(), frames.i64())
        low, high = build.op("arith.mului_extended", (total, number), types).results
        total = low
        exact = _both(
            build, _compare(build, 0, high, zero), _at_most(build, zero, low, signed=True)
        )
        fits = exact if fits is None else _both(build, fits, exact)
    rounded = build.value(
        "arith.addi", (total, frames.constant(build, ALIGNMENT - 1)), frames.i64()
    )
    mask = frames.constant(build, -ALIGNMENT)
    rounded = build.value("arith.andi", (rounded, mask), frames.i64())
    return rounded, _both(
        build, fits or _compare(build, 0, zero, zero), _at_most(build, total, rounded)
    )


def _distance(build: Build, start: Value, end: Value) -> Value:
    numbers = [build.value("llvm.ptrtoint", (address,), frames.i64()) for address in (end, start)]
    return build.value("arith.subi", numbers, frames.i64())


def _at_most(build: Build, a: Value, b: Value, *, signed: bool = False) -> Value:
    return _compare(build, 3 if signed else 7, a, b)


def _compare(build: Build, predicate: int, a: Value, b: Value) -> Value:
    attributes = {"predicate": mlir.i64_attr(predicate)}
    return build.value("arith.cmpi", (a, b), mlir.integer_type(1), attributes)


def _both(build: Build, a: Value, b: Value) -> Value:
    return build.value("arith.andi", (a, b), mlir.integer_type(1))
