"""Plain reductions: kernels that say nothing of a program, so that all programs share them.

A reduction of an argument, with no more around it than conversions, is written for any sizes: those
that its loops need are words of its context. So are those of what an op or two make of arguments
(products, squares, differences) and of an argument's elements and their places, which find the
greatest element, say. Which loops there are, and how much is taken at a
time, is as for the sizes of the program at hand, and so is what divides them, as loops over what
is left over would cost time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from shlo_tools import dims
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.stages.copies import Copies
from shlo_tools.codegen.stages.folds import known_number, numbering, sources_of, starts_of
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, Stage, below
from shlo_tools.codegen.stages.reading.loops import NEAR
from shlo_tools.codegen.stages.reductions.walks import HELD, Walk
from shlo_tools.dims import Size, Symbol

_OPS = 2  # beside conversions, that make what is reduced


@dataclass(frozen=True)
class Plain:
    """A reduction that does not say its sizes.

    Attributes:
        inputs: nodes that lie where arguments of the stage do; none where sums alone are read.
        results: its results.
        walk: how it is walked.
        places: words for where inputs and results lie.
        sizes: what its symbols stand for.
    """

    inputs: tuple[Node, ...]
    results: tuple[Node, ...]
    walk: Walk
    places: tuple[Word, ...]
    sizes: Mapping[Symbol, int]


def plain(stage: Stage, walk: Walk, lanes: int, *, merges: bool = False) -> Plain | None:
    """A stage as a plain reduction, if it is one.

    Args:
        walk: how its kernel would walk it.
        lanes: elements of a vector.
        merges: whether only sums of blocks are to be merged, which are of whatever they are.
    """
    if not all(isinstance(n, int) and n for n, _ in walk.groups):
        return None
    behind = [_conversions(result) for result in stage.results]
    reductions = {_reduction_of(outcome) for _, outcome in behind}
    if len(reductions) > 1:
        return None
    (last,) = reductions
    if last.kind is not NodeKind.REDUCE or last.reduced == 1:
        return None
    numbers = [known_number(start) for start in starts_of(last)]
    symbols = _Symbols(walk, lanes)
    general = symbols.walk()
    if walk.along == "reduced" and walk.groups[-1][0] <= lanes:
        return None  # a row is one vector: without its size it would be a loop
    sources = _inputs(last, general) if merges else _sources(last, general)
    if not sources or any(number is None for number in numbers):
        return None
    starts = [
        Node(NodeKind.CONSTANT, (), source.element, value=number)
        for source, number in zip(sources, numbers, strict=True)
    ]
    total = Node(
        NodeKind.REDUCE,
        tuple(size for size, is_reduced in general.groups if not is_reduced),
        last.element,
        (*sources, *starts),
        dimensions=tuple(d for d, (_, is_reduced) in enumerate(general.groups) if is_reduced),
        attributes=last.attributes,
    )
    results = tuple(_applied(rules, _outcome(total, outcome)) for rules, outcome in behind)
    inputs = () if merges else tuple(n for n in below(sources) if n.kind is NodeKind.INPUT)
    places = [Place("argument", node.number) for node in inputs]
    places += [Place("result", number) for number in range(len(results))]
    return Plain(inputs, results, general, tuple(places), symbols.sizes)


def _reduction_of(outcome: Node) -> Node:
    """What a node is one of several results of, or the node."""
    return outcome.operands[0] if outcome.kind is NodeKind.RESULT else outcome


def _inputs(reduction: Node, walk: Walk) -> tuple[Node, ...]:
    """What stands for the sources of a reduction where their sums are merged."""
    shape = tuple(size for size, _ in walk.groups)
    return tuple(Node(NodeKind.INPUT, shape, s.element) for s in sources_of(reduction))


def _sources(reduction: Node, walk: Walk) -> tuple[Node, ...]:
    """An argument, and maybe the places of its elements along what is reduced; () of all else."""
    source, *others = sources_of(reduction)
    shape = tuple(size for size, _ in walk.groups)
    copies = _Copies(shape, source.count)
    argument = copies.of(source)
    if argument is None or sum(not _is_conversion(n) for n in copies.computed) > _OPS:
        return ()
    if not others:
        return (argument,)
    groups = [g for g, (_, is_reduced) in enumerate(walk.groups) if is_reduced]
    iota = numbering(others[0], reduction.dimensions)
    if iota is None or len(others) > 1 or len(groups) > 1:
        return ()
    kind, element = NodeKind.IOTA, iota.element
    return argument, Node(kind, shape, element, dimensions=tuple(groups), rule=iota.rule)


class _Copies(Copies):
    """Arguments that have all elements, and what is made of them."""

    def __init__(self, shape: tuple[Extent, ...], count: Extent) -> None:
        super().__init__(shape)
        self._count = count

    def source(self, node: Node) -> Node | None:
        if node.kind is NodeKind.RESHAPE:
            return self.of(node.operands[0])
        if node.kind is NodeKind.INPUT and node.count == self._count:
            return Node(node.kind, self.shape, node.element, number=node.number)
        return None


def _outcome(reduction: Node, outcome: Node) -> Node:
    """A reduction's result, or the one of several that is asked for."""
    if outcome.kind is not NodeKind.RESULT:
        return reduction
    fields: Any = {"number": outcome.number}
    return Node(NodeKind.RESULT, reduction.shape, outcome.element, (reduction,), **fields)


