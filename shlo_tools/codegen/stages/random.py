"""Random bits: a cipher of counters, each vector of them giving as many vectors as it has words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Node, Stage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Mask, Scalar
from shlo_tools.codegen.target import Target

_BLOCK = 2048  # counters that stand in one row
_CHUNK = 8192  # counters of a chunk of short rows
_NARROW = 8  # elements of rows that vectors are not worth


@dataclass(frozen=True)
class Layout:
    """Where the words of counters go.

    A result is outer x size x inner elements. There are as many counters, but for the size: each
    gives some neighbours along that dimension, the last ones of odd sizes fewer.
    """

    outer: int
    size: int
    inner: int
    words: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the counters."""
        return self.outer, -(-self.size // self.words), self.inner

    @property
    def counters(self) -> int:
        outer, half, inner = self.shape
        return outer * half * inner


@dataclass(frozen=True)
class Bits:
    """How bits are made: functions on what reads the kernel's nodes, and vectors or scalars.

    Attributes:
        key: the state's elements -> what the cipher takes of them.
        cipher: (what ``key`` returns, numbers of counters) -> a value for each word.
        advanced: the state's elements -> those of the new state.
    """

    layout: Layout
    key: Callable[[Any, Sequence[Value]], list[Value]]
    cipher: Callable[[Any, Sequence[Value], Value], list[Value]]
    advanced: Callable[[Any, Sequence[Value]], list[Value]]


def lower(stage: Stage, target: Target) -> StageCode:
    """One kernel; its first chunk writes the new state, too."""
    kernel = BitsKernel(stage, target)
    code = StageCode([kernel.write()], contexts=[Context(stage.places)])
    code.jobs.append(Job(stage.name, 0, kernel.chunks))
    return code


class BitsKernel(Kernel):
    """Walks rows of counters, in blocks where those are long."""

    rows, columns = -1, 1  # values have no rows here

    def __init__(self, stage: Stage, target: Target) -> None:
        node = stage.results[0].operands[0]
        (self.state,) = node.operands
        super().__init__(stage.name, target, stage.arguments, [self.state, *stage.results])
        first = len(stage.arguments)
        self.places: dict[int, tuple[Node, Value]] = {
            result.number: (result, self.word(first + k)) for k, result in enumerate(stage.results)
        }
        self.bits: Bits = node.attributes
        self.layout: Layout = self.bits.layout
        outer, half, inner = self.layout.shape
        self.is_flat = inner < _NARROW
        self.height: int = 1 if self.is_flat else outer * half
        self.width: int = self.layout.counters if self.is_flat else inner
        self.blocks: int = -(-self.width // _BLOCK)
        self.units: int = self.height * self.blocks if 1 in self.places else 0
        self.chunk: int = max(1, _CHUNK // max(1, min(self.width, _BLOCK)))

    @property
    def chunks(self) -> int:
        return max(1, -(-self.units // self.chunk))

    def write(self) -> Function:
        """The kernel over chunks of blocks."""
        f, number = self.function, self.function.arguments[1]
        (count,) = self.state.shape
        elements = [self.read(self.state, (k,), None) for k in range(count)]
        if 0 in self.places:
            f.if_(number == 0, lambda: self._advance(elements), lambda: None)
        if self.units:
            key = self.bits.key(self, [self.splat(element) for element in elements])
            first = number * self.chunk
            last = f.minimum(first + self.chunk, self.units)
            self.loop(first, last, 1, lambda unit: self._block(unit, key))
        return f

    def _advance(self, elements: Sequence[Value]) -> None:
        _, address = self.places[0]
        for place, element in enumerate(self.bits.advanced(self, elements)):
            self.store_scalar(element, address.at(place, place_type(self.state.element)))

    def _block(self, unit: Value, key: Sequence[Value]) -> None:
        f, level = self.function, self.level
        row, block = self.divided(Scalar(unit, level), self.blocks)
        start = self.scaled(block, _BLOCK)
        first = start.value if isinstance(start, Scalar) else f.constant(0)
        last = f.minimum(first + _BLOCK, self.width)

        def vector(column: Value) -> None:
            level = self.level
            lanes = Lanes(column, 1, level)
            number = self.positions(self.linear((row, lanes), (self.height, self.width)))
            words = self.bits.cipher(self, key, number)
            if self._are_neighbours():
                self._store_run(words, column)
                return
            left = f.mask_below(last - column, self.lanes)
            if self.is_flat:
                where = self.delinear(lanes, self.layout.shape)
            else:
                where = (*self.delinear(row, self.layout.shape[:2]), lanes)
            for part, word in enumerate(words):
                self._store_word(word, where, part, Mask(left, level))

        self.loop(first, last, self.lanes, vector)

    def _are_neighbours(self) -> bool:
        """Whether the words of all counters follow each other."""
        of = self.layout
        return self.is_flat and of.inner == 1 and (of.size % of.words == 0 or of.outer == 1)

    def _store_run(self, words: Sequence[Value], column: Value) -> None:
        f, lanes, count = self.function, self.lanes, len(words)
        total = self.layout.outer * self.layout.size
        run = self._interleaved(list(words))
        result, address = self.places[1]
        for part in range(count):
            value = (
                run
                if count == 1
                else f.shuffle(run, run, range(part * lanes, part * lanes + lanes))
            )
            place = column * count + part * lanes
            where = address.at(place, place_type(result.element))
            if total % (count * lanes) == 0:
                self.store(value, where, None)
                continue
            left = f.constant(total) - place
            self._store_part(value, where, left)

    def _store_part(self, value: Value, address: Value, left: Value) -> None:
        """As many lanes as are left; where that is none, the address may not be touched at all."""
        f, level = self.function, self.level
        mask = Mask(f.mask_below(left, self.lanes), level)
        f.if_(left > 0, lambda: self.store(value, address, mask), lambda: None)

    def _interleaved(self, words: list[Value]) -> Value:
        if len(words) == 1:
            return words[0]
        a, b = self._interleaved(words[::2]), self._interleaved(words[1::2])
        width = a.type.lanes
        return self.function.shuffle(a, b, [k // 2 + k % 2 * width for k in range(2 * width)])

    def _store_word(self, word: Value, where: Sequence[Component], part: int, mask: Mask) -> None:
        """One word of each counter, as far as the size goes."""
        f, of = self.function, self.layout
        outer, half, inner = where
        along = self.shifted(self.scaled(half, of.words), part)
        if of.size % of.words:
            is_inside = self.positions(along).compare("slt", of.size)
            mask = Mask(mask.value & is_inside, mask.level, is_partial=True)
        place = self.linear((outer, along, inner), (of.outer, of.size, of.inner))
        result, address = self.places[1]
        element = place_type(result.element)
        if isinstance(place, Lanes) and place.step == 1:
            self.store(word, address.at(place.base, element), mask)
            return
        offsets = self.positions(place) * element.bytes
        f.scatter(self.to_memory(word), address, offsets, mask.value)
