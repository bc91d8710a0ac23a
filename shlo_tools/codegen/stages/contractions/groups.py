"""Products of narrow integers by groups: one instruction multiplies several factors, and adds all.

Along one dimension that is summed, neighbours become an i32: of two i16, or of four bytes. A
product of such numbers has a half or a quarter of the steps, none of which is longer than one of
i32. What multiplies bytes takes unsigned ones of rows: these are 128 more than they are, and
kernels subtract 128 times the sums of columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from shlo_tools.codegen.function import I8, I16, Type, Value
from shlo_tools.codegen.library.contractions.element_copies import BIASED, FOURS, PAIRS, SIGNS
from shlo_tools.codegen.stages.contractions.axes import Contraction
from shlo_tools.codegen.stages.nodes import Node, NodeKind, are_known
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind

_LEAST = 16  # numbers of a sum that are worth being grouped
# Rows, and columns: more than a tile has, as kernels of few rows know nothing of unsigned bytes.
_FEWEST = 12
_I32 = ELEMENT_TYPES["i32"]


@dataclass(frozen=True)
class Groups:
    """How factors are grouped.

    Attributes:
        source: ``PAIRS`` or ``FOURS``.
        size: factors of a group.
        rows: the operand whose bytes are to be unsigned.
    """

    source: str
    size: int
    rows: int = 0

    def operands(self, dot: Node) -> tuple[Node, Node]:
        """Operands of groups."""
        (_, left, _), (_, right, _) = dot.contraction
        lhs, rhs = dot.operands
        return self._grouped(lhs, left[-1], 0), self._grouped(rhs, right[-1], 1)

    def of(self, contraction: Contraction) -> Contraction:
        """The same contraction of numbers that are groups."""
        return replace(contraction, b=replace(contraction.b, element=self.source))

    def converted(self, node: Node) -> tuple[Node, str, Type] | None:
        """The argument whose bytes, converted one by one, are groups: from and to which type."""
        if node.kind is not NodeKind.ELEMENTWISE or node.rule is not None:
            return None
        (argument,) = node.operands
        if self.source == FOURS:
            return argument, BIASED, I8
        return argument, argument.element.name, I16

    def _grouped(self, node: Node, dimension: int, side: int) -> Node:
        """Groups of neighbours along a dimension, in the order in which their elements lie."""
        if node.kind is NodeKind.TRANSPOSE:
            (source,) = node.operands
            groups = self._grouped(source, node.dimensions[dimension], side)
            shape = _with_size(node, dimension, groups.shape[node.dimensions[dimension]])
            return Node(NodeKind.TRANSPOSE, shape, _I32, (groups,), dimensions=node.dimensions)
        rank, size = len(node.shape), node.shape[dimension]
        is_biased = self.source == FOURS and side == self.rows
        if self._is_run(node, dimension):
            shape = _with_size(node, dimension, size // self.size)
            if self.source == FOURS and not is_biased:
                return Node(NodeKind.INPUT, shape, _I32, number=node.number)
            return Node(NodeKind.ELEMENTWISE, shape, _I32, (node,))
        if left := -size % self.size:
            zero = Node(NodeKind.CONSTANT, (), node.element, value=0)
            node = Node(
                NodeKind.PAD,
                _with_size(node, dimension, size + left),
                node.element,
                (node, zero),
                starts=(0,) * rank,
                steps=(1,) * rank,
            )
        shape = _with_size(node, dimension, -(-size // self.size))
        steps = tuple(self.size if d == dimension else 1 for d in range(rank))
        members = tuple(
            Node(
                NodeKind.SLICE,
                shape,
                node.element,
                (node,),
                starts=tuple(first if d == dimension else 0 for d in range(rank)),
                steps=steps,
            )
            for first in range(self.size)
        )
        bits = 32 // self.size
        widen = "sext" if node.element.kind is Kind.SIGNED else "zext"

        def rule(_: object, values: Sequence[Value]) -> Value:
            numbers = (value.to(widen, "i32") & ((1 << bits) - 1) for value in values)
            group = reduce(or_, (number << bits * k for k, number in enumerate(numbers)))
            return group ^ SIGNS if is_biased else group

        return Node(NodeKind.ELEMENTWISE, shape, _I32, members, rule=rule)

    def _is_run(self, node: Node, dimension: int) -> bool:
        """Whether an argument's bytes are groups as they lie."""
        return (
            node.kind is NodeKind.INPUT
            and node.element.bits == 8
            and node.shape[dimension] % self.size == 0
            and math.prod(node.shape[dimension + 1 :]) == 1
        )


def groups_of(dot: Node, target: Target) -> Groups | None:
    """How to group factors; None for a product that has other ones, or is small.

    Few rows or columns are left as they are: groups would take longer to be made than multiplied.
    """
    lhs, rhs = dot.operands
    if not target.multiplies_words or dot.element.name not in ("i32", "ui32"):
        return None
    if any(dot.casts) or not are_known(*lhs.shape, *rhs.shape):
        return None
    if not (_is_word(lhs.element) and _is_word(rhs.element)):
        return None
    (_, left, left_free), (_, _, right_free) = dot.contraction
    rows, columns = (
        math.prod(side.shape[d] for d in free)
        for side, free in ((lhs, left_free), (rhs, right_free))
    )
    if min(rows, columns) < _FEWEST or not left or lhs.shape[left[-1]] < _LEAST:
        return None
    are_bytes = lhs.element.name == rhs.element.name == "i8"
    return Groups(FOURS, 4) if are_bytes and target.multiplies_bytes else Groups(PAIRS, 2)


def _is_word(element: ElementType) -> bool:
    """Whether an element is an i16."""
    return (element.kind is Kind.SIGNED and element.bits in (8, 16)) or element.name == "ui8"


def _with_size(node: Node, dimension: int, size: int) -> tuple[int, ...]:
    return tuple(size if d == dimension else n for d, n in enumerate(node.shape))
