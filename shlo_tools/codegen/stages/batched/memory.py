"""Elements of small tensors, which lie in a register each while they are computed with.

In memory a tensor's elements follow each other: vectors of neighbours are taken apart and put
together by shuffles where tensors are of few elements, or of a power of two; else lanes are
fetched, and stored, one by one. Where each element is a row of its own, the same ones of the
tensors of a row lie beside each other, as they do in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.kernels import Kernel, lanes_for
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.elements import place_type

_SHUFFLED = 4  # elements of a tensor, at most, where they are no power of two


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
        def even_or_odd(number: int, half: int, step: int) -> Value:
            """Each ``step``-th element from number ``half`` on, and of these vector ``number``."""
            if step == 1:
                return run(number)
            step //= 2
            low, high = (even_or_odd(2 * number + k, half % step, step) for k in (0, 1))
            return self.lanes_of(low, high, range(half // step, 2 * self.lanes, 2))

        def picked(place: int) -> Value:
            lanes = [lane * count + place for lane in range(self.lanes)]
            return self._across([run(k) for k in range(count)], lanes)

        if self.inner > 1:
            return [partial(at, place * self.inner) for place in range(count)]
        if count & (count - 1) == 0:
            return [partial(even_or_odd, 0, place, count) for place in range(count)]
        load = picked if count <= _SHUFFLED else lambda place: at(place, self.offsets(count))
        return [cache(partial(load, place)) for place in range(count)]

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
        elif count & (count - 1) == 0:
            for number, value in enumerate(self._joined(whole)):
                self.store(value, start.at(number * self.lanes, element), None)
        elif count > _SHUFFLED and node.element.bits >= 32:
            for place, value in enumerate(whole):
                self.store_at(value, start.at(place, element), self.offsets(count), None)
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

    def _joined(self, vectors: Sequence[Value]) -> list[Value]:
        """Vectors of neighbours, of as many vectors of one element of each tensor."""
        if len(vectors) == 1:
            return list(vectors)
        halves = zip(self._joined(vectors[::2]), self._joined(vectors[1::2]), strict=True)
        size = self.lanes
        beside = [k // 2 + k % 2 * size for k in range(2 * size)]
        return [
            self.lanes_of(even, odd, lanes)
            for even, odd in halves
            for lanes in (beside[:size], beside[size:])
        ]

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


def batch_lanes(kernel: Kernel) -> int:
    """One register of the widest elements: shuffles of two take several times as long."""
    return lanes_for(kernel.target, kernel.nodes) // 2
