"""Loops over vectors of a row's columns, and which lanes of each are columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I1, Value
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Extent, are_known
from shlo_tools.codegen.stages.reading.indices import Lanes, Mask, Split

_MANY = 1 << 20  # elements that no near cache holds


class ColumnLoops(Kernel):
    """A kernel that walks rows by vectors of columns.

    Attributes:
        strip: the columns that are walked: the first one, and the one behind the last.
    """

    strip: tuple[Value | Extent, Value | Extent]
    _width: Extent  # columns that are walked before vectors begin again
    _used: int  # columns of a vector

    @property
    def used_lanes(self) -> int:
        """Columns of a vector."""
        return self._used

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        """Loop over vectors of columns: ``body(index, mask, *carry)``.

        Processors read ahead of vectors without masks alone, and masks take time, so vectors that
        are whole have a loop of their own where elements are many, or masks no instructions.
        """

        def vectors(*, may_end: bool) -> Callable[..., object]:
            def one(start: Value, *carried: Value) -> object:
                level = self.level
                self.column = self._lanes_from(start, level)
                mask = self._exists(start, level) if may_end else self._whole_mask()
                index = Split(self.row, self.column, self.columns)
                return body(index, mask, *carried)  # type: ignore[operator]

            return one

        (first, last), used = self.strip, self._used
        if self._ends_apart:
            whole = self.function.constant(first) + (last - first) // used * used
            carry = self.loop(first, whole, used, vectors(may_end=False), carry)  # type: ignore[arg-type]
            if self._walked % used == 0:
                return carry
            first = whole
        return self.loop(first, last, used, vectors(may_end=True), carry)  # type: ignore[arg-type]

    @property
    def _ends_apart(self) -> bool:
        """Whether vectors that end a row have a loop of their own."""
        size, walked, has_masks = self.rows * self.columns, self._walked, self.target.masks
        if self._used == self.lanes and walked % self.lanes == 0:
            return False
        if not are_known(size, walked):
            return not has_masks
        is_worth_it = not has_masks or (size >= _MANY and self._used == self.lanes)
        return bool(walked > self._used and is_worth_it)

    @property
    def _walked(self) -> Extent:
        """Columns of the strip; of one among several, those that all have, whose end is alike."""
        first, last = self.strip
        if isinstance(first, Value) or isinstance(last, Value):
            return self._width
        return last - first

    def _whole_mask(self) -> Mask | None:
        """The lanes of a vector in front of the last one."""
        if self._used == self.lanes:
            return None
        f, lanes = self.function, tuple(k < self._used for k in range(self.lanes))
        return self.once(0, "whole", lambda: Mask(f.constant(lanes, I1.vector(self.lanes)), 0))

    def _lanes_from(self, start: Value, level: int) -> Lanes:
        """The columns of a vector."""
        return Lanes(start, 1, level)

    def _exists(self, start: Value, level: int) -> Mask | None:
        """Lanes of a vector that are columns, and none of the next vector's."""
        f, is_whole = self.function, self._used == self.lanes
        if is_whole and self._walked % self.lanes == 0:
            return None
        left = f.constant(self.strip[1]) - start
        count = left if is_whole else f.minimum(left, self._used)
        return Mask(f.mask_below(count, self.lanes), level)
