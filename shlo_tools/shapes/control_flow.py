"""Branches and loops: what all ways through them agree on."""

from __future__ import annotations

from shlo_tools import dims, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.mlir import Operation
from shlo_tools.shapes import types
from shlo_tools.shapes.knowledge import Knowledge
from shlo_tools.shapes.walk import Mismatch, Walk
from shlo_tools.types import OtherType, ValueType


def branches(walk: Walk, op: Operation) -> None:
    """Results are what all branches agree on, and the numbers of one that is always taken."""
    yielded: list[list[ValueType]] = []
    known: list[Knowledge] = []
    for region in op.regions:
        with walk.knowledge.within(), walk.perhaps():
            walk.block(region.blocks[0])
            known.append(walk.knowledge.copy())
        end = ir.terminator(region.blocks[0])
        yielded.append([walk.type(value) for value in end.operands])
    differing: list[int] = []
    number = _always_taken(walk, op)
    for position, (result, *values) in enumerate(zip(op.results, *yielded, strict=True)):
        joined, inside = values[0], known[0]
        for type, other in zip(values[1:], known[1:], strict=True):
            joined = _joined(joined, inside, type, other)
        if number is not None:  # what it calls sizes may be unknown outside of it
            joined = types.combined(values[number], joined, _a_number_or)
        walk.bind(result, joined)
        if len({types.text(type) for type in values}) > 1:
            differing.append(position)
    walk.mismatches[mlir.address_of(op)] = Mismatch(op, differing)


def _a_number_or(x: Dim, y: Dim) -> Dim:
    return x if isinstance(x, int) else y


def _always_taken(walk: Walk, op: Operation) -> int | None:
    """The branch that a constant chooses."""
    chosen = walk.numbers(op.operands[0])
    if chosen is None:
        return None
    if op.name == "stablehlo.if":
        return 0 if chosen[0] else 1
    last = len(op.regions) - 1
    return chosen[0] if 0 <= chosen[0] <= last else last


def _joined(a: ValueType, in_a: Knowledge, b: ValueType, in_b: Knowledge) -> ValueType:
    """The sizes that two branches agree on, each with what it has checked."""

    def choose(x: Dim, y: Dim) -> Dim:
        if dims.equal(x, y):
            return x
        if dims.equal(in_b.size(x), in_b.size(y)):  # where b is taken its size is x, too
            return x
        return y if dims.equal(in_a.size(x), in_a.size(y)) else UNKNOWN

    return types.combined(a, b, choose)


def loop(walk: Walk, op: Operation) -> None:
    """The carried types that the body keeps, found by trying."""
    carried = [walk.current(operand) for operand in op.operands]
    before, integers = len(walk.unproven), len(walk.integers)
    while True:
        kept = _iterated(walk, op, carried)
        if kept == carried:
            break
        carried = kept
        del walk.unproven[before:], walk.integers[integers:]
    differing: list[int] = []
    for position, (result, type) in enumerate(zip(op.results, carried, strict=True)):
        walk.bind(result, type)
        if types.text(walk.type(op.operands[position])) != types.text(walk.type(result)):
            differing.append(position)
    walk.mismatches[mlir.address_of(op)] = Mismatch(op, differing)


def _iterated(walk: Walk, op: Operation, carried: list[ValueType]) -> list[ValueType]:
    """The carried types without the sizes that an iteration changes."""
    cond, body = (region.blocks[0] for region in op.regions)
    with walk.knowledge.within():
        walk.enter(cond, carried)
    with walk.knowledge.within(), walk.perhaps():
        walk.enter(body, carried)
        known = walk.knowledge.copy()
    argument_types = [walk.type(argument) for argument in body.arguments]
    yielded = [walk.type(value) for value in ir.terminator(body).operands]

    def joined(x: Dim, y: Dim) -> Dim:
        return x if dims.equal(known.size(x), known.size(y)) else UNKNOWN

    def kept(old: Dim, new: Dim) -> Dim:
        return UNKNOWN if UNKNOWN in (old, new) else old

    rows = zip(carried, argument_types, yielded, strict=True)
    return [
        types.combined(old, types.combined(inside, after, joined), kept)
        for old, inside, after in rows
    ]


# --- computations that go on while others do ------------------------------------------------------
def async_start(walk: Walk, op: Operation) -> None:
    """A future of what the computation yields for these operands."""
    region = op.regions[0]
    walk.bind_arguments(region.blocks[0], [walk.current(operand) for operand in op.operands])
    walk.region(region)
    members = ", ".join(types.text(type) for type in _yielded(walk, op))
    walk.bind(op.results[0], OtherType(f"!stablehlo.future<{members}>"))


def async_done(walk: Walk, op: Operation) -> None:
    """What the computation that ``async_start`` began yields."""
    start = mlir.defining_op(op.operands[0])
    if start is not None and start.name == "stablehlo.async_start":
        for result, type in zip(op.results, _yielded(walk, start), strict=True):
            walk.bind(result, type)


def _yielded(walk: Walk, op: Operation) -> list[ValueType]:
    end = ir.terminator(op.regions[0].blocks[0])
    return [walk.type(value) for value in end.operands]


def cast(walk: Walk, op: Operation) -> None:
    """``tensor.cast`` has its operand's sizes, whatever its type says of them."""
    walk.bind(op.results[0], walk.current(op.operands[0]))
