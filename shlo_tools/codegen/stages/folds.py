"""What reductions repeat, and in which orders that may be done.

Elements that are folded in lanes meet in another order than the one they lie in. That is right
where a fold says so: it has a neutral element (then it is one op that may be regrouped; sums of
floats are rounded in another place), or it selects by a number that tells the elements' order.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Region,
    are_known,
    used_dimensions,
)
from shlo_tools.codegen.stages.reading.elements import Number
from shlo_tools.dims import Size
from shlo_tools.dtypes import ElementType, Kind


@dataclass(frozen=True)
class Windows:
    """Windows over a tensor, one entry per dimension; ``low`` is the padding in front."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    base_dilation: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]


@dataclass(frozen=True)
class Extreme:
    """What is kept of many pairs: the best value, and the least of the numbers that it has.

    Attributes:
        better: (a value, another one) -> the one that is kept, whatever their numbers are.
        alike: (a value, another one) -> whether they are equal, or NaN both.
    """

    better: Region
    alike: Region


@dataclass(frozen=True)
class Fold:
    """How accumulators take in one element more.

    Attributes:
        region: accumulators and then elements become accumulators.
        length: how many ops that takes, about.
        neutral: what an accumulator that has seen nothing holds, where there is such a number.
        selects: the better one of two pairs of a value and a number is kept. Pairs may meet in any
            order if the one with the smaller number goes first.
        extreme: how such pairs are told apart by their values, where numbers need not be asked.
        keeps_start: whether what it starts from, taken in any times, stays what it is.
        regroups: whether elements may meet in other pairs than one after the other, in their order;
            what it starts from changes nothing then.
        skips_padding: whether what windows start from changes nothing when it is taken in later.
        may_repeat: whether an element that is taken in twice changes nothing.
        windows: what is folded for one result, where that is a window.
    """

    region: Region
    length: int = 1
    neutral: Number | None = None
    selects: bool = False
    extreme: Extreme | None = None
    keeps_start: bool = False
    regroups: bool = False
    skips_padding: bool = False
    may_repeat: bool = False
    windows: Windows | None = None

    @property
    def has_any_order(self) -> bool:
        """Whether elements may be folded in lanes."""
        return self.selects or self.neutral is not None

    def apply(self, reader: object, state: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """Accumulators and what comes behind them, in order."""
        return self.region(reader, [*state, *values])

    def merge(self, reader: object, state: Sequence[Value], others: Sequence[Value]) -> list[Value]:
        """Accumulators of elements that do not follow each other."""
        if not self.selects:
            return self.apply(reader, state, others)
        function = state[0].function
        later = others[1] < state[1]
        pairs = list(zip(state, others, strict=True))
        first = [function.select(later, other, value) for value, other in pairs]
        second = [function.select(later, value, other) for value, other in pairs]
        return self.apply(reader, first, second)


# Ops that have a neutral element, and whose repetitions may be regrouped.
REGROUPED = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"}


# Those that take in an element twice as they do once.
REPEATABLE = {"maximum", "minimum", "and", "or"}


def neutral_number(name: str, element: ElementType) -> Number | None:
    """What an op leaves everything as it is with, as arrays hold it."""
    if name not in REGROUPED:
        return None
    if element.is_boolean:
        return name in ("and", "minimum", "multiply")
    if element.is_complex:
        return complex(-0.0, -0.0) if name == "add" else None
    if element.is_float:
        numbers = {"maximum": -math.inf, "minimum": math.inf, "add": -0.0, "multiply": 1.0}
        return numbers.get(name)
    top = (1 << element.bits) - 1
    least, most, ones = 0, top, top
    if element.kind is Kind.SIGNED:
        least, most, ones = -(1 << (element.bits - 1)), top >> 1, -1
    others = {"maximum": least, "minimum": most, "and": ones}
    return {"add": 0, "multiply": 1, "or": 0, "xor": 0, **others}[name]


def known_number(start: Node) -> Number | None:
    """What a reduction starts from, where it is known."""
    while start.kind in (NodeKind.BROADCAST, NodeKind.RESHAPE):
        (start,) = start.operands
    return start.value if start.kind is NodeKind.CONSTANT else None


def is_neutral(start: Node, fold: Fold) -> bool:
    """Whether what a reduction starts from changes nothing."""
    return is_number(start, fold.neutral)


def is_number(node: Node, other: Number | None) -> bool:
    """Whether all elements of a node are a number, zeros with their signs."""
    number = known_number(node)
    if number is None or other is None or isinstance(number, Size | tuple):
        return False
    p, q = complex(number), complex(other)  # type: ignore[arg-type]
    pairs = ((p.real, q.real), (p.imag, q.imag))
    return all(a == b and math.copysign(1, a) == math.copysign(1, b) for a, b in pairs)


# --- reductions as nodes --------------------------------------------------------------------------
def fold_of(node: Node) -> Fold:
    """What a reduction repeats."""
    fold: Fold = node.attributes
    return fold


def sources_of(node: Node) -> tuple[Node, ...]:
    """The tensors that a reduction reduces."""
    return node.operands[: len(node.operands) // 2]


def passed_over(node: Node, results: Collection[Node]) -> Node:
    """What a reduction's pass has at hand that others may read again.

    That is the tensor reduced, or what it is a function of that nobody else reads, such as a
    conversion: the number in front of that is there in the same pass.
    """
    source = node.operands[0]
    while (
        source.kind is NodeKind.ELEMENTWISE
        and len(source.operands) == 1
        and len(source.users) == 1
        and source not in results
    ):
        (source,) = source.operands
    return source


def starts_of(node: Node) -> tuple[Node, ...]:
    """What a reduction starts from."""
    return node.operands[len(node.operands) // 2 :]


def numbering(source: Node, dimensions: Sequence[int]) -> Node | None:
    """The iota that numbers the elements along the one dimension that is reduced, if one does."""
    places = tuple(range(len(source.shape)))
    if source.kind is NodeKind.BROADCAST:
        places, (source,) = source.dimensions, source.operands
    if source.kind is not NodeKind.IOTA or not source.element.is_integer:
        return None
    (dimension,), element = source.dimensions, source.element
    greatest = 1 << (element.bits - (element.kind is Kind.SIGNED))
    count = source.shape[dimension]
    begins_again = are_known(count) and count > greatest
    return source if (places[dimension],) == tuple(dimensions) and not begins_again else None


def skips_padding(node: Node) -> bool:
    """Whether padding of windows, which holds what they start from, changes nothing.

    A sum that starts from a zero of any sign never is a negative one when it takes in another.
    """
    fold, (start, *others) = fold_of(node), starts_of(node)
    is_neutral = fold.neutral is not None and known_number(start) == fold.neutral
    return fold.skips_padding or (is_neutral and not others)


def outcomes_of(node: Node) -> dict[Node, int]:
    """The nodes that stand for a reduction's results, and which of them each is."""
    if len(sources_of(node)) == 1:
        return {node: 0}
    return {user: user.number for user in node.users if user.kind is NodeKind.RESULT}


Group = tuple[Extent, bool]


def groups_of(shape: Sequence[Extent], dimensions: Sequence[int]) -> tuple[Group, ...]:
    """A shape as groups of neighbours that are reduced or kept: sizes, and whether reduced."""
    groups: list[Group] = []
    for d, size in enumerate(shape):
        if size == 1:
            continue
        reduced = d in dimensions
        if groups and groups[-1][1] == reduced:
            groups[-1] = groups[-1][0] * size, reduced
        else:
            groups.append((size, reduced))
    return tuple(groups)


def columns_of(groups: Sequence[Group]) -> tuple[int, int, int] | None:
    """Known sizes in front of what is reduced, of it and behind it; None where it is the last."""
    sizes = [size for size, _ in groups]
    reduced = [is_reduced for _, is_reduced in groups]
    if reduced not in ([True, False], [False, True, False]) or not are_known(*sizes):
        return None
    *before, length, inner = sizes
    return math.prod(before), length, inner


def is_spread(
    shape: Sequence[Extent],
    dimensions: Sequence[int],
    source: Sequence[Extent],
    groups: Sequence[Group],
) -> bool:
    """Whether a broadcast takes what a reduction kept back to all that it reduced.

    Args:
        shape: of the result.
        dimensions: where those of the operand go.
        source: the operand's shape.
        groups: of the reduction.
    """
    used = used_dimensions(dimensions, source)
    others = [d for d in range(len(shape)) if d not in used]
    return used == sorted(used) and groups_of(shape, others) == tuple(groups)
