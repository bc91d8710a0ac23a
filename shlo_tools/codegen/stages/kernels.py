"""Kernels of stages: functions ``(context, chunk, scratch)`` whose loops read nodes and store them.

``RowKernel``: results of rows x columns, of rows, or both. Each row is passed over once per
reduction and once more for what is left; rows that a later pass reads again are kept.

Words of the context: addresses of the stage's inputs, then of its results, then what a kernel of
a contraction needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from shlo_tools.codegen.function import POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Place, StageCode, Word, formula
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.stages.folds import fold_of, is_neutral, sources_of, starts_of
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    UnsupportedStage,
    are_known,
    below,
)
from shlo_tools.codegen.stages.reading.elements import Parts, constant, place_type
from shlo_tools.codegen.stages.reading.indices import Lanes, Linear, Mask, Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reading.reader import Reader
from shlo_tools.codegen.target import Target
from shlo_tools.dims import ceiling_divided
from shlo_tools.dtypes import ElementType

_POINTWISE = (NodeKind.ELEMENTWISE, NodeKind.RESHAPE)


def lanes_for(target: Target, nodes: Sequence[Node]) -> int:
    """Two registers of 32-bit elements, or two of 64-bit ones where there are any."""
    widest = max((node.element.bits for node in nodes), default=32)
    return 2 * target.lanes(64 if widest >= 64 else 32)


class Kernel(Reader):
    """One kernel while it is written.

    Attributes:
        own_words: of the context, between where results lie and sizes.
        rooms: bytes of temporaries, where run time tells how many.
    """

    own_words = 0

    def __init__(
        self, name: str, target: Target, inputs: Sequence[Node], results: Sequence[Node]
    ) -> None:
        self.nodes = below(results)
        super().__init__(Function(name, JOB), lanes_for(target, self.nodes))
        self.target = target
        self.results = list(results)
        self.late, self.values = {}, {}
        self.words = len(inputs) + len(results)
        f = self.function
        f.first_word = self.words + self.own_words
        self.rooms: list[Extent] = []
        self.buffers = {
            node: Buffer(self.word(place)) for place, node in enumerate(inputs) if node.users
        }
        self.targets = [self.word(len(inputs) + k) for k in range(len(results))]
        self.scratch, self.scratch_used = f.arguments[2], 0

    def last_words(self, code: StageCode) -> tuple[Word, ...]:
        """The last words of the context: sizes, and room, which is added to the stage's code."""
        first = len(code.temporaries)
        code.temporaries += map(formula, self.rooms)
        return tuple(
            Place("temporary", first + key) if isinstance(key, int) else formula(key)
            for key in self.function.words
        )

    def word(self, place: int, type: Type = POINTER) -> Value:
        """A word of the context."""
        f = self.function
        return f.load(f.arguments[0].at(8 * place), type)

    # --- parts that loops are made of -------------------------------------------------------------
    def below_columns(self, start: Value, level: int) -> Mask | None:
        """Lanes that are columns, where not all are."""
        if self.columns % self.lanes == 0:
            return None
        left = self.function.constant(self.columns) - start
        return Mask(self.function.mask_below(left, self.lanes), level)

    def take_scratch(self, element: ElementType, count: int) -> Value | None:
        """Room in the thread's scratch memory, if there is any left."""
        size = -(-count * place_type(element).bytes // 64) * 64
        if self.scratch_used + size > SCRATCH_BYTES:
            return None
        address = self.scratch.at(self.scratch_used)
        self.scratch_used += size
        return address

    def folded(
        self, node: Node, state: Sequence[Value], values: Sequence[Value], *, merges: bool = False
    ) -> list[Value]:
        """One step of a reduction; ``merges`` where the values do not follow what was folded."""
        fold = fold_of(node)
        operands = self.alike([*state, *values])
        state, values = operands[: len(state)], operands[len(state) :]
        folded = (fold.merge if merges else fold.apply)(self, state, values)
        return [
            self.splat(m) if s.type.lanes and not m.type.lanes else m
            for m, s in zip(folded, state, strict=True)
        ]

    def initial(self, node: Node, *, scalar: bool = False) -> list[Value]:
        """Accumulators that have seen nothing, or what the reduction starts from alone."""
        neutral = fold_of(node).neutral
        if neutral is not None:
            lanes = 0 if scalar else self.lanes
            return [constant(self.function, neutral, node.element, lanes)]
        starts = [self.read(start, (), None) for start in starts_of(node)]
        return starts if scalar else [self.splat(start) for start in starts]

    def with_start(self, node: Node, state: Sequence[Value]) -> list[Value]:
        """Accumulators, and what the reduction starts from where that is not in them yet."""
        fold, (start, *_) = fold_of(node), starts_of(node)
        if fold.neutral is None or is_neutral(start, fold):
            return list(state)
        return self.folded(node, self.alike([self.read(start, (), None), *state])[:1], state)

    def across_lanes(self, node: Node, state: Sequence[Value]) -> list[Value]:
        """A reduction of the lanes of vectors to scalars, by halves: always in the same order."""
        width = self.lanes
        while width > 1:
            width //= 2
            low = [self.lanes_of(v, v, range(width)) for v in state]
            high = [self.lanes_of(v, v, range(width, 2 * width)) for v in state]
            state = fold_of(node).merge(self, low, high)
        return [self._first_lane(vector) for vector in state]

    def _first_lane(self, vector: Value) -> Value:
        if isinstance(vector, Parts):
            return Parts(self._first_lane(vector.real), self._first_lane(vector.imag))
        return self.function.extract(vector, 0)

    def lanes_of(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Lanes of two vectors, counted through both."""
        if isinstance(a, Parts) and isinstance(b, Parts):
            return Parts(self.lanes_of(a.real, b.real, lanes), self.lanes_of(a.imag, b.imag, lanes))
        return self.function.shuffle(a, b, lanes)


class RowKernel(Kernel):
    """Passes over rows."""

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        space: Space,
        pitch: Extent = 0,
    ) -> None:
        super().__init__(name, target, inputs, results)
        self.pitch = pitch or space.columns
        self.rows, self.columns = space.rows, space.columns
        is_cut = len(self._wide()) == len(results) and not self._reductions()
        self.space = space.in_strips() if is_cut else space
        self.strip: tuple[Value | int, Value | int] = 0, space.columns

    def write(self) -> Function:
        """The kernel over chunks of rows."""
        f, space = self.function, self.space
        chunk = f.arguments[1]
        if space.strips > 1:
            row = chunk // space.strips
            start = (chunk - row * space.strips) * space.strip
            self.strip = start, f.minimum(start + space.strip, space.columns)
            chunk = row
        first = chunk * space.chunk
        last = first + space.chunk
        if space.rows % space.chunk:
            last = f.minimum(last, space.rows)
        self.each_row(first, last)
        return f

    def in_place(self) -> dict[int, list[int]]:
        """Results that may lie where arguments do, see ``StageCode``."""
        places: dict[int, list[int]] = {}
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
        reduced = {other.operands[0] for other in self.nodes if other.kind is NodeKind.REDUCE}
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

        def one(row: Value) -> None:
            self.row = Scalar(row, self.level)
            self._row()

        self.loop(first, last, 1, one)

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
            source = node.operands[0]
            is_row = source.count == self.rows * self.columns and node.count == self.rows
            if not is_row or len(sources_of(node)) > 1 or fold_of(node).neutral is None:
                raise UnsupportedStage("a reduction of another shape")
        self._mark_late()
        self.kept: dict[Node, Buffer] = {}
        for node in self.reductions:
            source = node.operands[0]
            again = len(source.users) > 1 and source not in self.results
            if again and source not in self.buffers and source not in self.kept:
                count = self._kept_elements()
                known = are_known(count)
                take = self.take_scratch if known else self._take_room
                address = take(source.element, count)
                if address is not None:
                    self.kept[source] = Buffer(address, row_only=True)

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

            def store(index: Split, mask: Mask | None) -> None:
                # All is read before any is stored: a result may lie where an input does.
                values = [self.read(node, index, mask) for node in wide]
                for node, value in zip(wide, values, strict=True):
                    self._store_wide(node, value, index, mask)

            self._each_column(store)
        for node, target in zip(self.results, self.targets, strict=True):
            if node not in self._wide():
                self._store_narrow(node, target)
        self.buffers = buffers

    def _store_narrow(self, node: Node, target: Value) -> None:
        """Store what there is one of for each row."""
        if not isinstance(self.row, Scalar):
            raise UnsupportedStage("no row")
        value = self.read(node, Linear(self.row), None)
        self.store_scalar(value, target.at(self.row.value, place_type(node.element)))

    def _wide(self) -> list[Node]:
        """Results with a value for each column; a row of one column is as good as a row's value."""
        return [
            node
            for node in self.results
            if node.count == self.rows * self.columns
            and not (self.columns == 1 and self.late.get(node))
        ]

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        """Loop over vectors of columns: ``body(index, mask, *carry)``."""

        def one(start: Value, *carried: Value) -> object:
            level = self.level
            self.column = Lanes(start, 1, level)
            mask = self.below_columns(start, level)
            index = Split(self.row, self.column, self.columns)
            return body(index, mask, *carried)  # type: ignore[operator]

        return self.loop(*self.strip, self.lanes, one, carry)  # type: ignore[arg-type]

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
        (source,) = sources_of(node)
        (zero,) = self.initial(node)

        def one(index: Split, mask: Mask | None, total: Value) -> Value:
            value = self.read(source, index, mask)
            if source in self.results and source not in self.stored:
                self._store_wide(source, value, index, mask)
            elif source in self.kept and source not in self.buffers:
                self._keep(source, value, index)
            (value,) = self.alike([value, zero])[:1]
            if mask is not None:
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