def _applied(conversions: Sequence[Node], node: Node) -> Node:
    """What conversions make of a node, the last one of them first."""
    for rule in reversed(conversions):
        node = Node(NodeKind.ELEMENTWISE, node.shape, rule.element, (node,), rule=rule.rule)
    return node


def _conversions(node: Node) -> tuple[list[Node], Node]:
    """Conversions of an element to another type, the last one first, and what they convert."""
    conversions: list[Node] = []
    while len(node.operands) == 1:
        if _is_conversion(node):
            conversions.append(node)
        elif node.kind is not NodeKind.RESHAPE:
            break
        (node,) = node.operands
    return conversions, node


def _is_conversion(node: Node) -> bool:
    """Whether elements become ones of another type, as far as that can be seen."""
    if node.kind is not NodeKind.ELEMENTWISE or len(node.operands) != 1:
        return False
    return bool(node.element != node.operands[0].element)


class _Symbols:
    """Symbols in place of a walk's sizes.

    Attributes:
        sizes: what they stand for.
    """

    def __init__(self, walk: Walk, lanes: int) -> None:
        self._walk, self._lanes = walk, lanes
        self.sizes: dict[Symbol, int] = {}

    def walk(self) -> Walk:
        """The walk without its sizes."""
        walk = self._walk
        groups = tuple(
            (self._symbol(f"n{g}", size, self._steps(g), 2), is_reduced)
            for g, (size, is_reduced) in enumerate(walk.groups)
        )
        strip = walk.strip
        if walk.along == "kept" and walk.strip > HELD * self._lanes:
            is_whole = walk.strip == walk.width
            known = (self._lanes,), HELD * self._lanes + 1
            strip = self._symbol("strip", walk.strip, *known)
            if is_whole:
                groups = (*groups[:-1], (strip, False))
        rows = walk.rows if walk.outer == 1 else self._symbol("rows", walk.rows)
        block, blocks = walk.block, walk.blocks
        if walk.blocks > 1:
            block, blocks = self._symbol("block", block), self._symbol("blocks", blocks, (), 2)
        return replace(walk, groups=groups, strip=strip, rows=rows, block=block, blocks=blocks)

    def _steps(self, group: int) -> tuple[int, ...]:
        """What a group may be taken by, the greatest one first."""
        walk, lanes = self._walk, self._lanes
        if group == walk.lane_group:
            if walk.along == "reduced":
                return walk.unroll * lanes, lanes
            is_held = walk.strip <= HELD * lanes
            return (-(-walk.strip // lanes) * lanes, lanes) if is_held else (lanes,)
        return (walk.unroll,) if group in walk.reduced[-1:] else ()

    def _symbol(self, name: str, size: Extent, steps: Sequence[int] = (), minimum: int = 1) -> Size:
        divisor = next((step for step in steps if size % step == 0), 1)
        maximum = NEAR - 1 if size < NEAR else None
        symbol = _symbol(name, minimum, maximum, divisor)
        self.sizes[symbol] = size
        return dims.of_symbol(symbol)


@cache
def _symbol(name: str, minimum: int, maximum: int | None, divisor: int) -> Symbol:
    return Symbol(name, minimum=minimum, maximum=maximum, divisor=divisor)
