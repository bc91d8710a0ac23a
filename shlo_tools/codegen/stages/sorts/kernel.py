"""Kernels of one sort: lines of elements, each ordered by its keys or by a comparator.

Where a comparator compares one number of each element, that number becomes an unsigned key and the
process library sorts entries of key and place. Any other comparator stands in a merge sort of
places. Either way results are read at the sorted places, and only the first ones where no others
are wanted.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I64, Function, Type, Value
from shlo_tools.codegen.library import selecting, sorting
from shlo_tools.codegen.library.sorting import Entry
from shlo_tools.codegen.stages.kernels import Kernel, lanes_for
from shlo_tools.codegen.stages.nodes import Extent, Node, below, is_one
from shlo_tools.codegen.stages.reading.elements import flattened, place_type
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Lanes,
    Mask,
    Positions,
    Scalar,
)
from shlo_tools.codegen.stages.sorts.lines import Sort
from shlo_tools.codegen.stages.sorts.orders import Key
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import Kind

_BLOCK = 1024  # entries of a long line that are made of elements at a time


class SortKernel(Kernel):
    """A kernel of one sort.

    Words of the context: addresses of inputs, then of results, then some of the kernel's own, then
    sizes that are not known.
    """

    rows, columns = -1, 1  # values have no rows here

    def __init__(self, name: str, target: Target, sort: Sort, own_words: int) -> None:
        self.own_words = own_words
        self.node, self.key, self.less = sort.node, sort.key, sort.order.less
        self.operands, self.dimension = sort.node.operands, sort.order.dimension
        keys = [self.key.node] if self.key else []
        super().__init__(name, target, sort.inputs, keys)
        self.nodes = below([*self.operands, *keys])
        first = len(sort.inputs)
        self.outputs = [(number, self.word(first + k)) for k, number in enumerate(sort.numbers)]
        self.words = first + len(sort.numbers)
        self.function.first_word = self.words + own_words
        self.function.is_general = bool(sort.sizes)
        self.lines = sort.lines
        self.entry = I64 if sort.lines.entry is None else sort.lines.entry.type
        shape, d = self.node.shape, self.dimension
        self.shape = (*shape[:d], sort.lines.most, *shape[d + 1 :]) if shape else ()
        # Entries are wider than keys, and code of four registers takes twice as long to compile.
        self.lanes = min(lanes_for(target, self.nodes), target.lanes(32))

    def normal(self, index: Index, shape: tuple[Extent, ...]) -> Index:
        """Without rows, the index per dimension is the only one."""
        if not isinstance(index, tuple):
            return index
        return tuple(0 if is_one(k) else c for c, k in zip(index, shape, strict=True))

    # --- kernels ----------------------------------------------------------------------------------
    def write_short(self) -> Function:
        """A chunk is some lines, sorted in scratch memory."""
        f, together = self.function, self.lines.together
        first = f.arguments[1] * together
        last = f.minimum(first + together, self.lines.count)
        self.loop(first, last, 1, lambda line: self._line(line, self.scratch))
        return f

    def write_apart(self) -> Function:
        """A chunk is a line, sorted in its part of a temporary."""
        f, chunk = self.function, self.function.arguments[1]
        room = self.word(self.words).at(chunk * self.lines.room)
        line = self.word(self.words + 1, I64) + chunk
        self.loop(line, line + 1, 1, lambda line: self._line(line, room))
        return f

    def write_count(self) -> Function:
        """A chunk counts the first digits of a part of the only line."""
        f, entry = self.function, self.sorted_entry
        counts, mask = self._counts(), self.word(self.words + 1, I64)
        sorting.clear_counts(f, self.loop, counts, mask)
        self._blocks(lambda part: sorting.count_digits(f, self.loop, entry, part))
        return f

    def write_move(self) -> Function:
        """A chunk moves entries of a part of the only line by their first digits."""
        f, target = self.function, self.word(self.words + 2)
        self._blocks(
            lambda part: sorting.move_by_digit(f, self.loop, self.sorted_entry, part, target)
        )
        return f

    def _counts(self) -> Value:
        """What is known of the digits of a chunk's part."""
        return self.word(self.words).at(self.function.arguments[1] * sorting.COUNTS_BYTES)

    def _blocks(self, body: Callable[[sorting.Digits], None]) -> None:
        """Entries of a part of the only line, some at a time, in scratch memory."""
        f, counts, mask = self.function, self._counts(), self.word(self.words + 1, I64)
        first, last = self._part(self.lines.length)
        shift = f.constant(self.sorted_entry.shift)

        def block(start: Value) -> None:
            end = f.minimum(start + _BLOCK, last)
            self._entries(
                self._index(f.constant(0)), start, end, self.scratch.at(0 - start, self.entry)
            )
            body(sorting.Digits(self.scratch, end - start, shift, mask, counts))

        self.loop(first, last, _BLOCK, block)

    def write_results(self) -> Function:
        """A chunk reads what a part of the sorted entries say."""
        entries = self.word(self.words)
        first, last = self._part(self.lines.most)
        self._results(self._index(self.function.constant(0)), first, last, entries)
        return self.function

    def _part(self, end: Extent) -> tuple[Value, Value]:
        """Where a chunk begins and ends."""
        first = self.function.arguments[1] * self.lines.part
        return first, self.function.minimum(first + self.lines.part, end)

    # --- a line -----------------------------------------------------------------------------------
    def _line(self, line: Value, room: Value) -> None:
        """Sort a line: entries or places, and then what they say."""
        f = self.function
        at, length, list_bytes = self._index(line), self.lines.length, self.lines.list_bytes
        first, last = f.constant(0), f.constant(length)
        other, counts = room.at(list_bytes), room.at(2 * list_bytes)
        if self.key:
            self._entries(at, first, last, room)
            ordered = self._ordered(room, other, counts, self.key)
        else:
            self.loop(0, length, 1, lambda k: f.store(k, room.at(k, I64)))
            less = self._comparator(at)
            ordered = sorting.merge_runs(f, self.loop, (room, other), length, I64, less)
        self._results(at, first, f.constant(self.lines.most), ordered)

    def _ordered(self, room: Value, other: Value, counts: Value, key: Key) -> Value:
        """Where the sorted entries of a line are, or the first ones of them."""
        f = self.function
        length, most = f.constant(self.lines.length), f.constant(self.lines.most)
        if self.lines.picks:
            f.run(selecting.PICK, [room, other, length, most])
            return other
        operands = [room, other, counts, length, f.constant(key.bits)]
        if self.lines.selects:
            return f.call(selecting.select_name(self.sorted_entry), [*operands, most], room.type)
        return f.call(sorting.sort_name(self.sorted_entry), operands, room.type)

    @property
    def sorted_entry(self) -> Entry:
        """What the process library sorts.

        Raises:
            TypeError: a comparator does that.
        """
        if self.lines.entry is None:
            raise TypeError("places are merged by a comparator")
        return self.lines.entry

    def _index(self, line: Value) -> Callable[[Component], tuple[Component, ...]]:
        """The index of a place in a line."""
        shape = self.node.shape
        if not shape:
            return lambda _: ()
        others = [size for d, size in enumerate(shape) if d != self.dimension]
        where = list(self.delinear(Scalar(line, self.level), others))
        d = self.dimension
        return lambda place: (*where[:d], place, *where[d:])

    def _entries(
        self,
        at: Callable[[Component], tuple[Component, ...]],
        first: Value,
        last: Value,
        entries: Value,
    ) -> None:
        """Keys and places, by vectors; what the last one has more is written as well."""
        f = self.function

        def vector(column: Value) -> None:
            level = self.level
            lanes = Lanes(column, 1, level)
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            key = self._unsigned(self.read_lanes(at(lanes), mask))
            places = self.positions(lanes)
            if self.entry.bits == 64:
                entry = (key.to("zext", "i64") << 32) | places
            else:
                pairs = [k for lane in range(self.lanes) for k in (lane, self.lanes + lane)]
                entry = f.shuffle(places, key.to("zext", "i64"), pairs)
            f.store(entry, entries.at(column, self.entry), I64.bytes)

        self.loop(first, last, self.lanes, vector)

    def read_lanes(self, index: tuple[Component, ...], mask: Mask) -> Value:
        """Keys of some places as a vector."""
        if self.key is None:
            raise TypeError("no keys")
        value = self.read(self.key.node, index, mask)
        return value if value.type.lanes else self.splat(value)

    def _unsigned(self, value: Value) -> Value:
        """A number as an unsigned integer of the same order."""
        if self.key is None:
            raise TypeError("no keys")
        f, element = self.function, self.key.node.element
        if element.is_boolean:
            value = value.to("zext", "i32")
        bits = value.to("bitcast", f"i{value.type.bits}")
        width = bits.type.bits
        sign = f.constant(-(1 << (width - 1)), bits.type)
        if element.is_float:
            if not self.key.is_total:
                bits = f.select(bits == sign, f.zero(bits.type), bits)
            signs = f.op("ashr", bits, f.constant(width - 1, bits.type))
            bits = bits ^ (signs | sign)
        elif element.kind is Kind.SIGNED:
            bits = bits ^ sign
        if self.key.is_descending:
            mask = 1 if element.is_boolean else -1
            bits = bits ^ mask
        return bits

    def _comparator(self, at: Callable[[Component], tuple[Component, ...]]) -> sorting.Less:
        def less(a: Value, b: Value) -> Value:
            level = self.level
            values = []
            for operand in self.operands:
                for place in (a, b):
                    values.append(self.read(operand, at(Scalar(place, level)), None))
            return self.less(self, values)[0]

        return less

    def _results(
        self,
        at: Callable[[Component], tuple[Component, ...]],
        first: Value,
        last: Value,
        ordered: Value,
    ) -> None:
        """Read operands at the sorted places."""
        f = self.function

        def vector(column: Value) -> None:
            level = self.level
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            places = self._places(ordered.at(column, self.entry), mask)
            index = at(Positions(places, level))
            for operand, target in self._targets(at(Scalar(column, level))):
                value = self.read(operand, index, mask)
                self._store_line(value, place_type(operand.element), target, mask)

        self.loop(first, last, self.lanes, vector)

    def _targets(self, index: tuple[Component, ...]) -> list[tuple[Node, Value]]:
        """What results are elements of, and where they have that of an index."""
        start = self.linear(index, self.shape)
        place = start.value if isinstance(start, Scalar) else self.function.constant(0)
        operands = [(self.operands[number], target) for number, target in self.outputs]
        return [(node, target.at(place, place_type(node.element))) for node, target in operands]

    def _places(self, address: Value, mask: Mask) -> Value:
        """The places that entries hold; 0 for lanes that are masked out."""
        f, lanes = self.function, self.lanes
        if self.entry.bits == 64:
            words = f.load_masked(address, mask.value, I64.vector(lanes))
            return words & 0xFFFFFFFF if self.key else words
        exists = f.shuffle(mask.value, mask.value, [k // 2 for k in range(2 * lanes)])
        words = f.load_masked(address, exists, I64.vector(2 * lanes))
        return f.shuffle(words, words, range(0, 2 * lanes, 2))

    def _store_line(self, value: Value, element: Type, address: Value, mask: Mask) -> None:
        """Store neighbours of a line."""
        step: Extent = 1
        for size in self.node.shape[self.dimension + 1 :]:
            step *= size
        if step == 1:
            self.store(value, address, mask)
            return
        f = self.function
        value = value if value.type.lanes else self.splat(value)
        offsets = self.offsets(step) * element.bytes
        for number, part in enumerate(flattened([value])):
            stored = self.to_memory(part)
            place = address.at(number, stored.type.scalar)
            f.scatter(stored, place, offsets, mask.value)
