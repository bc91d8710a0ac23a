"""Sorting along a dimension: lines of elements, each ordered by its keys or by a comparator.

Where a comparator compares one number of each element, that number becomes an unsigned key and the
process library sorts entries of key and place. Any other comparator stands in a merge sort of
places. Either way results are read at the sorted places, and only the first ones where no others
are wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shlo_tools.codegen.function import I64, Function, Type, Value
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import selecting, sorting
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Region, Stage
from shlo_tools.codegen.stages.reading.elements import flattened, place_type
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Mask, Positions, Scalar
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import Kind

_CHUNK = 4096  # elements of a chunk of short lines
_TOGETHER = 4  # long lines that are sorted at the same time
_LONG = 1 << 15  # elements of a line that is sorted by several threads
_LONGEST = 1 << 20  # elements of a line that one thread selects some of
_PAD = 64  # entries behind the last that vectors may touch


@dataclass(frozen=True)
class Key:
    """The number that a comparator compares.

    Attributes:
        node: the key of each element.
        is_total: whether floats are compared by their total order; else zeros are equal.
    """

    node: Node
    is_descending: bool
    is_total: bool

    @property
    def bits(self) -> int:
        return place_type(self.node.element).bits

    @property
    def entry_bits(self) -> int:
        return 128 if self.bits > 32 else 64


@dataclass(frozen=True)
class Sorting:
    """How a sort orders.

    Attributes:
        less: the comparator: (element, other element) of each operand -> whether it goes before.
        key: what it compares, where it is known to be one number.
    """

    dimension: int
    less: Region
    key: Key | None


def lower(stage: Stage, target: Target) -> StageCode:
    """Lines in scratch memory where they fit there, else in temporaries."""
    kernel = SortKernel(stage, target, "")
    is_short = kernel.length < (_LONGEST if kernel.selects else _LONG)
    if kernel.key and kernel.lines == 1 and not is_short:
        return _long_line(stage, target, kernel)
    code = StageCode()
    if kernel.room <= SCRATCH_BYTES:
        together = max(1, _CHUNK // kernel.length)
        code.functions.append(kernel.write_short(together))
        code.contexts.append(Context(stage.places))
        code.jobs.append(Job(stage.name, 0, -(-kernel.lines // together)))
        return code
    together = min(kernel.lines, _TOGETHER)
    code.temporaries.append(together * kernel.room)
    code.functions.append(kernel.write_apart())
    for line in range(0, kernel.lines, together):
        code.contexts.append(Context((*stage.places, Place("temporary", 0), line)))
        chunks = min(together, kernel.lines - line)
        code.jobs.append(Job(stage.name, len(code.contexts) - 1, chunks))
    return code


def _long_line(stage: Stage, target: Target, shape: SortKernel) -> StageCode:
    """One line by jobs: keys, a pass over each digit, results."""
    key = shape.key
    if key is None:
        raise TypeError("a line without keys")
    length, bits = shape.length, key.entry_bits
    code = StageCode()
    parts = min(16, length // (_LONG // 4))
    part = -(-length // parts)
    room = shape.entry.bytes * (length + _PAD)
    code.temporaries += [room, room, parts * sorting.COUNTS_BYTES]
    kernels = [SortKernel(stage, target, part) for part in (".keys", ".results")]
    digits = sorting.digits(length, key.bits)
    sorted_in = Place("temporary", len(digits) % 2)
    for place in (Place("temporary", 0), sorted_in):
        code.contexts.append(Context((*stage.places, place)))
    code.functions += [kernels[0].write_keys(part), kernels[1].write_results(part)]
    code.jobs.append(Job(kernels[0].function.name, 0, parts))
    for number, (shift, width) in enumerate(digits):
        words: dict[str, Word] = {
            "source": Place("temporary", number % 2),
            "target": Place("temporary", (number + 1) % 2),
            "counts": Place("temporary", 2),
            "count": length,
            "shift": shift + sorting.key_shift(bits),
            "mask": (1 << width) - 1,
            "part": part,
            "parts": parts,
        }
        code.contexts.append(Context(tuple(words[name] for name in sorting.CONTEXT)))
        context = len(code.contexts) - 1
        for name, chunks in (("count", parts), ("offsets", 1), ("move", parts)):
            code.jobs.append(Job(sorting.job_name(bits, name), context, chunks))
    code.jobs.append(Job(kernels[1].function.name, 1, -(-shape.most // part)))
    return code


def _whole(result: Node) -> Node:
    """The result of a sort that a stage's result is, or is the first elements of."""
    return result.operands[0] if result.kind is NodeKind.SLICE else result


