"""Passes over rows that are shorter than vectors: lanes are rows, and columns are a loop.

Nothing is folded across lanes, and no lane is idle. Elements of a vector lie a row apart: of few
columns they are picked from runs, and of more, rows are turned to columns and back, which takes
half of what fetching and writing lanes one by one does. So results are kept until all columns of a
vector of rows are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from shlo_tools.codegen.function import Type, Value
from shlo_tools.codegen.library import narrow_lanes, transposition
from shlo_tools.codegen.stages.folds import passed_over
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    are_known,
    is_one,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Index, Lanes, Mask, Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Apart, Buffer
from shlo_tools.codegen.stages.reading.runs import RUNS
from shlo_tools.codegen.stages.rows import FAR, RowKernel
from shlo_tools.codegen.target import Target

_SHORT = 3  # half vectors of a row, at most: of longer ones few lanes are idle
_MANY = 8  # vectors of rows, at least


def is_short(stage: Stage, space: Space, target: Target, *, folds_once: bool = False) -> bool:
    """Whether lanes of a stage had better be rows.

    Args:
        folds_once: whether there is a kernel that passes the rows once.
    """
    nodes = stage.nodes
    lanes = lanes_for(target, nodes)
    folded = {passed_over(node, stage.results) for node in nodes if node.kind is NodeKind.REDUCE}
    plain = all(
        not n.element.is_complex and not (_is_narrow(n) and n in folded) for n in stage.results
    )
    if not plain or not are_known(space.columns):
        return False
    if stage.kind == "map":
        is_many = are_known(space.rows) and space.rows >= lanes
        return is_many and 1 < space.columns <= RUNS
    is_long = space.columns > RUNS and not any(map(_fetches_lanes, nodes))
    if stage.kind != "row" or (folds_once and is_long):
        return False
    least = lanes if space.columns <= RUNS else _MANY * lanes
    is_many = not are_known(space.rows) or space.rows >= least
    return is_many and bool(space.columns <= _SHORT * lanes // 2)


def _fetches_lanes(node: Node) -> bool:
    """Whether neighbours in a row are fetched one by one, which takes as long for idle lanes."""
    if node.kind is not NodeKind.GATHER:
        return False
    long = [d for d, size in enumerate(node.shape) if not is_one(size)]
    return bool(long) and long[-1] not in node.attributes.vectors.windows


def _is_narrow(node: Node) -> bool:
    """Whether processors write no lanes of a value that lie apart."""
    return place_type(node.element).bits < 32


Kept = Buffer | list[Value]  # columns of a result


class ShortRowKernel(RowKernel):
    """Passes over vectors of rows.

    Attributes:
        fetched: what inputs are kept lane by lane, and where.
        columnwise: where results are kept, column by column, that are not written lane by lane:
            in memory, or where columns are written one by one, in registers.
        row_start, count: the first of the current rows, and how many there are.
    """

    folds_lanes = False
    apart = RUNS  # code is as long as there are columns

    @cached_property
    def _unrolls(self) -> bool:
        """Whether columns are written one by one: where few of them are made of parts."""
        whole = self.rows * self.columns
        is_joined = any(n.kind is NodeKind.CONCATENATE and n.count == whole for n in self.nodes)
        return is_joined and bool(self.columns <= RUNS)

    def each_row(self, first: Value, last: Value) -> None:
        """All passes over rows ``first`` to ``last``."""
        self._plan()
        self.fetched = self._gathered()
        self.columnwise = self._columnwise()
        self.each_vector(first, last)

    def each_vector(self, first: Value, last: Value) -> None:
        """All passes over vectors of rows ``first`` to ``last``."""
        is_whole = self.space.rows % self.lanes == 0 and self.space.chunk % self.lanes == 0
        overlaps = not is_whole and self._reaches_back

        def some(row: Value) -> None:
            if overlaps:
                row = self.function.minimum(row, last - self.lanes)
            self.one_vector(Lanes(row, 1, self.level), last, is_whole=is_whole or overlaps)

        self.loop(first, last, self.lanes, some)

    @cached_property
    def _reaches_back(self) -> bool:
        """Whether the last vector of rows overlaps the one before, as no instruction has masks.

        What it reads again may not lie where results do, so large tensors have masks.
        """
        size = self.rows * self.columns * place_type(self.results[0].element).bytes
        if self.target.masks or self.columns > RUNS or not are_known(size) or size > FAR:
            return False
        return bool(self._last_piece() >= self.lanes)

    def _last_piece(self) -> int:
        """Rows behind which a vector is the last one: those of the last chunk."""
        return int(self.space.rows % self.space.chunk or self.space.chunk)

    def one_vector(self, rows: Lanes, last: Value, *, is_whole: bool) -> None:
        """All passes over a vector of rows, which end at ``last`` where they are not whole."""
        f = self.function
        self.row, self.row_start, self.count = rows, rows.base, f.constant(self.lanes)
        if not is_whole:
            left = last - self.row_start
            self.mask = Mask(f.mask_below(left, self.lanes), self.level)
            self.count = f.minimum(left, self.lanes)
        self._gather(self.fetched)
        self._row()
        for node, kept in self.columnwise.items():
            if isinstance(kept, Buffer) and self.columns > RUNS:
                self._turn(node, kept)
            else:
                self._write_runs(node, kept)

    def _columnwise(self) -> dict[Node, Kept]:
        """Room for results that are not written lane by lane."""
        columnwise: dict[Node, Kept] = {}
        again = {passed_over(node, self.results) for node in self.reductions}
        for node in self._wide():
            if node in again or self.columns == 1:
                continue
            if self._unrolls and self.columns <= RUNS:
                columnwise[node] = []
                continue
            address = self.take_scratch(node.element, self.columns * self.lanes)
            if address is not None:
                columnwise[node] = Buffer(address, row_only=True)
        return columnwise

    def _write_runs(self, node: Node, kept: Kept) -> None:
        """Store what was kept of a result of few columns: lanes of all columns are interleaved."""
        f, element, n = self.function, place_type(node.element), self.lanes
        vector = element.vector(n)
        if isinstance(kept, Buffer):
            addresses = (kept.address.at(number * n, element) for number in range(self.columns))
            columns = [f.load(address, vector) for address in addresses]
        else:
            columns = kept.copy()
            kept.clear()  # for the next vector
        first = self.row_start * self.columns
        exist = None if self.mask is None else self.interleaved(self.mask, self.columns)
        for run in range(self.columns):
            places = [divmod(run * n + k, self.columns) for k in range(n)]
            value = columns[0]
            inside = [lane for lane, _ in places]
            for number, column in enumerate(columns[1:], 1):
                lanes = zip(places, inside, strict=True)
                inside = [n + lane if own == number else k for (lane, own), k in lanes]
                value = f.shuffle(value, column, inside)
                inside = list(range(n))
            exists = None if exist is None else exist[run]
            for result, target in zip(self.results, self.targets, strict=True):
                if result is node:
                    address = target.at(first, element).at(run * n, element)
                    narrow_lanes.store(f, value, address, exists)

    def _turn(self, node: Node, buffer: Buffer) -> None:
        """Store what was kept of a result, row by row."""
        element = place_type(node.element)
        for result, target in zip(self.results, self.targets, strict=True):
            if result is node:
                place = target.at(self.row_start * self.columns, element)
                self.turn_columns(element, buffer.address, place, self.columns)

    def _turn_rows(self, node: Node, columns: Value) -> None:
        """Write rows of what lies in memory as columns behind each other."""
        element = place_type(node.element)
        rows = self.buffers[node].address.at(self.row_start * self.columns, element)
        numbers = self.count, self.function.constant(self.columns)
        self._turn_matrix(element, rows, columns, numbers, (self.columns, self.lanes))

    def turn_columns(self, element: Type, columns: Value, rows: Value, width: int) -> None:
        """Write columns of the current rows, which lie behind each other, as parts of rows."""
        numbers = self.function.constant(width), self.count
        self._turn_matrix(element, columns, rows, numbers, (self.lanes, self.columns))

    def _turn_matrix(
        self,
        element: Type,
        source: Value,
        target: Value,
        numbers: tuple[Value, Value],
        elements: tuple[Extent, Extent],
    ) -> None:
        """Transpose a matrix of some rows and columns; ``elements`` from row to row of either."""
        f = self.function
        row, target_row = (count * element.bytes for count in elements)
        group = row * transposition.group(self.target, element.bits)
        pitches = map(f.constant, (row, target_row, group))
        f.run(transposition.matrix_name(element.bits), [source, target, *numbers, *pitches])

    def _gathered(self) -> dict[Node, Buffer]:
        """Inputs that several passes read, and where their elements are kept lane by lane.

        What the first pass is over is kept by that pass, if it is not turned.
        """
        gathered: dict[Node, Buffer] = {}
        pointwise = self._pointwise
        first = passed_over(self.reductions[0], self.results) if self.reductions else None
        passes = len(self.reductions) + bool(self._wide())
        for node in [n for n in self.nodes if n in self.buffers and n in pointwise]:
            if passes > 1:
                address = self.take_scratch(node.element, self._kept_elements())
                if address is not None:
                    own = self.kept if node is first and not self._is_turned(node) else gathered
                    own[node] = Buffer(address, row_only=True)
        return gathered

    def _is_turned(self, node: Node) -> bool:
        """Whether rows are turned to columns: of few, lanes are picked from runs."""
        return not node.element.is_complex and bool(self.columns > RUNS)

    def _gather(self, gathered: dict[Node, Buffer]) -> None:
        """Elements that lie a row apart are fetched once."""

        def fetch(index: Split, mask: Mask | None) -> None:
            for node, buffer in fetched.items():
                address, _, _ = self._address(node, buffer, index)
                self.store(self.load(node, self.buffers[node], index, mask), address, None)

        fetched = {node: buffer for node, buffer in gathered.items() if not self._is_turned(node)}
        if fetched:
            self._each_column(fetch)
        for node, buffer in gathered.items():
            if node not in fetched:
                self._turn_rows(node, buffer.address)
        self.buffers.update(gathered)

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        """Loop over columns: ``body(index, mask, *carry)``; one by one where parts are joined.

        A number tells which part a column is of, so that no column computes all of them.
        """
        if self._unrolls:
            carried = list(carry)
            for number in range(self.columns):
                self.column = number
                last = body(Split(self.row, number, self.columns), self.mask, *carried)  # type: ignore[operator]
                carried = [last] if isinstance(last, Value) else list(last or carried)
            return carried

        def one(column: Value, *carried: Value) -> object:
            self.column = Scalar(column, self.level)
            index = Split(self.row, self.column, self.columns)
            return body(index, self.mask, *carried)  # type: ignore[operator]

        return self.loop(0, self.columns, 1, one, carry)  # type: ignore[arg-type]

    def _address(self, node: Node, buffer: Buffer, index: Index) -> tuple[Value, bool, Apart]:
        """Kept rows lie column by column."""
        if not buffer.row_only:
            return super()._address(node, buffer, index)
        column = index.column if isinstance(index, Split) else None
        if not isinstance(column, int | Scalar):
            raise UnsupportedStage("a row read across rows")
        place = (column if isinstance(column, int) else column.value) * self.lanes
        return buffer.address.at(place, place_type(node.element)), True, 1

    def _kept_elements(self) -> Extent:
        return self.columns * self.lanes

    def _keep(self, source: Node, value: Value, index: Split) -> None:
        address, _, _ = self._address(source, self.kept[source], index)
        self.store(value, address, None)

    def _total(self, node: Node, totals: list[Value]) -> list[Value]:
        return totals

    def _store_wide(self, node: Node, value: Value, index: Split, mask: Mask | None) -> None:
        self.stored.add(node)
        kept = self.columnwise.get(node)
        if isinstance(kept, Buffer):
            address, _, _ = self._address(node, kept, index)
            self.store(value, address, None)
            return
        if kept is not None:
            kept.append(self.to_memory(value if value.type.lanes else self.splat(value)))
            return
        for result, target in zip(self.results, self.targets, strict=True):
            if result is node:
                address, _, place = self._address(node, Buffer(target), index)
                self.store_at(value, address, place, mask)
