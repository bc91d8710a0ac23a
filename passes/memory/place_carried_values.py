"""Values carried by a loop get a buffer each, for all of its iterations.

Before:
    %r:2 = scf.while (%a = %x, %b = %y) : (...) { scf.condition(%c) %a, %b } do { scf.yield %b, %s }
After:
    <buffers for a and b, holding %x and %y>
    scf.while { %a = bufferization.to_tensor %buffer_a ... scf.condition(%c) } do {
      ...
      func.call @shlo.carry.0(%b', %s', %buffer_a, %buffer_b)
      scf.yield }
    %r = bufferization.to_tensor %buffer_a ...

The body may update a value in its buffer, so a loop that writes one row of a large tensor per
iteration copies nothing else. ``shlo.carry`` puts all new values in place at once, whatever
aliases whatever; after bufferization, when that is known, ``shlo-lower-carries`` makes copies
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import CARRY, STEADY
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.passes.memory.buffers import allocated_like, copied
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class PlaceCarriedValues(Pass):
    """Give values carried by loops a buffer for all iterations."""

    name = "shlo-place-carried-values"

    def run(self, op: Operation) -> None:
        loops = [o for o in reversed(mlir.walk(op)) if o.name == "scf.while" and _is_plain(o)]
        for number, loop in enumerate(loops):
            _place(op, loop, f"{CARRY}.{number}")


def _is_plain(loop: Operation) -> bool:
    """Whether the condition passes on exactly what it was given, and a tensor has a place."""
    block = loop.regions[0].blocks[0]
    passed = list(ir.terminator(block).operands)[1:]
    return passed == list(block.arguments) and bool(_placeable(loop))


def _placeable(loop: Operation) -> list[int]:
    """The carried tensors whose sizes are the same in every iteration."""
    steady = ir.integers_of(loop, STEADY, ())
    return [
        i
        for i, value in enumerate(loop.operands)
        if mlir.is_tensor(value.type) and (i in steady or tensor_type(value.type).is_static)
    ]


def _place(module: Operation, loop: Operation, carry: str) -> None:
    tensors = _placeable(loop)
    others = [i for i in range(len(loop.operands)) if i not in tensors]
    build = Build(mlir.before(loop), loop.location)
    buffers = [_buffer(build, loop.operands[i]) for i in tensors]
    types = [loop.operands[i].type for i in others]
    new_loop = build.op("scf.while", [loop.operands[i] for i in others], types, regions=2)
    for old, new in zip(loop.regions, new_loop.regions, strict=True):
        _move(old, new, build, (tensors, others, buffers))
    _end_condition(new_loop, others)
    _end_body(module, new_loop, carry, (tensors, others, buffers))
    after = Build(mlir.after(new_loop), loop.location)
    results = _interleaved(after, (tensors, others, buffers), list(new_loop.results))
    ir.replace(loop, results)


Plan = tuple[list[int], list[int], list[Value]]


def _buffer(build: Build, initial: Value) -> Value:
    """A new buffer that holds a loop's initial value."""
    buffer = allocated_like(build, initial)
    build.op(
        "bufferization.materialize_in_destination",
        (initial, buffer),
        (),
        {"restrict": mlir.unit_attr(), "writable": mlir.unit_attr()},
    )
    return buffer


def _tensor(build: Build, buffer: Value) -> Value:
    type = mlir.tensor_type(list(buffer.type.shape), buffer.type.element_type)
    attributes = {"restrict": mlir.unit_attr(), "writable": mlir.unit_attr()}
    return build.value("bufferization.to_tensor", (buffer,), type, attributes)


def _interleaved(build: Build, plan: Plan, values: Sequence[Value]) -> list[Value]:
    """Tensors read from their buffers and other values, in the loop's original order."""
    tensors, others, buffers = plan
    placed = {i: _tensor(build, buffer) for i, buffer in zip(tensors, buffers, strict=True)}
    placed |= dict(zip(others, values, strict=True))
    return [placed[i] for i in sorted(placed)]


def _move(old: Region, new: Region, build: Build, plan: Plan) -> None:
    """Move a region's ops into a block whose tensors come from the buffers."""
    source: Block = old.blocks[0]
    types = [source.arguments[i].type for i in plan[1]]
    block, inner = build.block(new, types)
    values = _interleaved(inner, plan, list(block.arguments))
    for argument, value in zip(list(source.arguments), values, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(source.operations):
        block.append(op)


def _end_condition(loop: Operation, others: list[int]) -> None:
    end = ir.terminator(loop.regions[0].blocks[0])
    passed = [end.operands[0], *(end.operands[1 + i] for i in others)]
    Build(mlir.before(end), end.location).op("scf.condition", passed)
    end.erase()


def _end_body(module: Operation, loop: Operation, carry: str, plan: Plan) -> None:
    tensors, others, buffers = plan
    end = ir.terminator(loop.regions[1].blocks[0])
    build = Build(mlir.before(end), end.location)
    new = [
        build.value(
            "bufferization.to_buffer",
            (end.operands[i],),
            buffer.type,
            {"read_only": mlir.unit_attr()},
        )
        for i, buffer in zip(tensors, buffers, strict=True)
    ]
    operands = [*new, *buffers]
    passed = [_kept(build, end.operands[i]) for i in others]
    _declare(module, carry, operands)
    build.call(carry, operands)
    build.op("scf.yield", passed)
    end.erase()


def _kept(build: Build, value: Value) -> Value:
    """A value passed on as it is: it may stand in a buffer that ``shlo.carry`` writes."""
    return copied(build, value) if mlir.is_tensor(value.type) else value


def _declare(module: Operation, name: str, operands: Sequence[Value]) -> None:
    block = module.regions[0].blocks[0]
    types = [value.type for value in operands]
    build = Build(mlir.at_end(block), module.location)
    build.function(name, types, (), {CARRY: mlir.unit_attr()})
