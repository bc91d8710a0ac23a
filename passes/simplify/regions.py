"""Which arguments and values the regions of an op need, and leaving out those they do not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from shlo_tools import ir, mlir
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.simplify.driver import Rewriter

_EFFECTS = Effects()


def body(region: Region) -> Block:
    """The one block of a region."""
    block: Block = region.blocks[0]
    return block


def inlined(op: Operation, region: Region) -> list[Value] | None:
    """Move the ops of a region without arguments in front of its op; returns what it yields.

    None, and nothing is moved, where that has other types than the op's results.
    """
    block = body(region)
    yielded = list(ir.terminator(block).operands)
    if [value.type for value in yielded] != [result.type for result in op.results]:
        return None
    for inner in [mlir.inner_operation(o) for o in block.operations][:-1]:
        inner.move_before(op)
    return yielded


def is_outside(value: Value, op: Operation) -> bool:
    """Whether a value, which an op's regions see, is defined outside of the op."""
    inner = mlir.defining_op(value)
    owner = inner.parent if inner is not None else value.owner.owner
    while owner is not None:
        if mlir.inner_operation(owner) == op:
            return False
        owner = mlir.inner_operation(owner).parent
    return True


def needed(block: Block, yielded: Iterable[int]) -> set[int]:
    """Which arguments some of the values that a block yields depend on, and its effects do."""
    return Dependences(block).needed(yielded)


class Dependences:
    """What the ops of a block depend on, which is read once."""

    def __init__(self, block: Block) -> None:
        *operations, end = map(mlir.inner_operation, block.operations)
        self._arguments, self._yielded = list(block.arguments), list(end.operands)
        self._rows = [_Row(op, list(op.results)) for op in reversed(operations)]

    def needed(self, yielded: Iterable[int]) -> set[int]:
        """Which arguments some of the values that are yielded depend on, and effects do."""
        values = {self._yielded[index] for index in yielded}
        for row in self._rows:
            if not values.isdisjoint(row.results) or row.has_effects:
                values.update(row.sources)
        return {index for index, value in enumerate(self._arguments) if value in values}


@dataclass(eq=False)
class _Row:
    """An op; what is asked of it is looked up when it is first asked."""

    op: Operation
    results: list[Value]

    @cached_property
    def has_effects(self) -> bool:
        return not _EFFECTS.only_computes(self.op)

    @cached_property
    def sources(self) -> list[Value]:
        return ir.used_values(self.op)


def without(
    build: Rewriter,
    region: Region,
    target: Region,
    arguments: Collection[int],
    yielded: Sequence[int] | None,
    instead: Sequence[Value],
) -> None:
    """Move a block to another region, without some arguments and yielding some values only.

    Args:
        arguments: positions of those that go.
        yielded: positions of the values that are yielded still; None for all.
        instead: per argument, what stands in for it where dead ops use it still.
    """
    block = body(region)
    for index in arguments:
        build.replace_uses(block.arguments[index], instead[index])
    block.append_to(target)
    if yielded is not None:
        end = ir.terminator(block)
        values = [end.operands[index] for index in yielded]
        build.erase(end)
        build.inside(block).op("stablehlo.return", values)
    for index in sorted(arguments, reverse=True):
        block.erase_argument(index)
