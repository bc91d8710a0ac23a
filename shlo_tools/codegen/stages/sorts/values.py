"""Kernels of a sort whose elements alone are wanted: their keys are sorted, and are elements again.

Zeros that are equal, and NaN that are, have one key. Where a line holds others than the one that
stands for all of them, which few do, these are put in order behind that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from shlo_tools.codegen.function import I64, Function, Type, Value
from shlo_tools.codegen.library import sorting
from shlo_tools.codegen.stages.reading.elements import constant, place_type, register_type
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Mask, Scalar
from shlo_tools.codegen.stages.sorts.kernel import SortKernel
from shlo_tools.codegen.stages.sorts.lines import Sort
from shlo_tools.codegen.stages.sorts.orders import Key
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import Kind

Index = Callable[[Component], tuple[Component, ...]]


class ValueKernel(SortKernel):
    """A kernel of one sort of values.

    Attributes:
        differs: whether a line, or a block of one, holds an element that is not what its key says.
    """

    differs: Value

    def __init__(self, name: str, target: Target, sort: Sort, own_words: int) -> None:
        super().__init__(name, target, sort, own_words)
        self._number, self._is_tied = sort.numbers[0], are_tied(sort)
        self._tell: Callable[[], None] = lambda: None

    @property
    def _key(self) -> Key:
        if self.key is None:
            raise TypeError("values without keys")
        return self.key

    @property
    def _bits(self) -> Type:
        """Elements as integers."""
        return Type(f"i{register_type(self._key.node.element).bits}")

    # --- kernels ----------------------------------------------------------------------------------
    def write_count(self) -> Function:
        """A chunk also tells whether its part of the only line has ties."""
        f = self.function
        if not self._is_tied:
            return super().write_count()
        flag = self.word(self.words + 2).at(f.arguments[1], I64)
        f.store(f.constant(0), flag)
        self._tell = lambda: f.store(f.load(flag, I64) | self.differs.to("zext", "i64"), flag)
        return super().write_count()

    def write_move(self) -> Function:
        """What ties there are is known."""
        self._is_tied = False
        return super().write_move()

    def write_only(self) -> Function:
        """A chunk moves a part of the only line by its only digit: what arrives are elements."""
        self._is_tied = False
        self._blocks(self._move_elements)
        return self.function

    def write_last(self) -> Function:
        """A chunk moves a part of a list by its last digit: what arrives are elements."""
        first, last = self._part(self.lines.length)
        mask, shift = self.word(self.words + 1, I64), self.word(self.words + 3, I64)
        source = self.word(self.words + 2).at(first, self.entry)
        self._move_elements(sorting.Digits(source, last - first, shift, mask, self._counts()))
        return self.function

    def _move_elements(self, part: sorting.Digits) -> None:
        """Elements to where the digits of their keys go."""
        f, at = self.function, self._index(self.function.constant(0))

        def put(address: Value, place: Value) -> None:
            value = self._element(f.load(address, self.entry))
            for _, target in self._targets(at(Scalar(place, self.level))):
                self.store_scalar(value, target)

        sorting.each_by_digit(f, self.loop, self.sorted_entry, part, put)

    def write_ties(self) -> Function:
        """One chunk puts the ties of the only line in order."""
        f, length, part = self.function, self.lines.length, self.lines.part
        flags = self.word(self.words)
        parts = (f.constant(length) + (f.constant(part) - 1)) // f.constant(part)

        def either(number: Value, flag: Value) -> Value:
            return flag | f.load(flags.at(number, I64), I64)

        (flag,) = f.loop(0, parts, 1, either, [f.constant(0)])
        self.differs = flag != 0
        self._order_ties(f.constant(0))
        return f

    # --- a line -----------------------------------------------------------------------------------
    def _line(self, line: Value, room: Value) -> None:
        super()._line(line, room)
        if self._is_tied:
            self._order_ties(line)

    def _entries(self, at: Index, first: Value, last: Value, entries: Value) -> None:
        """Keys, by vectors; what the last one has more is written as well."""
        f, operand = self.function, self.operands[self._number]

        def vector(column: Value, *state: Value) -> list[Value]:
            level = self.level
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            index = at(Lanes(column, 1, level))
            key = self._unsigned(self.read_lanes(index, mask))
            stored = key.to("zext", self.entry.element)
            f.store(stored, entries.at(column, self.entry), self.entry.bytes)
            if not state:
                return []
            value = self.read(operand, index, mask)
            value = value if value.type.lanes else self.splat(value)
            return [state[0] | (value.to("bitcast", self._bits.element) ^ self._decoded(key))]

        nothing = [f.zero(self._bits.vector(self.lanes))] if self._is_tied else []
        for different in self.loop(first, last, self.lanes, vector, nothing):
            self.differs = f.reduce("or", different).compare("ne", 0)
            self._tell()

    def _decoded(self, key: Value) -> Value:
        """The bits of the element that an unsigned integer stands for."""
        f, element, width = self.function, self._key.node.element, key.type.bits
        sign = f.constant(-(1 << (width - 1)), key.type)
        if self._key.is_descending:
            key = key ^ -1
        if element.is_float:
            signs = f.op("ashr", key, f.constant(width - 1, key.type))
            return key ^ ((signs ^ -1) | sign)
        return key ^ sign if element.kind is Kind.SIGNED else key

    def _element(self, key: Value) -> Value:
        """The element that a sorted key stands for."""
        element = self.operands[self._number].element
        return self._decoded(key.to("trunc", self._bits.element)).to(
            "bitcast", register_type(element).element
        )

    def _results(self, at: Index, first: Value, last: Value, ordered: Value) -> None:
        """Elements of sorted keys."""
        f, element = self.function, self.operands[self._number].element
        keys = self.entry.vector(self.lanes)

        def vector(column: Value) -> None:
            level = self.level
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            key = f.load_masked(ordered.at(column, self.entry), mask.value, keys)
            value = self._element(key)
            for _, target in self._targets(at(Scalar(column, level))):
                self._store_line(value, place_type(element), target, mask)

        self.loop(first, last, self.lanes, vector)

    # --- ties -------------------------------------------------------------------------------------
    def _order_ties(self, line: Value) -> None:
        """Elements of equal keys as they follow each other in a line, if it has any."""
        f = self.function

        def branch() -> None:
            # What is computed in the loop is not known behind it.
            self.loop(0, 1, 1, lambda _: self._order(self._index(line)))

        f.if_(self.differs, branch)

    def _order(self, at: Index) -> None:
        """Those of each key that several elements have, from the place of the first one on."""
        f, node, operand = self.function, self._key.node, self.operands[self._number]
        numbers: list[Any] = [0.0] if self._key.nan is None else [0.0, self._key.nan]
        keys = [self._unsigned(constant(f, number, node.element)) for number in numbers]
        length = f.constant(self.lines.length)

        def own_key(k: Value) -> Value:
            return self._unsigned(self.read(node, at(Scalar(k, self.level)), None))

        def below(k: Value, *counts: Value) -> list[Value]:
            own = own_key(k)
            are_below = [own.compare("ult", key).to("zext", "i64") for key in keys]
            return [count + is_below for count, is_below in zip(counts, are_below, strict=True)]

        def put(value: Value, place: Value) -> list[Value]:
            for _, target in self._targets(at(Scalar(place, self.level))):
                self.store_scalar(value, target)
            return [place + 1]

        def one(k: Value, *places: Value) -> list[Value]:
            own, value = own_key(k), self.read(operand, at(Scalar(k, self.level)), None)
            after: list[Value] = []
            for key, place in zip(keys, places, strict=True):
                is_here = (own == key) & (place < self.lines.most)
                after += f.if_(is_here, partial(put, value, place), partial(list, [place]))
            return after

        places = self.loop(0, length, 1, below, [f.constant(0) for _ in keys])
        self.loop(0, length, 1, one, places)


def are_tied(sort: Sort) -> bool:
    """Whether elements that differ may have one key."""
    key = sort.key
    if key is None or not key.node.element.is_float:
        return False
    return not key.is_total or key.node is not sort.node.operands[sort.numbers[0]]
