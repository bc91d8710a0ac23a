"""Blocks of a function that branch to each other (``cf.br``, ``cf.cond_br``).

^bb0:
  cf.cond_br %p, ^bb1(%x : tensor<?xf32>), ^bb2(%y : tensor<?xf32>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shlo_tools import dims, ir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.shapes import types
from shlo_tools.types import ValueType

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
    _, first, second = ir.integers_of(branch, "operandSegmentSizes")
    ranges = (range(1, 1 + first), range(1 + first, 1 + first + second))
    return [Edge(branch, *row) for row in zip(targets, ranges, strict=True)]


class Graph:
    """The blocks of a function and the branches between them.

    Attributes:
        blocks: each after all that dominate it.
        branches: the ends of blocks that branch to others.
        returns: the ends of blocks that leave the function.
    """

    def __init__(self, region: Region) -> None:
        self.blocks = ir.by_dominance(region)
        ends = [ir.terminator(block) for block in self.blocks]
        self.branches = [end for end in ends if end.name in BRANCHES]
        self.returns = [end for end in ends if not len(end.successors)]
        self._is_known = len(ends) == len(self.branches) + len(self.returns)
        self._edges = [edge for branch in self.branches for edge in edges(branch)]

    def edges_to(self, block: Block) -> list[Edge]:
        """All branches to a block; none where some may be of an unknown kind."""
        return [edge for edge in self._edges if edge.target == block] if self._is_known else []


def agreed(rows: Sequence[Sequence[ValueType]]) -> list[ValueType]:
    """What several ways to one place agree on, value by value."""
    return [_joined(column) for column in zip(*rows, strict=True)]


def _joined(column: Sequence[ValueType]) -> ValueType:
    first, *others = column
    for other in others:
        first = types.combined(first, other, _same)
    return first


def _same(a: Dim, b: Dim) -> Dim:
    return a if dims.equal(a, b) else UNKNOWN
