"""Elements of small tensors that follow each other in memory, and lie in a register each.

Vectors of neighbours are taken apart and put together by shuffles where tensors are of few
elements; else lanes are fetched, and stored, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.kernels import Kernel, lanes_for
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.elements import place_type

_SHUFFLED = 4  # elements of a tensor, at most: more take more shuffles each


class BatchMemory(Kernel):
    """Loads and stores of a vector of tensors."""

    def load_batch(self, node: Node, first: Value, count: int) -> list[Callable[[], Value]]:
        """What loads each element of tensors from number ``first`` on, of ``count`` elements."""
        address, element = self.buffers[node].address, place_type(node.element)
        start = address.at(first * count, element)

        @cache
        def run(number: int) -> Value:
            at = start.at(number * self.lanes, element)
            return self.load_at(at, node.element, None, has_lanes=True)

        def picked(place: int) -> Value:
            lanes = [lane * count + place for lane in range(self.lanes)]
            return self._across([run(k) for k in range(count)], lanes)

        def fetched(place: int) -> Value:
            at, apart = start.at(place, element), self.offsets(count)
            return self.load_at(at, node.element, None, apart, has_lanes=True)

        load = picked if count <= _SHUFFLED else fetched
        return [cache(partial(load, place)) for place in range(count)]

    def store_batch(self, node: Node, target: Value, first: Value, values: Sequence[Value]) -> None:
        """Store tensors from number ``first`` on, whose elements have a register each."""
        count, element = len(values), place_type(node.element)
        start = target.at(first * count, element)
        whole = [v if v.type.lanes else self.splat(v) for v in values]
        if count > _SHUFFLED and node.element.bits >= 32:
            for place, value in enumerate(whole):
                self.store_at(value, start.at(place, element), self.offsets(count), None)
            return
        for number in range(count):
            places = range(number * self.lanes, (number + 1) * self.lanes)
            lanes = [place % count * self.lanes + place // count for place in places]
            at = start.at(number * self.lanes, element)
            self.store(self._across(whole, lanes), at, None)

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
