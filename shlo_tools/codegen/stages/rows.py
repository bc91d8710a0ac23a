"""Kernels of results of rows x columns, of rows, or both.

Each row is passed over once per reduction and once more for what is left; rows that a later pass
reads again are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from shlo_tools.codegen.function import POINTER, Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode, Word, formula
from shlo_tools.codegen.stages.column_loops import ColumnLoops
from shlo_tools.codegen.stages.folds import fold_of, passed_over, sources_of
from shlo_tools.codegen.stages.map_space import Space, group_of
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    UnsupportedStage,
    are_known,
    below,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Linear, Mask, Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reading.runs import RUNS
from shlo_tools.codegen.target import Target
from shlo_tools.dims import ceiling_divided
from shlo_tools.dtypes import ElementType

_AHEAD = 8  # rows from the one that is read to the one that is asked for
FAR = 1 << 20  # bytes that caches near a processor may not hold

_POINTWISE = (NodeKind.ELEMENTWISE, NodeKind.RESHAPE)


class RowKernel(ColumnLoops):
    """Passes over rows.

    Attributes:
        folds_lanes: whether those of a vector make one element.
        is_cut: whether chunks may be parts of rows.
        mask: where lanes are rows, those that there are.
    """

    folds_lanes = True
    apart = 2 * RUNS
    mask: Mask | None = None
    _ahead: tuple[Sequence[Node], Component] = (), 0  # gathers, and a row that they read soon

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        space: Space,
        pitch: Extent = 0,
        width: Extent = 0,
    ) -> None:
        super().__init__(name, target, inputs, results)
        self.pitch = pitch or space.columns
        self.rows, self.columns = space.rows, space.columns
        if self.folds_lanes:  # they lie along columns
            self.narrow(space.columns)
        self.is_cut = len(self._wide()) == len(results) and not self._reductions()
        walked = space if self.folds_lanes else space.in_vectors(self.lanes)
        self.space = walked.in_strips() if self.is_cut else walked
        self.strip = 0, space.columns
        self._width, self._used = width or space.columns, self.lanes

    def _whole_groups(self) -> int:
        """Columns of a vector: whole groups of what is repeated, or reversed together."""
        groups = {
            group
            for node in self.nodes
            if (group := group_of(node, self.columns)) is not None and group < self.lanes
        }
        if len(groups) != 1:
            return self.lanes
        (group,) = groups
        return self.lanes - self.lanes % group

    def write(self) -> Function:
        """The kernel over chunks of rows."""
        f, space = self.function, self.space
        chunk = f.arguments[1]
        if self.is_cut and self.folds_lanes and space.strips == 1:
            self._used = self._whole_groups()
        if space.strips > 1:
            row = chunk // space.strips
            start = (chunk - row * space.strips) * space.strip
            self.note_rest(start, space.strip, 0)
            self.strip = start, f.minimum(start + space.strip, space.columns)
            chunk = row
        first = chunk * space.chunk
        last = first + space.chunk
        if space.rows % space.chunk:
            last = f.minimum(last, space.rows)
        self.each_row(first, last)
        return f

    @property
    def chunks(self) -> Extent:
        """How many chunks there are."""
        return self.space.chunks

    def add_to(self, code: StageCode, places: Sequence[Word], *, makes: int | None = None) -> None:
        """Add the kernel, its context and the job that runs it to a stage's code.

        Args:
            makes: as of ``Job``.
        """
        code.functions.append(self.write())
        code.contexts.append(Context((*places, *self.last_words(code))))
        last = len(code.contexts) - 1
        code.jobs.append(Job(self.function.name, last, formula(self.chunks), makes=makes))

    @cached_property
    def _reaches_back(self) -> bool:
        """Whether the last of some vectors overlaps the one before, and reads what it read again.

        No result lies where an argument does then.
        """
        return False

    def in_place(self) -> dict[int, list[int]]:
        """Results that may lie where arguments do, see ``StageCode``."""
        places: dict[int, list[int]] = {}
        if self._reaches_back:
            return places
        for node in self.nodes:
            if node.kind is NodeKind.INPUT:
                for number in self.results_over(node, place_type(node.element).bytes):
                    places.setdefault(number, []).append(node.number)
        return places

    def results_over(self, node: Node, bytes: int) -> list[int]:
        """Results that may lie where a value does, whose elements have so many bytes there."""
        if node not in self._pointwise:
            return []
        count = self.rows * self.columns
        reduced = {
            passed_over(other, self.results)
            for other in self.nodes
            if other.kind is NodeKind.REDUCE
        }
        return [
            number
            for number, result in enumerate(self.results)
            if result.count == count
            and result not in reduced
            and result.kind is not NodeKind.INPUT
            and place_type(result.element).bytes == bytes
        ]

    @cached_property
    def _pointwise(self) -> set[Node]:
        """Values whose elements are read only for the results' elements there, or for their row."""
        inside, results, count = set(self.nodes), set(self.results), self.rows * self.columns
        pointwise: set[Node] = set()
        for node in reversed(self.nodes):  # users before what they read
            readers = [
                user for user in node.users if user in inside and user.kind is not NodeKind.REDUCE
            ]
            if (
                node.count == count
                and not (node.kind is NodeKind.INPUT and node in results)
                and all(user.kind in _POINTWISE and user in pointwise for user in readers)
            ):
                pointwise.add(node)
        return pointwise

    def each_row(self, first: Value, last: Value) -> None:
        """All passes over rows ``first`` to ``last``."""
        self._plan()
        gathers = [node for node in self.nodes if self._is_far(node)]

        def one(row: Value) -> None:
            self.row = Scalar(row, self.level)
            if gathers:
                # Behind a chunk's last row as well: a thread goes on with the next one.
                ahead = f.minimum(row + _AHEAD, f.constant(self.rows) - 1)
                self._ahead = gathers, Scalar(ahead, self.level)
            self._row()

        f = self.function
        self.loop(first, last, 1, one)

    def _is_far(self, node: Node) -> bool:
        """Whether rows are fetched from anywhere in memory that caches near by do not hold.

        A processor does not see which ones come next; asked for early, some are on their way at
        the same time.
        """
        if node.kind is not NodeKind.GATHER or node not in self._pointwise:
            return False
        (source, _) = node.operands
        count = source.count
        is_large = are_known(count) and count * place_type(source.element).bytes >= FAR
        return is_large and source in self.buffers

    def _reductions(self) -> list[Node]:
        """Which values are reduced, in order."""
        return [
            node
            for node in below(self.results, self.buffers)
            if node.kind is NodeKind.REDUCE and node.reduced != 1 and node not in self.buffers
        ]

    def _plan(self) -> None:
        """Which values are reduced, in order, and which rows have to be kept for a later pass."""
        self.reductions = self._reductions()
        for node in self.reductions:
            if len(sources_of(node)) > 1 or not self._takes(node):
                raise UnsupportedStage("a reduction of another shape")
        self._mark_late()
        self.kept: dict[Node, Buffer] = {}
        for node in self.reductions:
            source = passed_over(node, self.results)
            again = len(source.users) > 1 and source not in self.results
            if again and source not in self.buffers and source not in self.kept:
                count = self._kept_elements()
                known = are_known(count)
                take = self.take_scratch if known else self._take_room
                address = take(source.element, count)
                if address is not None:
                    self.kept[source] = Buffer(address, row_only=True)

    def _takes(self, node: Node) -> bool:
        """Whether a reduction makes one element of each row, in lanes."""
        is_row = node.operands[0].count == self.rows * self.columns and node.count == self.rows
        return is_row and fold_of(node).neutral is not None

    def _take_room(self, element: ElementType, count: Extent) -> Value:
        """Room of a chunk's own, as much as run time tells."""
        size: Extent = ceiling_divided(count * place_type(element).bytes, 64)
        size *= 64
        self.rooms.append(self.space.chunks * size)
        f = self.function
        start = f.context_word(len(self.rooms) - 1, POINTER)
        return start.at(f.arguments[1] * f.constant(size))

    def _kept_elements(self) -> Extent:
        """Room for what is kept of a value at a time."""
        return self.columns + self.lanes

    def _mark_late(self) -> None:
        """What rests on a reduction is known in the loop of rows at the earliest."""
        level = self.level + 1
        stack = list(self.reductions)
        while stack:
            node = stack.pop()
            if node not in self.late:
                self.late[node] = level
                stack += node.users

    def _row(self) -> None:
        """One row: a pass per reduction, then one for the results that are left."""
        self.values.clear()
        self.stored: set[Node] = set()
        buffers = dict(self.buffers)
        for node in self.reductions:
            self._reduce(node)
        wide = [node for node in self._wide() if node not in self.stored]
        if wide:
            self._write(wide)
        for node, target in zip(self.results, self.targets, strict=True):
            if node not in self._wide():
                self._store_narrow(node, target)
        self.buffers = buffers

    def _write(self, wide: list[Node]) -> None:
        """The pass for results that no reduction's pass has stored."""
        gathers, row = self._ahead

        def store(index: Split, mask: Mask | None) -> None:
            for node in gathers:
                source = node.operands[0]
                where = self.moved(node, replace(index, row=row), None)
                self.prefetch(source, self.buffers[source], where)
            # All is read before any is stored: a result may lie where an input does.
            values = [self.read(node, index, mask) for node in wide]
            for node, value in zip(wide, values, strict=True):
                self._store_wide(node, value, index, mask)

        self._each_column(store)

    def _store_narrow(self, node: Node, target: Value) -> None:
        """Store what there is one of for each row."""
        if isinstance(self.row, int):
            raise UnsupportedStage("no row")
        index = Linear(self.row)
        value = self.read(node, index, self.mask)
        address, has_lanes, _ = self._address(node, Buffer(target), index)
        if has_lanes:
            self.store(value, address, self.mask)
        else:
            self.store_scalar(value, address)

    def _wide(self) -> list[Node]:
        """Results with a value for each column; a row of one column is as good as a row's value."""
        return [
            node
            for node in self.results
            if node.count == self.rows * self.columns
            and not (self.columns == 1 and self.late.get(node))
        ]

    def _store_wide(self, node: Node, value: Value, index: Split, mask: Mask | None) -> None:
        for result, target in zip(self.results, self.targets, strict=True):
            if result is node:
                self.store(value, self._place(node, target, index), mask)
        self.stored.add(node)

    def _place(self, node: Node, target: Value, index: Split) -> Value:
        """Where a vector of a row is stored."""
        element = place_type(node.element)
        row, column = index.row, index.column
        if not isinstance(row, Scalar) or not isinstance(column, Lanes):
            raise UnsupportedStage("a row without vectors")
        key = ("row of", target.name)
        start = self.once(row.level, key, lambda: target.at(row.value * self.pitch, element))
        return start.at(column.base, element)

    def _reduce(self, node: Node) -> None:
        source = passed_over(node, self.results)
        (zero,) = self.initial(node)
        is_stored = source in self.results and source not in self.stored

        def one(index: Split, mask: Mask | None, total: Value) -> Value:
            shown = self.read(source, index, mask)
            if is_stored:
                self._store_wide(source, shown, index, mask)
            elif source in self.kept and self.buffers.get(source) is not self.kept[source]:
                self._keep(source, shown, index)
            value = self.read(node.operands[0], index, mask)
            (value,) = self.alike([value, zero])[:1]
            if mask is not None and self.folds_lanes:
                value = self.select(mask.value, value, zero)
            return self.folded(node, [total], [value])[0]

        totals = self._each_column(one, [zero])
        if source in self.kept:
            self.buffers[source] = self.kept[source]
        elif source in self.results:
            target = self.targets[self.results.index(source)]
            self.buffers[source] = Buffer(target)
        (value,) = self.with_start(node, self._total(node, totals))
        self.values[node, Linear(self.row)] = value

    def _keep(self, source: Node, value: Value, index: Split) -> None:
        """Keep elements of a row for a later pass."""
        column = index.column
        if isinstance(column, Lanes):
            place = self.kept[source].address.at(column.base, place_type(source.element))
            self.store(value, place, None)

    def _total(self, node: Node, totals: list[Value]) -> list[Value]:
        """What all columns of a row were folded to."""
        return self.across_lanes(node, totals)
