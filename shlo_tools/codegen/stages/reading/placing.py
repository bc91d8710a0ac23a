"""Indices of dimensions and places in row-major order, and how one becomes the other."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.stages.nodes import Extent, UnsupportedStage, are_known, is_one
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Linear,
    Split,
    level_of_index,
)
from shlo_tools.codegen.stages.reading.loops import Loops
from shlo_tools.dims import at_most


class Placing(Loops):
    """Loops, and where values are read inside of them."""

    def delinear(self, place: Component, shape: Sequence[Extent]) -> tuple[Component, ...]:
        """A place in row-major order as an index per dimension."""
        left = [size for size in shape if not is_one(size)]
        result: list[Component] = []
        for size in reversed(shape):
            if is_one(size):
                result.append(0)
            elif len(left) == 1:
                result.append(place)
            else:
                left.pop()
                place, rest = self.divided(place, size)
                result.append(rest)
        return tuple(reversed(result))

    def linear(self, index: Sequence[Component], shape: Sequence[Extent]) -> Component:
        """An index per dimension as a place in row-major order."""
        place: Component = 0
        for c, step in self.terms(index, shape):
            place = self.added(place, self.scaled(c, step))
        return place

    def terms(
        self, index: Sequence[Component], shape: Sequence[Extent]
    ) -> list[tuple[Component, Extent]]:
        """Components and how far apart in row-major order their elements are, from the last one on.

        What was divided by sizes is whole again.
        """
        parts: list[tuple[Component, Extent]] = []
        for c, size in zip(index, shape, strict=True):
            if is_one(size):
                continue
            whole = self.undivided(parts[-1][0], c, size) if parts else None
            if whole is not None:
                c, size = whole, parts.pop()[1] * size
            parts.append((c, size))
        step: Extent = 1
        terms = []
        for c, size in reversed(parts):
            terms.append((c, step))
            step *= size
        return terms

    # --- indices ----------------------------------------------------------------------------------
    def is_inside(self, index: Index) -> bool:
        """Whether the loops that an index changes with are those around."""
        return level_of_index(index) < len(self._memos)

    def by_dimension(self, index: Index, shape: tuple[Extent, ...]) -> tuple[Component, ...]:
        """An index per dimension."""
        if isinstance(index, tuple):
            return index
        if isinstance(index, Linear):
            return self.delinear(index.place, shape)
        border = suffix(shape, index.columns)
        if border is None:
            return self._by_lines(index, shape)
        rows = self.delinear(index.row, shape[:border])
        return (*rows, *self.delinear(index.column, shape[border:]))

    def _by_lines(self, index: Split, shape: tuple[Extent, ...]) -> tuple[Component, ...]:
        """The same where a row is several times the last dimensions."""
        border, line = len(shape), 1
        while border and are_known(index.columns, size := shape[border - 1]):
            if size == 0 or index.columns % (line * size):
                break
            line *= size
            border -= 1
        if line == 1:
            return self.delinear(self.as_linear(index, shape), shape)
        number, column = self.divided(index.column, line)
        before = self.added(self.scaled(index.row, index.columns // line), number)
        return (*self.delinear(before, shape[:border]), *self.delinear(column, shape[border:]))

    def as_linear(self, index: Index, shape: tuple[Extent, ...]) -> Component:
        """The place in row-major order."""
        if isinstance(index, Linear):
            return index.place
        if isinstance(index, Split):
            return self.added(self.scaled(index.row, index.columns), index.column)
        return self.linear(index, shape)

    def reshaped(
        self, index: Index, shape: tuple[Extent, ...], source: tuple[Extent, ...]
    ) -> Index:
        """Where a reshape to ``shape`` reads its operand."""
        if not isinstance(index, tuple):
            return index
        return self._regrouped(index, shape, source)

    def _regrouped(
        self, index: tuple[Component, ...], shape: tuple[Extent, ...], source: tuple[Extent, ...]
    ) -> tuple[Component, ...]:
        """Dimensions are split and merged in the smallest groups of equal products."""
        result: list[Component] = []
        i = j = 0
        while i < len(shape) or j < len(source):
            first, second = i, j
            here = there = 1
            while True:
                is_behind = _may_be_less(here, there)
                if (is_behind and i < len(shape)) or j >= len(source):
                    if i >= len(shape):
                        raise UnsupportedStage("a reshape between sizes that may differ")
                    here *= shape[i]
                    i += 1
                else:
                    there *= source[j]
                    j += 1
                if here == there:
                    break
            group, target = shape[first:i], source[second:j]
            if [k for k in group if not is_one(k)] == [k for k in target if not is_one(k)]:
                pairs = zip(index[first:i], group, strict=True)
                moved = iter([c for c, k in pairs if not is_one(k)])
                result += [0 if is_one(k) else next(moved) for k in target]
            else:
                result += self.delinear(self.linear(index[first:i], group), target)
        return tuple(result)


def _may_be_less(a: Extent, b: Extent) -> bool:
    """Whether a size is at most another; of those that nobody can compare, the number is."""
    if are_known(a, b):
        return bool(a <= b)
    known = at_most(a, b)
    return isinstance(a, int) if known is None else known


def suffix(shape: Sequence[Extent], count: Extent) -> int | None:
    """From which dimension on sizes make ``count``."""
    total: Extent = 1
    for d in range(len(shape), -1, -1):
        if total == count:
            return d
        if d and not (are_known(total, count) and total >= count):
            total *= shape[d - 1]
    return None
