"""Kernels of a sort whose elements alone are wanted: their keys are sorted, and are elements again.

Zeros that are equal, and NaN that are, have one key. Where a line holds others than the one that
stands for all of them, which few do, these are put in order behind that.
"""

from __future__ import annotations

from collections.abc import Callable
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
        differs: whether a line holds an element that is not what its key says.
        ordered: where its sorted keys are.
    """

    differs: Value
    ordered: Value

    def __init__(self, name: str, target: Target, sort: Sort, own_words: int) -> None:
        super().__init__(name, target, sort, own_words)
        self._number, self._is_tied = sort.numbers[0], are_tied(sort)

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
    def write_keys(self) -> Function:
        """A chunk writes keys of a part of the only line, and whether it has ties."""
        super().write_keys()
        if self._is_tied:
            flags = self.word(self.words + 1)
            self.function.store(
                self.differs.to("zext", "i64"), flags.at(self.function.arguments[1], I64)
            )
        return self.function

    def write_ties(self) -> Function:
        """One chunk puts the ties of the only line in order."""
        f, length, part = self.function, self.lines.length, self.lines.part
        keys, flags = self.word(self.words), self.word(self.words + 1)
        parts = (f.constant(length) + (f.constant(part) - 1)) // f.constant(part)

        def either(number: Value, flag: Value) -> Value:
            return flag | f.load(flags.at(number, I64), I64)

        (flag,) = f.loop(0, parts, 1, either, [f.constant(0)])
        self.differs, self.ordered = flag != 0, keys
        self._order_ties(f.constant(0))
        return f

    # --- a line -----------------------------------------------------------------------------------
    def _line(self, line: Value, room: Value) -> None:
        super()._line(line, room)
        if self._is_tied:
            self._order_ties(line)

    def _ordered(self, room: Value, other: Value, counts: Value, key: Key) -> Value:
        self.ordered = super()._ordered(room, other, counts, key)
        return self.ordered

    def _entries(self, at: Index, first: Value, last: Value, entries: Value) -> None:
        """Keys, by vectors."""
        f, operand = self.function, self.operands[self._number]

        def vector(column: Value, *state: Value) -> list[Value]:
            level = self.level
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            index = at(Lanes(column, 1, level))
            key = self._unsigned(self.read_lanes(index, mask))
            stored = key.to("zext", self.entry.element)
            f.store_masked(stored, entries.at(column, self.entry), mask.value)
            if not state:
                return []
            value = self.read(operand, index, mask)
            value = value if value.type.lanes else self.splat(value)
            return [state[0] | (value.to("bitcast", self._bits.element) ^ self._decoded(key))]

        nothing = [f.zero(self._bits.vector(self.lanes))] if self._is_tied else []
        for different in self.loop(first, last, self.lanes, vector, nothing):
            self.differs = f.reduce("or", different).compare("ne", 0)

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

    def _results(self, at: Index, first: Value, last: Value, ordered: Value) -> None:
        """Elements of sorted keys."""
        f, element = self.function, self.operands[self._number].element
        keys = self.entry.vector(self.lanes)

        def vector(column: Value) -> None:
            level = self.level
            mask = Mask(f.mask_below(last - column, self.lanes), level)
            key = f.load_masked(ordered.at(column, self.entry), mask.value, keys)
            value = self._decoded(key.to("trunc", self._bits.element))
            value = value.to("bitcast", register_type(element).element)
            for _, target in self._targets(at(Scalar(column, level))):
                self._store_line(value, place_type(element), target, mask)

        self.loop(first, last, self.lanes, vector)

    # --- ties -------------------------------------------------------------------------------------
    def _order_ties(self, line: Value) -> None:
        """Elements of equal keys as they follow each other in a line, if it has any."""

        def order(_: Value) -> None:
            at = self._index(line)
            numbers: list[Any] = [0.0] if self._key.nan is None else [0.0, self._key.nan]
            for number in numbers:
                self._order(at, constant(self.function, number, self._key.node.element))

        def branch() -> None:
            self.loop(0, 1, 1, order)  # what is computed there is not known behind it

        self.function.if_(self.differs, branch)

    def _order(self, at: Index, number: Value) -> None:
        """Those whose key is a number's, from the place of the first such key on."""
        f, operand = self.function, self.operands[self._number]
        key, length = self._unsigned(number), f.constant(self.lines.length)
        operands = [self.ordered, length, key.to("zext", "i64")]
        first = f.call(sorting.bound_name(self.sorted_entry), operands, I64)

        def one(k: Value, place: Value) -> list[Value]:
            index = at(Scalar(k, self.level))
            own = self._unsigned(self.read(self._key.node, index, None))
            value = self.read(operand, index, None)

            def put() -> list[Value]:
                for _, target in self._targets(at(Scalar(place, self.level))):
                    self.store_scalar(value, target)
                return [place + 1]

            return f.if_((own == key) & (place < self.lines.most), put, lambda: [place])

        self.loop(0, length, 1, one, [first])


def are_tied(sort: Sort) -> bool:
    """Whether elements that differ may have one key."""
    key = sort.key
    if key is None or not key.node.element.is_float:
        return False
    return not key.is_total or key.node is not sort.node.operands[sort.numbers[0]]
