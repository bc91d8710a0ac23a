"""Temporaries become offsets into one block, the frame's arena.

Before:
    %t = memref.alloc() : memref<4xf32>
After:
    %base = <frame's arena cursor>
    %t = <memref over %base + 128>

A scan over the ops gives each buffer the time that it is in use; ``codegen/memory_plan.py`` has
those that are not in use together share bytes. A function's block ends where its callees' begin,
so leaving the function in any way frees everything. ``shlo.arena`` on a function tells how many
bytes a call needs.

A buffer whose size is known at run time only takes the bytes behind the cursor and moves that on
(``passes/memory/bump_memory.py``), and so does one that a loop makes and passes on to its next
iteration;
``shlo.grows`` on a function says that a call may need any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import Code
from shlo_tools.codegen.lowered import ARENA, GROWS
from shlo_tools.codegen.memory_plan import Lifetime, MemoryPlan, plan
from shlo_tools.codegen.memrefs import memref_at
from shlo_tools.dtypes import tensor_type
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.passes.memory import bump_memory
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class PlanMemory(Pass):
    """Place temporaries in the frame's arena."""

    name = "shlo-plan-memory"

    def run(self, op: Operation) -> None:
        needed: dict[str, int] = {}
        growing: set[str] = set()
        for func in ir.call_order(op):
            if ir.is_declaration(func):
                continue
            live = _live_buffers(func)
            buffers = [buffer for buffer in live if not buffer.is_carried]
            layout = plan([buffer.lifetime for buffer in buffers])
            own = layout.size
            callees = {ir.callee_of(o) for o in mlir.walk(func) if o.name == "func.call"}
            below = max((needed.get(name, 0) for name in callees), default=0)
            needed[ir.symbol_name(func)] = own + below
            dynamic = bump_memory.dynamic_allocs(func)
            dynamic += [buffer.alloc for buffer in live if buffer.is_carried]
            if buffers or dynamic:
                _use_arena(func, buffers, layout, moves=bool(callees or dynamic))
            bump_memory.bump(func, dynamic, below)
            if dynamic or growing & callees:
                growing.add(ir.symbol_name(func))
                func.attributes[GROWS] = mlir.unit_attr()
            func.attributes[ARENA] = mlir.i64_attr(own + below)


@dataclass(frozen=True)
class Buffer:
    """A temporary, in use between two positions of ops.

    Where an iteration of a loop passes it on to the next one, that has to make another one.
    """

    alloc: Operation
    lifetime: Lifetime
    is_carried: bool


class _Aliases:
    """Union-find over memref values: which values may be views of one buffer."""

    def __init__(self) -> None:
        self.parent: dict[Value, Value] = {}

    def root(self, value: Value) -> Value:
        source = value
        while (up := self.parent.get(source, source)) != source:
            source = up
        if source != value:
            self.parent[value] = source
        return source

    def join(self, values: Sequence[Value]) -> None:
        roots = [self.root(value) for value in values]
        for root in roots[1:]:
            self.parent[root] = self.root(roots[0])


@dataclass
class _Enclosing:
    """A block and the position where the op that is being walked in it ends."""

    block: Block
    end: int = 0


@dataclass
class _Uses:
    """What the walk over a function finds out.

    Attributes:
        aliases: which memrefs may be views of one another.
        uses: per root of an alias class, the chains of (block, last position) that enclose a use,
            innermost first.
        allocs: the allocations with their positions and blocks.
        position: of the latest op seen.
    """

    aliases: _Aliases
    uses: list[tuple[Value, tuple[_Enclosing, ...]]]
    allocs: list[tuple[Operation, int, Block]]
    position: int = 0


def _live_buffers(func: Operation) -> list[Buffer]:
    """The allocations of a function with the times that they are in use."""
    buffer_uses = _Uses(_Aliases(), [], [])
    for region in func.regions:
        for block in region.blocks:
            _walk_block(block, (), buffer_uses)
    by_root: dict[Value, list[tuple[_Enclosing, ...]]] = {}
    for value, chains in buffer_uses.uses:
        by_root.setdefault(buffer_uses.aliases.root(value), []).append(chains)
    return [_buffer(alloc, buffer_uses, by_root) for alloc in buffer_uses.allocs]


