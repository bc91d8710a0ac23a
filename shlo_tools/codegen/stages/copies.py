"""Copies of what is computed of values, as of values of other sizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, cast

from shlo_tools import dims
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind
from shlo_tools.dims import Symbol


def numbers_of(sizes: Iterable[Any], symbols: Mapping[Symbol, int]) -> tuple[Word, ...]:
    """Sizes of copies as the numbers that they are in a program."""
    return tuple(cast(int, dims.substituted(size, symbols)) for size in sizes)


class Copies(ABC):
    """Copies of elementwise nodes; of all else subclasses say what stands for it.

    Attributes:
        shape: of the copies, where nodes have dimensions.
    """

    def __init__(self, shape: tuple[Extent, ...]) -> None:
        self.shape = shape
        self._copies: dict[Node, Node | None] = {}

    def of(self, node: Node) -> Node | None:
        """The copy of a node; None where it rests on what has none."""
        if node not in self._copies:
            is_computed = node.kind is NodeKind.ELEMENTWISE
            self._copies[node] = self._computed(node) if is_computed else self.source(node)
        return self._copies[node]

    @property
    def computed(self) -> list[Node]:
        """The elementwise nodes that were copied."""
        return [node for node in self._copies if node.kind is NodeKind.ELEMENTWISE]

    @abstractmethod
    def source(self, node: Node) -> Node | None:
        """What stands for a node that is not elementwise."""

    def _computed(self, node: Node) -> Node | None:
        copies = [self.of(operand) for operand in node.operands]
        operands = tuple(copy for copy in copies if copy is not None)
        if not operands or len(operands) < len(copies):
            return None
        shape = self.shape if node.shape else ()
        return Node(node.kind, shape, node.element, operands, rule=node.rule)
