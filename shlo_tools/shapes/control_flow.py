"""Branches and loops: what all ways through them agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shlo_tools import dims, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.mlir import Operation
from shlo_tools.shapes import types
from shlo_tools.shapes.knowledge import Knowledge
from shlo_tools.types import OtherType, ValueType

if TYPE_CHECKING:
    from shlo_tools.shapes.analysis import Shapes


def branches(shapes: Shapes, op: Operation) -> None:
    """Results are what all branches agree on."""
    yielded: list[list[ValueType]] = []
    known: list[Knowledge] = []
    for region in op.regions:
        with shapes.knowledge.within(), shapes.perhaps():
            shapes.block(region.blocks[0])
            known.append(shapes.knowledge.copy())
        end = ir.terminator(region.blocks[0])
        yielded.append([shapes.type(value) for value in end.operands])
    apart: list[int] = []
    for position, (result, *found) in enumerate(zip(op.results, *yielded, strict=True)):
        joined, inside = found[0], known[0]
        for type, other in zip(found[1:], known[1:], strict=True):
            joined = _joined(joined, inside, type, other)
        shapes.bind(result, joined)
        if len({types.text(type) for type in found}) > 1:
            apart.append(position)
    shapes.apart[mlir.address_of(op)] = op, apart


def _joined(a: ValueType, in_a: Knowledge, b: ValueType, in_b: Knowledge) -> ValueType:
    """The sizes that two branches agree on, each with what it has checked."""

    def choose(x: Dim, y: Dim) -> Dim:
        if dims.equal(x, y):
            return x
        if dims.equal(in_b.size(x), in_b.size(y)):  # where b is taken its size is x, too
            return x
        return y if dims.equal(in_a.size(x), in_a.size(y)) else UNKNOWN

    return types.combined(a, b, choose)


def loop(shapes: Shapes, op: Operation) -> None:
    """The carried types that the body keeps, found by trying."""
    carried = [shapes.current(operand) for operand in op.operands]
    before, integers = len(shapes.open), len(shapes.integers)
    while True:
        kept = _iterated(shapes, op, carried)
        if kept == carried:
            break
        carried = kept
        del shapes.open[before:], shapes.integers[integers:]
    apart: list[int] = []
    for position, (result, type) in enumerate(zip(op.results, carried, strict=True)):
        shapes.bind(result, type)
        if types.text(shapes.type(op.operands[position])) != types.text(shapes.type(result)):
            apart.append(position)
    shapes.apart[mlir.address_of(op)] = op, apart


def _iterated(shapes: Shapes, op: Operation, carried: list[ValueType]) -> list[ValueType]:
    """The carried types without the sizes that an iteration changes."""
    cond, body = (region.blocks[0] for region in op.regions)
    with shapes.knowledge.within():
        shapes.enter(cond, carried)
    with shapes.knowledge.within(), shapes.perhaps():
        shapes.enter(body, carried)
        known = shapes.knowledge.copy()
    given = [shapes.type(argument) for argument in body.arguments]
    yielded = [shapes.type(value) for value in ir.terminator(body).operands]

    def joined(x: Dim, y: Dim) -> Dim:
        return x if dims.equal(known.size(x), known.size(y)) else UNKNOWN

    def kept(old: Dim, new: Dim) -> Dim:
        return UNKNOWN if UNKNOWN in (old, new) else old

    rows = zip(carried, given, yielded, strict=True)
    return [
        types.combined(old, types.combined(inside, after, joined), kept)
        for old, inside, after in rows
    ]


# --- computations that go on while others do ------------------------------------------------------
def async_start(shapes: Shapes, op: Operation) -> None:
    """A future of what the computation yields for these operands."""
    region = op.regions[0]
    shapes.bind_arguments(region.blocks[0], [shapes.current(operand) for operand in op.operands])
    shapes.region(region)
    held = ", ".join(types.text(type) for type in _yielded(shapes, op))
    shapes.bind(op.results[0], OtherType(f"!stablehlo.future<{held}>"))


def async_done(shapes: Shapes, op: Operation) -> None:
    """What the computation that ``async_start`` began yields."""
    start = mlir.defining_op(op.operands[0])
    if start is not None and start.name == "stablehlo.async_start":
        for result, type in zip(op.results, _yielded(shapes, start), strict=True):
            shapes.bind(result, type)


def _yielded(shapes: Shapes, op: Operation) -> list[ValueType]:
    end = ir.terminator(op.regions[0].blocks[0])
    return [shapes.type(value) for value in end.operands]


def cast(shapes: Shapes, op: Operation) -> None:
    """``tensor.cast`` has its operand's sizes, whatever its type says of them."""
    shapes.bind(op.results[0], shapes.current(op.operands[0]))