def _walk_block(block: Block, outer: tuple[_Enclosing, ...], buffer_uses: _Uses) -> None:
    for view in block.operations:
        op = mlir.inner_operation(view)
        buffer_uses.position += 1
        chain = _Enclosing(block, buffer_uses.position)
        chains = (chain, *outer)
        operands = [value for value in op.operands if mlir.is_memref(value.type)]
        buffer_uses.uses.extend((value, chains) for value in operands)
        name = op.name
        if name == "memref.alloc" and not bump_memory.is_dynamic(op):
            buffer_uses.allocs.append((op, buffer_uses.position, block))
            buffer_uses.uses.append((op.results[0], chains))
        elif name.startswith("linalg."):  # its region holds scalars, and loads of other buffers
            loads = [o for o in mlir.walk(op) if o.name == "memref.load"]
            buffer_uses.uses.extend((o.operands[0], chains) for o in loads)
        else:
            results = [value for value in op.results if mlir.is_memref(value.type)]
            inner = [value for region in op.regions for value in _region_values(region)]
            if results or inner:
                buffer_uses.aliases.join([*operands, *results, *inner])
            for region in op.regions:
                for nested in region.blocks:
                    _walk_block(nested, chains, buffer_uses)
        chain.end = buffer_uses.position


def _region_values(region: Region) -> list[Value]:
    """Memrefs that pass in and out of a region."""
    values: list[Value] = []
    for block in region.blocks:
        values.extend(block.arguments)
        values.extend(ir.terminator(block).operands)
    return [value for value in values if mlir.is_memref(value.type)]


def _buffer(
    alloc: tuple[Operation, int, Block],
    buffer_uses: _Uses,
    by_root: dict[Value, list[tuple[_Enclosing, ...]]],
) -> Buffer:
    """A buffer used in a loop that it was made outside of is in use until the loop ends."""
    op, start, home = alloc
    end = start
    for chains in by_root[buffer_uses.aliases.root(op.results[0])]:
        around = next((chain for chain in chains if chain.block == home), None)
        if around is None:  # a view of it leaves its block: keep it throughout
            start, end = 0, buffer_uses.position
            break
        end = max(end, around.end)
    size = tensor_type(op.results[0].type).nbytes if _is_used(op.results[0]) else 0
    return Buffer(op, Lifetime(size, start, end), _is_carried(op, buffer_uses.aliases))


def _is_used(buffer: Value) -> bool:
    """Whether there are elements of a buffer that somebody reads or writes.

    What only tells loops their bounds, such as the shape of a window, has none.
    """
    return not all(_is_shape(use.owner.operation, use.operand_number) for use in buffer.uses)


def _is_shape(op: Operation, operand: int) -> bool:
    if op.name != "linalg.generic" or operand >= ir.integers_of(op, "operandSegmentSizes")[0]:
        return False
    return not list(op.regions[0].blocks[0].arguments[operand].uses)


def _is_carried(alloc: Operation, aliases: _Aliases) -> bool:
    """Whether a loop that a buffer is made in passes it on."""
    root = aliases.root(alloc.results[0])
    around = alloc.parent
    while around is not None and around.name != "func.func":
        if around.name in bump_memory.LOOPS:
            results = [value for value in around.results if mlir.is_memref(value.type)]
            if any(aliases.root(value) == root for value in results):
                return True
        around = around.parent
    return False


def _use_arena(
    func: Operation, buffers: Sequence[Buffer], layout: MemoryPlan, *, moves: bool
) -> None:
    block = func.regions[0].blocks[0]
    frame = fields.frame_of(func)
    code = Code(mlir.at_start(block), func.location)
    base = fields.load(code, frame, "arena")
    if moves:
        fields.store(code, frame, "arena", base + layout.size)
    for buffer, offset in zip(buffers, layout.offsets, strict=True):
        alloc = buffer.alloc
        here = Code(mlir.before(alloc), alloc.location)
        type = alloc.results[0].type
        address = here.word(base.value) + offset
        ir.replace(alloc, [memref_at(here, address, tensor_type(type).static_shape, type)])
    if moves:
        for op in ir.children(func):
            if op.name == "func.return":
                fields.store(Code(mlir.before(op), op.location), frame, "arena", base)