class SortKernel(Kernel):
    """Kernels of one sort."""

    rows, columns = -1, 1  # values have no rows here

    def __init__(self, stage: Stage, target: Target, part: str) -> None:
        first = _whole(stage.results[0])
        node = first.operands[0] if first.kind is NodeKind.RESULT else first
        attributes: Sorting = node.attributes
        self.node, self.key, self.less = node, attributes.key, attributes.less
        self.operands = node.operands
        nodes = [*self.operands, *([self.key.node] if self.key else [])]
        super().__init__(stage.name + part, target, stage.arguments, nodes)
        self.outputs = [
            (_whole(result).number, self.word(len(stage.arguments) + k))
            for k, result in enumerate(stage.results)
        ]
        self.words = len(stage.arguments) + len(stage.results)
        self.dimension = attributes.dimension
        self.shape = stage.results[0].shape
        self.length = node.shape[self.dimension] if node.shape else 1
        self.most = self.shape[self.dimension] if node.shape else 1
        self.lines = node.count // self.length
        self.entry = Type(f"i{self.key.entry_bits}") if self.key else I64
        is_keyed, bits = self.key is not None, self.entry.bits
        self.picks = is_keyed and selecting.is_picked(self.most, self.length, bits)
        self.selects = self.picks or (is_keyed and selecting.is_selected(self.most, self.length))
        # Entries are wider than keys, and code of four registers takes twice as long to compile.
        self.lanes = min(self.lanes, target.lanes(32))
        size = self.entry.bytes * (self.length + _PAD)
        self.list_bytes = -(-size // 64) * 64
        self.room = 2 * self.list_bytes + sorting.COUNTS_BYTES

    # --- kernels ----------------------------------------------------------------------------------
    def write_short(self, together: int) -> Function:
        """A chunk is some lines, sorted in scratch memory."""
        f = self.function
        first = f.arguments[1] * together
        last = f.minimum(first + together, self.lines)
        self.loop(first, last, 1, lambda line: self._line(line, self.scratch))
        return f

    def write_apart(self) -> Function:
        """A chunk is a line, sorted in its part of a temporary."""
        f, chunk = self.function, self.function.arguments[1]
        room = self.word(self.words).at(chunk * self.room)
        line = self.word(self.words + 1, I64) + chunk
        self.loop(line, line + 1, 1, lambda line: self._line(line, room))
        return f

    def write_keys(self, part: int) -> Function:
        """A chunk writes entries of a part of the only line."""
        entries = self.word(self.words)
        first, last = self._part(part)
        self._entries(self._index(self.function.constant(0)), first, last, entries)
        return self.function

    def write_results(self, part: int) -> Function:
        """A chunk reads what a part of the sorted entries say."""
        entries = self.word(self.words)
        first, last = self._part(part)
        last = last if self.most == self.length else self.function.minimum(last, self.most)
        self._results(self._index(self.function.constant(0)), first, last, entries)
        return self.function

    def _part(self, part: int) -> tuple[Value, Value]:
        first = self.function.arguments[1] * part
        return first, self.function.minimum(first + part, self.length)

    # --- a line -----------------------------------------------------------------------------------
    def _line(self, line: Value, room: Value) -> None:
        """Sort a line: entries or places, and then what they say."""
        f = self.function
        at = self._index(line)
        first, last = f.constant(0), f.constant(self.length)
        other, counts = room.at(self.list_bytes), room.at(2 * self.list_bytes)
        if self.key:
            self._entries(at, first, last, room)
            ordered = self._ordered(room, other, counts, self.key)
        else:
            self.loop(0, self.length, 1, lambda k: f.store(k, room.at(k, I64)))
            less = self._comparator(at)
            ordered = sorting.merge_runs(f, self.loop, (room, other), self.length, I64, less)
        self._results(at, first, f.constant(self.most), ordered)

    def _ordered(self, room: Value, other: Value, counts: Value, key: Key) -> Value:
        """Where the sorted entries of a line are, or the first ones of them."""
        f = self.function
        length, most = f.constant(self.length), f.constant(self.most)
        if self.picks:
            f.run(selecting.PICK, [room, other, length, most])
            return other
        operands = [room, other, counts, length, f.constant(key.bits)]
        if self.selects:
            return f.call(selecting.select_name(self.entry.bits), [*operands, most], room.type)
        return f.call(sorting.sort_name(self.entry.bits), operands, room.type)

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
        """Keys and places, by vectors; behind the last there is room."""
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
            address = entries.at(column, self.entry)
            # Parts of other chunks begin right behind the last entry.
            exists = mask.value
            if self.entry.bits != 64:
                exists = f.mask_below((last - column) * 2, 2 * self.lanes)
            f.store_masked(entry, address, exists)

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
            start = self.linear(at(Scalar(column, level)), self.shape)
            for number, target in self.outputs:
                operand = self.operands[number]
                value = self.read(operand, index, mask)
                element = place_type(operand.element)
                place = start.value if isinstance(start, Scalar) else f.constant(0)
                self._store_line(value, element, target.at(place, element), mask)

        self.loop(first, last, self.lanes, vector)

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
        step = 1
        for size in self.node.shape[self.dimension + 1 :]:
            step *= size
        if step == 1:
            self.store(value, address, mask)
            return
        f = self.function
        value = value if value.type.lanes else self.splat(value)
        pitch = step * element.bytes
        offsets = f.constant(tuple(pitch * k for k in range(self.lanes)), I64.vector(self.lanes))
        for number, part in enumerate(flattened([value])):
            stored = self.to_memory(part)
            place = address.at(number, stored.type.scalar)
            f.scatter(stored, place, offsets, mask.value)
