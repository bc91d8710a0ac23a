"""Passes over columns: what is reduced lies in front of the last dimensions, where lanes are.

Values are ``outer x length x inner``, and reductions make ``outer x inner`` of them. Some vectors
of inner elements are passed over once per reduction and once more for what is left, and what a
later pass reads again is kept, as rows are in ``rows``. What a column is folded to stays in
registers: nothing is folded across lanes, and elements are taken in order, whatever is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.folds import columns_of, groups_of, is_spread, passed_over
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, Stage, UnsupportedStage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Lanes,
    Mask,
    Scalar,
    Split,
    level_of,
)
from shlo_tools.codegen.stages.reading.memory import Apart, Buffer
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.target import Target

_HELD = 3  # vectors that a single reduction passes at a time, at most
_LITTLE = 8 * 1024  # elements of a chunk, at least


class ColumnKernel(RowKernel):
    """Passes over vectors of columns.

    Attributes:
        outer: where the loop over what is in front of the reduced dimensions is.
        number: where a pass is in what is reduced.
        vectors: of columns that are passed at a time, and which lanes of them there are.
        vector: which of them is read.
    """

    outer: Component = 0
    number: Component = 0
    vectors: list[tuple[Lanes, Mask | None]]
    vector = 0

    def __init__(self, target: Target, stage: Stage) -> None:
        reductions = [n for n in stage.nodes if n.kind is NodeKind.REDUCE]
        groups = {
            groups_of(n.operands[0].shape, n.dimensions) for n in reductions if n.reduced != 1
        }
        sizes = columns_of(next(iter(groups))) if len(groups) == 1 else None
        if sizes is None:
            raise UnsupportedStage("reductions of several shapes")
        (self.groups,) = groups
        self.outers, self.length, self.inner = sizes
        whole = Space(self.outers * self.length, self.inner, 1, self.inner)
        super().__init__(stage.name, target, stage.arguments, stage.results, whole)
        count = -(-self.inner // self.lanes)
        # Several passes are long as they are, and all but the first read what is near.
        most = _HELD if len(reductions) == 1 else 1
        self.together = next(n for n in range(most, 0, -1) if count % n == 0)
        some = max(1, _LITTLE // (max(1, self.length) * self.together * self.lanes))
        self.width = min(some, count // self.together) * self.together * self.lanes
        self.strips = -(-self.inner // self.width)
        self.each = (
            1 if self.strips > 1 else max(1, min(some * self.together // count, self.outers // 4))
        )

    @property
    def chunks(self) -> Extent:
        """Some of the outer elements with all columns, or a strip of one."""
        return -(-self.outers // self.each) * self.strips

    def write(self) -> Function:
        """The kernel over chunks of columns."""
        f = self.function
        chunk = f.arguments[1]
        self.strip = 0, self.inner
        if self.strips > 1:
            rest, chunk = chunk, chunk // self.strips
            start = (rest - chunk * self.strips) * self.width
            self.strip = start, f.minimum(start + self.width, self.inner)
        first = chunk * self.each
        if self.outers == 1:
            self._each_vector()
        elif self.each == 1:
            self.outer = Scalar(first, self.level)
            self._each_vector()
        else:
            last = first + self.each
            if self.outers % self.each:
                last = f.minimum(last, self.outers)

            def one(place: Value) -> None:
                self.outer = Scalar(place, self.level)
                self._each_vector()

            self.loop(first, last, 1, one)
        return f

    def _takes(self, node: Node) -> bool:
        """Whether a reduction makes one element of each column."""
        return groups_of(node.operands[0].shape, node.dimensions) == self.groups

    def _spreads(self, node: Node) -> bool:
        (source,) = node.operands
        return is_spread(node.shape, node.dimensions, source.shape, self.groups)

    # --- indices ----------------------------------------------------------------------------------
    def _kept(self) -> Split:
        """Where what there is one of for each column is read."""
        return Split(self.outer, self.column, self.inner)

    def _full(self) -> Split:
        return Split(self.row, self.column, self.inner)

    def normal(self, index: Index, shape: tuple[Extent, ...]) -> Index:
        """The one index of an element, also of what there is one of for each column."""
        index = super().normal(index, shape)
        if not isinstance(index, tuple):
            return index
        count: Extent = 1
        for size in shape:
            count *= size
        is_kept = count == self.outers * self.inner and self.is_inside(self._kept())
        return (
            self._kept() if is_kept and index == self.by_dimension(self._kept(), shape) else index
        )

    def _read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        if node.kind is NodeKind.BROADCAST and index == self._full() and self._spreads(node):
            return self.read(node.operands[0], self._kept(), mask)
        return super()._read(node, index, mask)

    def _address(self, node: Node, buffer: Buffer, index: Index) -> tuple[Value, bool, Apart]:
        """What is kept of columns lies vector by vector."""
        if not buffer.row_only:
            return super()._address(node, buffer, index)
        if index != self._full() or not isinstance(self.number, Scalar):
            raise UnsupportedStage("a column read across columns")
        element = place_type(node.element)
        start = self._stepped(buffer.address, self.number, self.together * self.lanes, element)
        return start.at(self.vector * self.lanes, element), True, 1

    # --- passes -----------------------------------------------------------------------------------
    def _each_vector(self) -> None:
        """All passes over some vectors of columns, and then over the next ones."""
        self._plan()

        def one(start: Value) -> None:
            self.vectors = []
            for number in range(self.together):
                first, is_last = start + number * self.lanes, number == self.together - 1
                if is_last and self._reaches_back:
                    first = self.function.minimum(first, self.inner - self.lanes)
                lanes = Lanes(first, 1, self.level)
                self.vectors.append((lanes, self._below(lanes) if is_last else None))
            self._row()

        self.loop(*self.strip, self.together * self.lanes, one)

    @cached_property
    def _reaches_back(self) -> bool:
        """Whether the last vector overlaps the one before, as no instruction has masks.

        What a strip computes again is its own.
        """
        is_cut = self.inner % self.lanes != 0 and self.inner % self.width >= self.lanes
        return is_cut and not self.target.masks

    def _below(self, lanes: Lanes) -> Mask | None:
        """Lanes that there are; only the last vector may lack some."""
        if self.inner % self.lanes == 0 or self._reaches_back:
            return None
        left = self.function.constant(self.inner) - lanes.base
        return Mask(self.function.mask_below(left, self.lanes), lanes.level)

    def _each(
        self,
        place: Callable[[], Split],
        body: Callable[..., Value | None],
        carry: Sequence[Value] = (),
    ) -> list[Value]:
        """``body(index, mask)`` for each of the vectors, or ``body(index, mask, value)``."""
        values: list[Value] = []
        for number, (lanes, mask) in enumerate(self.vectors):
            self.vector, self.column = number, lanes
            value = body(place(), mask, *carry[number : number + 1])
            values += [] if value is None else [value]
        return values

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        """Loop over what is reduced, and over vectors there; the last values."""

        def one(number: Value, *carried: Value) -> list[Value]:
            outer, here = self.outer, Scalar(number, self.level)
            self.number = here
            row = self.row = self.added(self.scaled(outer, self.length), here)
            # Nobody has to divide it.
            self.once(level_of(row), ("divide", row, self.length), lambda: (outer, here))
            return self._each(self._full, body, carried)  # type: ignore[arg-type]

        return self.loop(0, self.length, 1, one, carry)

    def _store_narrow(self, node: Node, target: Value) -> None:
        """Store what there is one of for each column."""

        def store(index: Split, mask: Mask | None) -> None:
            address, _, _ = self._address(node, Buffer(target), index)
            self.store(self.read(node, index, mask), address, mask)

        self._each(self._kept, store)

    def _reduce(self, node: Node) -> None:
        source, (zero,) = passed_over(node, self.results), self.initial(node)

        def one(index: Split, mask: Mask | None, total: Value) -> Value:
            shown = self.read(source, index, mask)
            if source in self.results and source not in known:
                self._store_wide(source, shown, index, mask)
            elif source in self.kept and source not in self.buffers:
                address, _, _ = self._address(source, self.kept[source], index)
                self.store(shown, address, None)
            value = self.read(node.operands[0], index, mask)
            return self.folded(node, [total], [value])[0]

        known = set(self.stored)
        totals = self._each_column(one, [zero] * self.together)
        if source in self.kept:
            self.buffers[source] = self.kept[source]
        elif source in self.stored - known:
            self.buffers[source] = Buffer(self.targets[self.results.index(source)])
        for (lanes, _), total in zip(self.vectors, totals, strict=True):
            (value,) = self.with_start(node, [total])
            self.values[node, Split(self.outer, lanes, self.inner)] = value

    def _kept_elements(self) -> Extent:
        return self.length * self.together * self.lanes
