"""What a loop computes again and again from values that none of its iterations changes.

Before:
    stablehlo.while(%i, %x) : ... {
      %0 = stablehlo.transpose %a, dims = [1, 0]
      %1 = stablehlo.multiply %0, %scale
      %2 = stablehlo.dot_general %1, %x
After:
    %0 = stablehlo.transpose %a, dims = [1, 0]
    %1 = stablehlo.multiply %0, %scale
    stablehlo.while(%i, %x) : ... {
      %2 = stablehlo.dot_general %1, %x

It is computed in front of the loop where the loop then reads no more, or half of it where it saves
few instructions. What only says where elements are read from takes nothing, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from shlo_tools import dtypes, ir, mlir
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.partition.graph import (
    CONTRACTIONS,
    DEAR,
    NOT_ELEMENTWISE,
    SOURCES,
    VIEWS,
)
from shlo_tools.passes.partition.loops.blocks import LOOP

_BYTES = 4096  # that an iteration reads for it, at least
# What takes nothing where elements are read.
_IN_PLACE = {f"stablehlo.{name}" for name in (*SOURCES, *VIEWS, "convert", "pad")}
_PRODUCTS = {f"stablehlo.{name}" for name in CONTRACTIONS}
_DEAR = {name for name in DESCRIPTIONS if name.rpartition(".")[2] in {*DEAR, *NOT_ELEMENTWISE}}
_DEAR -= _IN_PLACE
# What may not end, or is no function of its operands alone.
_STAYING = {LOOP, "stablehlo.if", "stablehlo.case", "stablehlo.custom_call"}
_EFFECTS = Effects()


def hoist(ops: Iterable[Operation]) -> None:
    """Compute it in front of the loops among some ops, of which outer ones come first."""
    for loop in reversed([op for op in ops if op.name == LOOP]):
        *_, last = loop.regions[1].blocks[0].operations
        ends = list(last.operands)
        for region in loop.regions:
            _Body(loop, region.blocks[0], ends).hoist()


@dataclass(eq=False)
class _Part:
    """An op that computes the same in each iteration, the ``number``-th of the loop's."""

    number: int
    op: Operation
    name: str
    operands: list[Value]

    @cached_property
    def is_cut(self) -> bool:
        """Whether it makes less than it is made of, where that is read."""
        values = [*self.op.results, *self.operands]
        if self.name not in _IN_PLACE or not _are_static(values):
            return False
        return sum(map(_bytes, self.op.results)) < sum(map(_bytes, self.operands))

    @cached_property
    def turns(self) -> bool:
        """Whether it is a transposition that is no product's, which reads operands in any order."""
        if self.name != "stablehlo.transpose":
            return False
        return not {use.owner.name for use in self.op.results[0].uses} <= _PRODUCTS


class _Body:
    """What a loop computes in each iteration.

    Attributes:
        parts: the ops that compute the same each time, by their results.
        used: values that other ops use.
        outside: what values inside are in front of the loop: those that iterations hand on as
            they are, and copies.
    """

    def __init__(self, loop: Operation, block: Block, ends: Sequence[Value]) -> None:
        """``ends``: what the loop hands on."""
        self.loop = loop
        self.parts: dict[Value, _Part] = {}
        self.used: set[Value] = set()
        self.outside: dict[Value, Value] = {}
        changing: set[Value] = set()
        body = loop.regions[1].blocks[0].arguments
        rows = zip(block.arguments, body, ends, loop.operands, strict=True)
        for argument, first, end, operand in rows:
            if end == first and argument.type == operand.type:
                self.outside[argument] = operand
            else:
                changing.add(argument)
        for number, view in enumerate(block.operations):
            op = mlir.inner_operation(view)
            operands = ir.used_values(op)
            if _can_move(op) and changing.isdisjoint(operands):
                part = _Part(number, op, op.name, list(op.operands))
                self.parts |= dict.fromkeys(op.results, part)
            else:
                changing |= set(op.results)
                self.used |= set(operands)

    def hoist(self) -> None:
        for value in [value for value in self.parts if value in self.used]:
            parts = self._made_of(value)
            if parts and self._is_worth_it(value, parts):
                for part in parts:
                    self._compute_outside(part)

    def _made_of(self, value: Value) -> list[_Part]:
        """What a value rests on inside, in order."""
        needed, pending = set[_Part](), [value]
        while pending:
            part = self.parts.get(pending.pop())
            if part is not None and part not in needed:
                needed.add(part)
                pending += part.operands
        return sorted(needed, key=lambda part: part.number)

    def _is_worth_it(self, value: Value, parts: Sequence[_Part]) -> bool:
        """Whether an iteration reads and computes less where it finds a value in memory."""
        turns = any(part.turns for part in parts)
        if not turns and all(part.name in _IN_PLACE for part in parts):
            return False
        sources = self._sources(value)
        if not _are_static([value, *sources]):
            return False
        stored, size = _bytes(value), sum(map(_bytes, sources))
        if any(part.name in _PRODUCTS for part in parts):
            return size >= _BYTES
        is_dear = turns or any(part.name in _DEAR for part in parts)
        return size >= _BYTES and stored * (1 if is_dear else 2) <= size

    def _sources(self, value: Value) -> set[Value]:
        """What is read of memory to compute a value: of what is cut out, no more than that."""
        sources, visited, pending = set[Value](), set[Value](), [value]
        while pending:
            last = pending.pop()
            if last in visited:
                continue
            visited.add(last)
            part = self.parts.get(last)
            if part is None or (last != value and part.is_cut):
                sources.add(last)
            else:
                pending += part.operands
        return sources

    def _compute_outside(self, part: _Part) -> None:
        """Move an op, or copy it where others may read it in place."""
        op = part.op
        if part.name not in _IN_PLACE:
            op.move_before(self.loop)
            for result in op.results:
                self.parts.pop(result, None)
            ir.replace_operands([op], self.outside)
        elif op.results[0] not in self.outside:
            copy = mlir.inner_operation(op.clone(mlir.before(self.loop)))
            ir.replace_operands([copy], self.outside)
            self.outside[op.results[0]] = copy.results[0]


def _can_move(op: Operation) -> bool:
    is_known = op.name in DESCRIPTIONS and op.name not in _STAYING
    return is_known and len(op.results) > 0 and _EFFECTS.only_computes(op)


def _are_static(values: Iterable[Value]) -> bool:
    return all(mlir.is_static_tensor(value.type) for value in values)


def _bytes(value: Value) -> int:
    return dtypes.tensor_type(value.type).nbytes
