"""Plain sorts: kernels that say nothing of a program, so that all programs share them.

Arguments and numbers of places that go by a number of each element are sorted by code for lines of
any sizes, which are words of the context. By which algorithm, and whether lines are rows or
columns, is as for the sizes at hand.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from shlo_tools import dims
from shlo_tools.codegen.jobs import Place
from shlo_tools.codegen.stages.copies import Copies
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind
from shlo_tools.codegen.stages.sorts.lines import Lines, Sort
from shlo_tools.dims import Size, Symbol

_LINE = 1  # the dimension of lines


def _size(name: str) -> Size:
    return dims.symbol(name, minimum=1)


_OUTER, _LENGTH, _INNER = map(_size, ("outer", "length", "inner"))
_COUNT, _MOST, _TOGETHER, _PART = map(_size, ("count", "most", "together", "part"))
_LIST_BYTES = _size("list_bytes")


def plain(sort: Sort) -> Sort | None:
    """The same for lines of any sizes, if it is plain."""
    node, order, key = sort.node, sort.order, sort.key
    if key is None or node.count == 0 or not node.shape:
        return None
    copies = _Copies(node, order.dimension)
    kept = sorted(set(sort.numbers))
    operands = [copies.operand(node.operands[number]) for number in kept]
    below = copies.of(key.node)
    if below is None or None in operands:
        return None
    sorted_node = Node(
        NodeKind.SORT,
        copies.shape,
        node.element,
        tuple(operand for operand in operands if operand is not None),
        attributes=replace(order, dimension=_LINE, key=replace(key, node=below)),
    )
    arguments = [Place("argument", number) for number in copies.inputs]
    results = [Place("result", number) for number in range(len(sort.numbers))]
    return Sort(
        sorted_node,
        tuple(kept.index(number) for number in sort.numbers),
        list(copies.inputs.values()),
        (*arguments, *results),
        _general(sort.lines),
        _sizes(sort),
    )


def _general(lines: Lines) -> Lines:
    """Lines without their sizes."""
    return replace(
        lines,
        count=_COUNT,
        length=_LENGTH,
        most=_MOST,
        together=_TOGETHER,
        part=_PART,
        list_bytes=_LIST_BYTES,
    )


def _sizes(sort: Sort) -> dict[Symbol, int]:
    """What the symbols stand for."""
    lines, shape, dimension = sort.lines, sort.node.shape, sort.order.dimension
    sizes: dict[Size, Extent] = {
        _OUTER: math.prod(shape[:dimension]),
        _INNER: math.prod(shape[dimension + 1 :]),
        _COUNT: lines.count,
        _LENGTH: lines.length,
        _MOST: lines.most,
        _TOGETHER: lines.together,
        _PART: lines.part,
        _LIST_BYTES: lines.list_bytes,
    }
    return {symbol: number for size, number in sizes.items() for symbol in dims.symbols(size)}


class _Copies(Copies):
    """Nodes below a sort, as of lines of any sizes.

    Their shape is what is around lines, lines, and what is inside, where they are no rows.

    Attributes:
        inputs: those that lie in memory, by their places among the arguments of the stage.
    """

    def __init__(self, node: Node, dimension: int) -> None:
        are_rows = math.prod(node.shape[dimension + 1 :]) == 1
        super().__init__((_OUTER, _LENGTH, *(() if are_rows else (_INNER,))))
        self._shape, self._along = node.shape, dimension
        self.inputs: dict[int, Node] = {}

    def operand(self, node: Node) -> Node | None:
        """What is sorted; None where it is computed."""
        return self.of(node) if node.kind in (NodeKind.INPUT, NodeKind.IOTA) else None

    def source(self, node: Node) -> Node | None:
        if node.kind is NodeKind.CONSTANT and not node.shape and _is_common(node.value):
            return Node(node.kind, (), node.element, value=node.value)
        if node.kind is NodeKind.IOTA and node.dimensions == (self._along,):
            along = (_LINE,)
            return Node(node.kind, self.shape, node.element, dimensions=along, rule=node.rule)
        if node.kind is NodeKind.INPUT and node.shape == self._shape:
            copy = Node(node.kind, self.shape, node.element, number=node.number)
            return self.inputs.setdefault(node.number, copy)
        return None


def _is_common(number: Any) -> bool:
    """Whether a number says nothing of a program: comparators make zeros equal, and all NaN."""
    return bool(number == 0 or (isinstance(number, np.generic) and np.isnan(number)))
