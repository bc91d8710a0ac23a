"""Temporaries become offsets into one block, the frame's arena.

Before:
    %t = memref.alloc() : memref<4xf32>
After:
    %base = <frame's arena cursor>
    %t = <memref over %base + 128>

A scan over the ops gives each buffer the stretch in which it is used; buffers whose stretches do
not meet share bytes. A function's block ends where its callees' begin, so leaving the function
in any way frees everything. ``shlo.arena`` on a function tells how many bytes a call needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.passes.attach_frame import call_order, callee_of
from shlo_tools.pipeline.registry import Pass

ALIGNMENT = 64
ARENA = "shlo.arena"


@dataclass(frozen=True)
class PlanMemory(Pass):
    """Place temporaries in the frame's arena."""

    name = "shlo-plan-memory"

    def run(self, op: Operation) -> None:
        needed: dict[str, int] = {}
        for func in call_order(op):
            if ir.is_declaration(func):
                continue
            buffers = _live_buffers(func)
            own = _place(buffers)
            callees = {callee_of(o) for o in mlir.walk(func) if o.name == "func.call"}
            below = max((needed.get(name, 0) for name in callees), default=0)
            needed[ir.symbol_name(func)] = own + below
            if own:
                _use_arena(func, buffers, own, calls=bool(callees))
            func.attributes[ARENA] = mlir.integer_attr(own + below, frames.i64())


@dataclass
class Buffer:
    """A temporary: used from ``start`` to ``end`` (positions of ops), placed at ``offset``."""

    alloc: Operation
    size: int
    start: int
    end: int
    offset: int = 0


class _Aliases:
    """Union-find over memref values: which values may be views of one buffer."""

    def __init__(self) -> None:
        self.parent: dict[Value, Value] = {}

    def root(self, value: Value) -> Value:
        found = value
        while (up := self.parent.get(found, found)) != found:
            found = up
        self.parent[value] = found
        return found

    def join(self, values: Iterable[Value]) -> None:
        roots = [self.root(value) for value in values if mlir.is_memref(value.type)]
        for root in roots[1:]:
            self.parent[root] = self.root(roots[0])


def _live_buffers(func: Operation) -> list[Buffer]:
    """The allocations of a function with the stretches in which they are used."""
    ops = mlir.walk(func)
    position = {op: i for i, op in enumerate(ops)}
    aliases = _Aliases()
    for op in ops:
        if op.results or op.regions:
            _join_views(op, aliases)
    uses: dict[Value, list[Operation]] = {}
    for op in ops:
        for operand in op.operands:
            if mlir.is_memref(operand.type):
                uses.setdefault(aliases.root(operand), []).append(op)
    last = _last_positions(ops, position)
    found = []
    for op in ops:
        if op.name == "memref.alloc":
            type = tensor_type(op.results[0].type)
            start = position[op]
            ends = [
                _end_of_use(use, op.block, last)
                for use in uses.get(aliases.root(op.results[0]), [])
            ]
            end = max((len(ops) if e is None else e for e in ends), default=start)
            start = 0 if any(e is None for e in ends) else start
            found.append(Buffer(op, type.nbytes, start, end))
    return found


def _join_views(op: Operation, aliases: _Aliases) -> None:
    """A memref result may be a view of any memref operand, or of what a region yields."""
    values: list[Value] = [*op.operands, *op.results]
    if op.name != "func.func":
        for region in op.regions:
            for block in region.blocks:
                values.extend(block.arguments)
                values.extend(ir.terminator(block).operands)
    if any(mlir.is_memref(value.type) for value in op.results) or op.regions:
        aliases.join(values)


def _last_positions(ops: list[Operation], position: dict[Operation, int]) -> dict[Operation, int]:
    """Per op the position of the last op inside it."""
    last = dict(position)
    for op in reversed(ops):
        parent = op.parent
        if parent is not None:
            parent = mlir.inner_operation(parent)
            if parent in last:
                last[parent] = max(last[parent], last[op])
    return last


def _end_of_use(use: Operation, home: Block, last: dict[Operation, int]) -> int | None:
    """Where a use ends, seen from the block of the allocation; None if it is not below it.

    A buffer used in a loop is in use until the loop ends.
    """
    op = use
    while op.block != home:
        parent = op.parent
        if parent is None or mlir.inner_operation(parent).name == "func.func":
            return None
        op = mlir.inner_operation(parent)
    return last[op]


def _place(buffers: list[Buffer]) -> int:
    """Give every buffer the lowest offset that no buffer in use at the time covers."""
    active: list[Buffer] = []
    size = 0
    for buffer in sorted(buffers, key=lambda b: b.start):
        active = sorted((b for b in active if b.end >= buffer.start), key=lambda b: b.offset)
        at = 0
        for other in active:
            if at + buffer.size <= other.offset:
                break
            at = max(at, _aligned(other.offset + other.size))
        buffer.offset = at
        active.append(buffer)
        size = max(size, _aligned(at + buffer.size))
    return size


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _use_arena(func: Operation, buffers: list[Buffer], own: int, *, calls: bool) -> None:
    block = func.regions[0].blocks[0]
    frame = block.arguments[0]
    build = Build(mlir.at_start(block), func.location)
    base = frames.load(build, frame, "arena", frames.pointer())
    if calls:
        frames.store(build, frame, "arena", frames.element_address(build, base, own))
    for buffer in buffers:
        alloc = buffer.alloc
        here = Build(mlir.before(alloc), alloc.location)
        address = frames.element_address(here, base, buffer.offset)
        type = alloc.results[0].type
        view = frames.memref_at(here, address, tensor_type(type).static_shape, type)
        ir.replace(alloc, [view])
    if calls:
        for op in ir.children(func):
            if op.name == "func.return":
                frames.store(Build(mlir.before(op), op.location), frame, "arena", base)
