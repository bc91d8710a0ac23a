"""Loops over the places that a reduction takes in, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.reading.indices import Component, Mask, Scalar, Split
from shlo_tools.codegen.stages.reductions.sums import State, SumKernel

Parts = dict[int, Component]  # where loops are, for each group of dimensions
Body = Callable[[list[Parts], State], State]


class PlacesKernel(SumKernel):
    """Loops over what is reduced.

    Attributes:
        parts: where the loops around are.
    """

    parts: Parts

    def _range(self, group: int) -> tuple[Value | int, Value | int]:
        """The elements of a reduced group that a chunk folds."""
        size, block = self.sizes[group], self.walk.block
        if group != self.walk.blocked or self.walk.blocks == 1:
            return 0, size
        first = self.function.constant(self.block) * block
        last = first + block
        return first, last if size % block == 0 else self.function.minimum(last, size)

    def _each(
        self,
        groups: Sequence[int],
        body: Body,
        state: State,
        unroll: int,
        parts: Parts | None = None,
    ) -> State:
        """Loops over groups; the last one gives several places at a time, and then the rest."""
        parts = self.parts if parts is None else parts
        if not groups:
            return body([parts], state)
        group, *inner = groups
        first, last = self._range(group)
        innermost, unroll = unroll, 1 if inner else unroll

        def steps(several: int) -> Callable[..., State]:
            def one(place: Value, *state: Value) -> State:
                known = self.function.number_of(place)
                here = Scalar(place, self.level) if known is None else known
                places = [parts | {group: self.shifted(here, k)} for k in range(several)]
                if inner:
                    return self._each(inner, body, list(state), innermost, places[0])
                return body(places, list(state))

            return one

        whole = self._whole(first, last, unroll, self._is_cut(group, unroll))
        if unroll > 1:
            state = self.loop(first, whole, unroll, steps(unroll), state)
            first = whole
        if unroll == 1 or self._is_cut(group, unroll):
            state = self.loop(first, last, 1, steps(1), state)
        return state

    def _is_cut(self, group: int, unroll: int) -> bool:
        """Whether a range of a group may be no multiple."""
        return bool(self.sizes[group] % unroll != 0)

    def _whole(self, first: Value | int, last: Value | int, step: int, is_cut: bool) -> Value | int:
        """Where the last whole step of a range ends."""
        if not is_cut or step == 1:
            return last
        if isinstance(first, int) and isinstance(last, int):
            return first + (last - first) // step * step
        count = last - first
        return first + self.function.constant(count) // step * step

    def _index(self, parts: Parts) -> Split:
        """Where the reduced tensors are read."""
        row: Component = 0
        for g, size in enumerate(self.sizes[:-1]):
            before, row = row, self.added(self.scaled(row, size), parts[g])
            if not isinstance(row, int):
                self.note_division(row, size, before, parts[g])
        return Split(row, parts[len(self.sizes) - 1], self.sizes[-1])

    def _fold(self, parts: Parts, state: State, mask: Mask | None) -> State:
        """Take the elements at a place into accumulators."""
        return self._merged(state, self._values(parts, mask), in_order=True)

    def _values(self, parts: Parts, mask: Mask | None) -> State:
        """The elements at a place, which are stored where they are a result."""
        index = self._index(parts)
        for node in self.full:
            self._store_full(node, index, mask)
        return [self.read(source, index, mask) for source in self._sources()]

    def _fold_several(
        self, places: Sequence[Parts], get: Callable[[], State], mask: Mask | None
    ) -> State:
        """Take the elements at some places into accumulators that lie in memory.

        Elements of any order first become one sum: fewer sums are added to each other so, and
        rounded each time, and accumulators are in no register while elements are computed.
        """
        if not self.any_order:
            state = get()
            for parts in places:
                state = self._fold(parts, state, mask)
            return state
        first, *others = places
        several = self._values(first, mask)
        for parts in others:
            several = self._fold(parts, several, mask)
        return self._merged(get(), several, in_order=True)
