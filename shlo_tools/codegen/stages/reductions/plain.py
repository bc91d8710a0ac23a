"""Plain reductions: kernels that say nothing of a program, so that all programs share them.

A reduction of an argument, with no more around it than conversions, is written for any sizes: those
that its loops need are words of its context. Which loops there are, and how much is taken at a
time, is as for the sizes of the program at hand, and so is what divides them, as loops over what
is left over would cost time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from shlo_tools import dims
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.stages.folds import known_number, sources_of, starts_of
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, Stage
from shlo_tools.codegen.stages.reductions.walks import HELD, Walk
from shlo_tools.dims import Size, Symbol


@dataclass(frozen=True)
class Plain:
    """A reduction that does not say its sizes.

    Attributes:
        argument: the node that lies where the stage's argument does.
        result: its result.
        walk: how it is walked.
        place: of the argument among those of the stage; None where sums alone are read.
        sizes: what its symbols stand for.
    """

    argument: Node
    result: Node
    walk: Walk
    place: int | None
    sizes: Mapping[Symbol, int]

    @property
    def places(self) -> tuple[Word, ...]:
        """Words for where argument and result lie."""
        result = Place("result", 0)
        return result if self.place is None else Place("argument", self.place), result

    def numbers(self, sizes: Iterable[Any]) -> tuple[Word, ...]:
        """Sizes as the numbers that they are here."""
        return tuple(cast(int, dims.substituted(size, self.sizes)) for size in sizes)


def plain(stage: Stage, walk: Walk, lanes: int, *, merges: bool = False) -> Plain | None:
    """A stage as a plain reduction, if it is one.

    Args:
        walk: how its kernel would walk it.
        lanes: elements of a vector.
        merges: whether only sums of blocks are to be merged, which are of whatever they are.
    """
    if len(stage.results) != 1 or not all(isinstance(n, int) and n for n, _ in walk.groups):
        return None
    behind, last = _conversions(stage.results[0])
    if last.kind is not NodeKind.REDUCE or len(sources_of(last)) != 1 or last.reduced == 1:
        return None
    (source,) = sources_of(last)
    before, first = _conversions(source)
    if merges:
        before, first = [], Node(NodeKind.INPUT, source.shape, source.element)
    starts = starts_of(last)
    if first.kind is not NodeKind.INPUT or any(known_number(start) is None for start in starts):
        return None
    symbols = _Symbols(walk, lanes)
    general = symbols.walk()
    shape = tuple(size for size, _ in general.groups)
    argument = node = Node(NodeKind.INPUT, shape, first.element)
    for rule in reversed(before):
        node = Node(NodeKind.ELEMENTWISE, shape, rule.element, (node,), rule=rule.rule)
    numbers = [
        Node(NodeKind.CONSTANT, (), start.element, value=known_number(start)) for start in starts
    ]
    kept = tuple(size for size, is_reduced in general.groups if not is_reduced)
    node = Node(
        NodeKind.REDUCE,
        kept,
        last.element,
        (node, *numbers),
        dimensions=tuple(d for d, (_, is_reduced) in enumerate(general.groups) if is_reduced),
        attributes=last.attributes,
    )
    for rule in reversed(behind):
        node = Node(NodeKind.ELEMENTWISE, kept, rule.element, (node,), rule=rule.rule)
    return Plain(argument, node, general, None if merges else first.number, symbols.sizes)


def _conversions(node: Node) -> tuple[list[Node], Node]:
    """Conversions of an element to another type, the last one first, and what they convert."""
    conversions: list[Node] = []
    while len(node.operands) == 1:
        (operand,) = node.operands
        if node.kind is NodeKind.ELEMENTWISE and node.element != operand.element:
            conversions.append(node)
        elif node.kind is not NodeKind.RESHAPE:
            break
        node = operand
    return conversions, node


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
        symbol = _symbol(name, minimum, divisor)
        self.sizes[symbol] = size
        return dims.of_symbol(symbol)


@cache
def _symbol(name: str, minimum: int, divisor: int) -> Symbol:
    return Symbol(name, minimum=minimum, divisor=divisor)
