"""Elements of small tensors, which lie in a register each while they are computed with.

In memory a tensor's elements follow each other: vectors of neighbours are taken apart and put
together by shuffles where tensors are of few elements; of others, vectors of a tensor's elements
are rows of tiles, which are turned. Where each element is a row of its own, the same ones of the
tensors of a row lie beside each other, as they do in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.transposition import turned
from shlo_tools.codegen.stages.kernels import Kernel, lanes_for
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.elements import memory_type, place_type

_SHUFFLED = 3  # elements of a tensor, at most, where none are turned


@dataclass(frozen=True)
class Tensors:
    """Those of a vector.

    Attributes:
        first: the number of the first one, or that of its row.
        in_row: its place in its row, where there are rows.
    """

    first: Value
    in_row: Value | None = None


class BatchMemory(Kernel):
    """Loads and stores of a vector of tensors.

    Attributes:
        inner: tensors of a row, whose elements are rows; 1 where elements follow each other.
    """

    inner = 1

    def load_batch(
        self, address: Value, node: Node, tensors: Tensors, count: int
    ) -> list[Callable[[], Value]]:
        """What loads each element of a vector's tensors, of ``count`` elements.

        Args:
            node: one of their element type.
        """
        start, element = self._start(address, node, tensors, count), place_type(node.element)

        def at(place: int, apart: Value | int = 1) -> Value:
            return self.load_at(start.at(place, element), node.element, None, apart, has_lanes=True)

        @cache
        def run(number: int) -> Value:
            return at(number * self.lanes)

        @cache
        def picked(place: int) -> Value:
            lanes = [lane * count + place for lane in range(self.lanes)]
            return self._across([run(k) for k in range(count)], lanes)

        @cache
        def tile(first: int, width: int) -> list[Value]:
            type = memory_type(node.element).vector(width)
            places = range(first, first + self.lanes * count, count)
            rows = [self.function.load(start.at(place, element), type) for place in places]
            return [self._from_memory(v, node.element) for v in turned(self.function, rows)]

        def of_tile(place: int) -> Value:
            first, width = _tile_of(place, count, self.lanes)
            return tile(first, width)[place - first]

        if self.inner > 1:
            return [partial(at, place * self.inner) for place in range(count)]
        load = picked if count <= _SHUFFLED else of_tile
        return [partial(load, place) for place in range(count)]

    def store_batch(
        self, node: Node, target: Value, tensors: Tensors, values: Sequence[Value]
    ) -> None:
        """Store a vector's tensors, whose elements have a register each."""
        count, element = len(values), place_type(node.element)
        start = self._start(target, node, tensors, count)
        whole = [v if v.type.lanes else self.splat(v) for v in values]
        if self.inner > 1:
            for place, value in enumerate(whole):
                self.store(value, start.at(place * self.inner, element), None)
        elif count > _SHUFFLED:
            f, words = self.function, [self.to_memory(value) for value in whole]
            for first, width in dict.fromkeys(
                _tile_of(place, count, self.lanes) for place in range(count)
            ):
                for lane, row in enumerate(turned(f, words[first : first + width])):
                    f.store(row, start.at(lane * count + first, element))
        else:
            for number in range(count):
                places = range(number * self.lanes, (number + 1) * self.lanes)
                lanes = [place % count * self.lanes + place // count for place in places]
                at = start.at(number * self.lanes, element)
                self.store(self._across(whole, lanes), at, None)

    def _start(self, address: Value, node: Node, tensors: Tensors, count: int) -> Value:
        """Where the first element of the first tensor lies."""
        at = tensors.first * (count * self.inner)
        if tensors.in_row is not None:
            at = at + tensors.in_row
        return address.at(at, place_type(node.element))

    def _across(self, vectors: Sequence[Value], lanes: Sequence[int]) -> Value:
        """Lanes of several vectors, counted through all: one shuffle for each but the first."""
        size = self.lanes
        result, *others = vectors
        if not others:
            return result
        chosen = [lane if lane < size else 0 for lane in lanes]
        for number, other in enumerate(others, 1):
            places = [
                size + lane % size if lane // size == number else chosen[k] if number == 1 else k
                for k, lane in enumerate(lanes)
            ]
            result = self.lanes_of(result, other, places)
        return result


def _tile_of(place: int, count: int, lanes: int) -> tuple[int, int]:
    """The first element and the width of the tile that has an element of tensors of ``count``.

    The last tile may be narrower, and reaches back over its neighbour.
    """
    width = min(lanes, 1 << (count.bit_length() - 1))
    first = place - place % width
    if first + width <= count:
        return first, width
    width = max(2, 1 << (count - first - 1).bit_length())
    return count - width, width


def batch_lanes(kernel: Kernel) -> int:
    """One register of the widest elements: shuffles of two take several times as long."""
    return lanes_for(kernel.target, kernel.nodes) // 2
