"""Products of narrow integers by pairs: one instruction multiplies two i16 each, and adds both.

Along one dimension that is summed, neighbours become an i32 of two i16. A product of such numbers
has half as many steps, none of which is longer than one of i32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.contractions.element_copies import PAIRS
from shlo_tools.codegen.stages.contractions.axes import Contraction
from shlo_tools.codegen.stages.nodes import Node, NodeKind, are_known
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind

_LEAST = 16  # numbers of a sum that are worth being paired
_FEWEST = 12  # rows, and columns
_HALF = 16  # bits


def paired(dot: Node, target: Target) -> tuple[Node, Node] | None:
    """Operands of pairs; None for a product that cannot be one of such, or is small.

    Few rows or columns are left as they are: pairs would take longer to be made than multiplied.
    """
    lhs, rhs = dot.operands
    if not target.multiplies_words or dot.element.name not in ("i32", "ui32"):
        return None
    if any(dot.casts) or not are_known(*lhs.shape, *rhs.shape):
        return None
    if not (_fits(lhs.element) and _fits(rhs.element)):
        return None
    (_, left, left_free), (_, right, right_free) = dot.contraction
    rows, columns = (
        math.prod(side.shape[d] for d in free)
        for side, free in ((lhs, left_free), (rhs, right_free))
    )
    if min(rows, columns) < _FEWEST or not left or lhs.shape[left[-1]] < _LEAST:
        return None
    return _pairs(lhs, left[-1]), _pairs(rhs, right[-1])


def of_pairs(contraction: Contraction) -> Contraction:
    """The same contraction of numbers that are pairs."""
    return replace(contraction, b=replace(contraction.b, element=PAIRS))


def bytes_of(node: Node) -> Node | None:
    """The argument whose bytes, widened one by one, are pairs; None for other nodes."""
    is_widened = node.kind is NodeKind.ELEMENTWISE and node.rule is None
    return node.operands[0] if is_widened else None


def _fits(element: ElementType) -> bool:
    """Whether an element is an i16."""
    return (element.kind is Kind.SIGNED and element.bits in (8, _HALF)) or element.name == "ui8"


def _pairs(node: Node, dimension: int) -> Node:
    """Pairs of neighbours along a dimension, in the order in which their elements lie."""
    if node.kind is NodeKind.TRANSPOSE:
        (source,) = node.operands
        pairs = _pairs(source, node.dimensions[dimension])
        shape = _with_size(node, dimension, pairs.shape[node.dimensions[dimension]])
        return Node(NodeKind.TRANSPOSE, shape, pairs.element, (pairs,), dimensions=node.dimensions)
    rank = len(node.shape)
    size = node.shape[dimension]
    if node.kind is NodeKind.INPUT and node.element.bits == 8 and _is_run(node, dimension):
        shape = _with_size(node, dimension, size // 2)
        return Node(NodeKind.ELEMENTWISE, shape, ELEMENT_TYPES["i32"], (node,))
    if size % 2:
        zero = Node(NodeKind.CONSTANT, (), node.element, value=0)
        node = Node(
            NodeKind.PAD,
            _with_size(node, dimension, size + 1),
            node.element,
            (node, zero),
            starts=(0,) * rank,
            steps=(1,) * rank,
        )
    shape = _with_size(node, dimension, -(-size // 2))
    steps = tuple(2 if d == dimension else 1 for d in range(rank))
    halves = tuple(
        Node(
            NodeKind.SLICE,
            shape,
            node.element,
            (node,),
            starts=tuple(first if d == dimension else 0 for d in range(rank)),
            steps=steps,
        )
        for first in (0, 1)
    )
    widen = "sext" if node.element.kind is Kind.SIGNED else "zext"

    def rule(_: object, values: Sequence[Value]) -> Value:
        low, high = (value.to(widen, "i32") for value in values)
        return (low & ((1 << _HALF) - 1)) | (high << _HALF)

    return Node(NodeKind.ELEMENTWISE, shape, ELEMENT_TYPES["i32"], halves, rule=rule)


def _is_run(node: Node, dimension: int) -> bool:
    """Whether neighbours along a dimension lie beside each other, and all have one to be a pair."""
    return node.shape[dimension] % 2 == 0 and math.prod(node.shape[dimension + 1 :]) == 1


def _with_size(node: Node, dimension: int, size: int) -> tuple[int, ...]:
    return tuple(size if d == dimension else n for d, n in enumerate(node.shape))
