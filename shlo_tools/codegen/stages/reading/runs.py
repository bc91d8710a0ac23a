"""Lanes that lie near each other in memory, made of runs that are loaded: every second element,
places of a short run, columns of short rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

from shlo_tools.codegen.function import I1, Type, Value
from shlo_tools.codegen.library import narrow_lanes
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.indices import (
    Index,
    Lanes,
    Linear,
    Mask,
    Split,
    components,
    varies,
)
from shlo_tools.codegen.stages.reading.placing import Placing

RUNS = 4  # elements that lanes lie apart, at most, where runs are loaded and not lanes


@dataclass(frozen=True)
class Column:
    """Where lanes read a column of rows that lie behind each other.

    Attributes:
        start: of the rows.
        count: of their columns.
    """

    number: int
    count: int
    start: Index


def column_of(node: Node, index: Index) -> Column | None:
    """The column that lanes read, where rows are no longer than runs that are loaded."""
    if isinstance(index, Linear) or node.element.is_complex:
        return None
    places = components(index)
    sizes = (0, index.columns) if isinstance(index, Split) else node.shape
    number, count, first = 0, 1, len(places)
    while first and isinstance(place := places[first - 1], int):
        first -= 1
        size = sizes[first]
        if not (isinstance(size, int) and 0 <= place < size):
            return None
        number, count = number + count * place, count * size
    if not (first and 1 < count <= RUNS):
        return None
    *outer, lanes = places[:first]
    if not (isinstance(lanes, Lanes) and lanes.step == 1) or any(map(varies, outer)):
        return None
    if isinstance(index, Split):
        return Column(number, count, Split(lanes, 0, count))
    return Column(number, count, (*places[:first], *[0] * (len(places) - first)))


class Runs(Placing):
    """Vectors that are made of runs."""

    def load_near(
        self, address: Value, places: tuple[int, ...], mask: Mask | None, type: Type
    ) -> Value:
        """Elements at places of a run."""
        f, count = self.function, max(places) + 1
        width = 1 << (count - 1).bit_length()
        exists = None
        if mask is not None:
            make = partial(self._existing, mask.value, places, width)
            exists = self.once(mask.level, ("near", mask, places), make)
        elif width != count:
            exists = f.constant(tuple(k < count for k in range(width)), I1.vector(width))
        run = narrow_lanes.load(f, address, exists, type.scalar.vector(width))
        return f.shuffle(run, run, [*places, *[0] * (self.lanes - len(places))])

    def _existing(self, mask: Value, places: tuple[int, ...], width: int) -> Value:
        """Which elements of a run are some lane's that exists."""
        f, times = self.function, self.lanes // width
        if times >= 8 and places == tuple(lane // times for lane in range(self.lanes)):
            return mask.to("bitcast", Type(f"i{times}", width)).compare("ne", 0)
        none = f.constant(False, mask.type)
        readers = [[lane for lane, p in enumerate(places) if p == k] for k in range(width)]
        parts = [
            f.shuffle(mask, none, [r[turn] if turn < len(r) else self.lanes for r in readers])
            for turn in range(max(map(len, readers)))
        ]
        return reduce(or_, parts)

    def load_apart(self, address: Value, step: int, mask: Mask | None, type: Type) -> Value:
        """Elements some places apart, of as many runs; the last one ends with the last element."""
        n = self.lanes
        firsts = [*range(0, (step - 1) * n, n), (step - 1) * (n - 1)]
        runs = [self._run_apart(address, first, step, mask, type) for first in firsts]
        return self.picked(runs, firsts, range(0, step * n, step))

    def picked(self, runs: Sequence[Value], firsts: Sequence[int], places: Sequence[int]) -> Value:
        """Elements at places of runs, which begin at those of their ``firsts``."""
        n, value = self.lanes, runs[0]
        lanes = [place % n for place in places]
        for first, run in zip(firsts[1:], runs[1:], strict=True):
            inside = (place - first for place in places)
            value = self.function.shuffle(
                value,
                run,
                [n + at if 0 <= at < n else k for k, at in zip(lanes, inside, strict=True)],
            )
            lanes = list(range(n))
        return value

    def interleaved(self, mask: Mask, columns: int) -> list[Value]:
        """Which elements of lanes' rows there are, as they lie in memory: a mask for each run."""
        n = self.lanes

        def make() -> list[Value]:
            lanes = [place // columns for place in range(columns * n)]
            value = mask.value
            return [
                self.function.shuffle(value, value, lanes[run : run + n])
                for run in range(0, columns * n, n)
            ]

        return self.once(mask.level, ("interleaved", mask, columns), make)

    def _run_apart(
        self, address: Value, first: int, step: int, mask: Mask | None, type: Type
    ) -> Value:
        """Elements from the ``first`` one on, without what lies between those that there are."""
        f, n = self.function, self.lanes
        address = address.at(first, type.scalar)
        if mask is None:
            return self.function.load(address, type)
        # What lies between elements of lanes may be behind the tensor's end.
        lanes = [n if k % step else k // step for k in range(first, first + n)]
        none = f.constant(False, I1.vector(n))
        make = partial(f.shuffle, mask.value, none, lanes)
        exists = self.once(mask.level, ("apart", mask, step, first), make)
        return narrow_lanes.load(f, address, exists, type)
