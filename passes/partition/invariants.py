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

from collections.abc import Iterable, Mapping, Sequence

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
        self.parts: dict[Value, Operation] = {}
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
        for view in block.operations:
            op = mlir.inner_operation(view)
            operands = [*op.operands, *(ir.captured(op) if len(op.regions) else ())]
            if _can_move(op) and changing.isdisjoint(operands):
                self.parts |= dict.fromkeys(op.results, op)
            else:
                changing |= set(op.results)
                self.used |= set(operands)

    def hoist(self) -> None:
        for value in [value for value in self.parts if value in self.used]:
            ops = self._made_of(value) if value in self.parts else []
            if ops and _is_worth_it(value, ops):
                for op in ops:
                    self._compute_outside(op)

    def _made_of(self, value: Value) -> list[Operation]:
        """The ops inside that a value rests on, in order."""
        needed, pending = set[Value](), [value]
        while pending:
            last = pending.pop()
            if last in self.parts and last not in needed:
                needed.add(last)
                pending += self.parts[last].operands
        return [op for part, op in self.parts.items() if part in needed]

    def _compute_outside(self, op: Operation) -> None:
        """Move an op, or copy it where others may read it in place."""
        if op.name not in _IN_PLACE:
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


def _is_worth_it(value: Value, ops: list[Operation]) -> bool:
    """Whether an iteration reads and computes less where it finds a value in memory."""
    turns = any(map(_is_transposition, ops))
    if not turns and all(op.name in _IN_PLACE for op in ops):
        return False
    inside = {result: op for op in ops for result in op.results}
    sources = _sources(value, inside)
    if not all(mlir.is_static_tensor(each.type) for each in (value, *sources)):
        return False
    stored, size = _bytes(value), sum(map(_bytes, sources))
    if any(op.name in _PRODUCTS for op in ops):
        return size >= _BYTES
    is_dear = turns or any(op.name in _DEAR for op in ops)
    return size >= _BYTES and stored * (1 if is_dear else 2) <= size


def _sources(value: Value, inside: Mapping[Value, Operation]) -> set[Value]:
    """What is read of memory to compute a value: of what is cut out, no more than that."""
    sources, pending = set[Value](), [value]
    while pending:
        last = pending.pop()
        op = inside.get(last)
        if op is None or (last != value and _is_cut(last, op)):
            sources.add(last)
        else:
            pending += op.operands
    return sources


def _is_cut(value: Value, op: Operation) -> bool:
    are_static = all(mlir.is_static_tensor(each.type) for each in (value, *op.operands))
    return op.name in _IN_PLACE and are_static and _bytes(value) < sum(map(_bytes, op.operands))


def _bytes(value: Value) -> int:
    return dtypes.tensor_type(value.type).nbytes


def _is_transposition(op: Operation) -> bool:
    """One that is no product's, which reads operands in any order."""
    if op.name != "stablehlo.transpose":
        return False
    return not {use.owner.name for use in op.results[0].uses} <= _PRODUCTS
