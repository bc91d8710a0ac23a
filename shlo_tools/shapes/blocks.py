"""Functions of several blocks, which branch to each other (``cf.br``, ``cf.cond_br``).

    ^bb0:
      cf.cond_br %p, ^bb1(%x : tensor<?xf32>), ^bb2(%y : tensor<?xf32>)

A block comes after all that dominate it. Its arguments are what all branches to it agree on; where
one of them comes later, as in a loop, they are what they are declared to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from shlo_tools import dims, ir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.ir import by_dominance
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.shapes import types
from shlo_tools.types import ValueType

if TYPE_CHECKING:
    from shlo_tools.shapes.analysis import Shapes

BRANCHES = ("cf.br", "cf.cond_br")


class Edge(NamedTuple):
    """A branch to a block, and the positions of the operands that it gives it."""

    branch: Operation
    target: Block
    positions: Sequence[int]

    @property
    def values(self) -> list[Value]:
        return [self.branch.operands[position] for position in self.positions]


def edges(branch: Operation) -> list[Edge]:
    """Where a branch goes, and with what."""
    targets = list(branch.successors)
    if branch.name == "cf.br":
        return [Edge(branch, targets[0], range(len(branch.operands)))]
    held: Any = branch.attributes["operandSegmentSizes"]
    first, second = list(held)[1:]
    ranges = (range(1, 1 + first), range(1 + first, 1 + first + second))
    return [Edge(branch, *row) for row in zip(targets, ranges, strict=True)]


def visit(shapes: Shapes, region: Region) -> list[ValueType]:
    """Visit the blocks of a function; returns what all its ends agree on."""
    blocks = by_dominance(region)
    ends = [ir.terminator(block) for block in blocks]
    known = all(end.name in BRANCHES for end in ends if len(end.successors))
    every = [edge for end in ends if end.name in BRANCHES for edge in edges(end)]
    seen: set[int] = set()  # the blocks visited, by address
    for block in blocks:
        given = [edge for edge in every if edge.target == block]
        if known and given and all(hash(edge.branch.block) in seen for edge in given):
            _bind(shapes, block, given)
        if seen:
            with shapes.knowledge.within(), shapes.perhaps():
                shapes.block(block)
        else:
            shapes.block(block)  # the first one always runs: what it has checked is known in all
        seen.add(hash(block))
    shapes.branches += [end for end in ends if end.name in BRANCHES]
    returns = [end for end in ends if not len(end.successors)]
    rows = [[shapes.type(value) for value in end.operands] for end in returns]
    return [_joined(column) for column in zip(*rows, strict=True)]


def _bind(shapes: Shapes, block: Block, given: Sequence[Edge]) -> None:
    rows = [[shapes.type(value) for value in edge.values] for edge in given]
    for argument, column in zip(block.arguments, zip(*rows, strict=True), strict=True):
        shapes.bind(argument, _joined(column))


def _joined(column: Sequence[ValueType]) -> ValueType:
    first, *others = column
    for other in others:
        first = types.combined(first, other, _same)
    return first


def _same(a: Dim, b: Dim) -> Dim:
    return a if dims.equal(a, b) else UNKNOWN
