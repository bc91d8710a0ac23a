"""Elements in memory: scalars, runs of vectors, lanes at places; and vectors made of scalars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from shlo_tools.codegen.function import I1, I64, Type, Value
from shlo_tools.codegen.library import maths, narrow_lanes
from shlo_tools.codegen.stages.nodes import Extent, Node, UnsupportedStage, are_known
from shlo_tools.codegen.stages.reading.elements import (
    Parts,
    flattened,
    memory_type,
    part_of,
    place_type,
    widened,
)
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Cyclic,
    Index,
    Lanes,
    Linear,
    Mask,
    Near,
    Pattern,
    Positions,
    Scalar,
    Split,
    level_of,
)
from shlo_tools.codegen.stages.reading.runs import RUNS, Column, Runs, column_of
from shlo_tools.dtypes import ElementType

# Where lanes are: so many elements apart, if these are few (-1: in front of each other), places in
# a run of no more than a vector's elements, or offsets of all of them.
Apart = Value | int | tuple[int, ...]
_SHARING = 16  # lanes that have one element of a run, at most
_LINE = 64  # bytes that memory hands over at a time


@dataclass(eq=False)
class Buffer:
    """Where elements of a node lie: in row-major order from ``address`` on.

    Attributes:
        row_only: it holds the current row alone, in whole vectors.
    """

    address: Value
    row_only: bool = False


class Memory(Runs):
    """Loads and stores of one kernel.

    Attributes:
        apart: elements that lanes lie apart, at most, where runs are loaded and not lanes.
    """

    apart = RUNS

    @property
    def used_lanes(self) -> int:
        """The first lanes of a vector, which others are never needed beside."""
        return self.lanes

    def alike(self, values: Sequence[Value]) -> list[Value]:
        """Scalars become vectors where some values are vectors."""
        lanes = max((value.type.lanes for value in values), default=0)
        return [v if v.type.lanes == lanes else self.splat(v, lanes) for v in values]

    def splat(self, scalar: Value, lanes: int = 0) -> Value:
        """A vector of a scalar, as long as vectors are here by default."""
        if isinstance(scalar, Parts):
            return Parts(self.splat(scalar.real, lanes), self.splat(scalar.imag, lanes))
        vector = self.function.broadcast(scalar, lanes or self.lanes)
        if scalar.wide is not None:
            vector.wide = self.function.broadcast(scalar.wide, lanes or self.lanes)
        return vector

    def select(self, condition: Value, on_true: Value, on_false: Value) -> Value:
        """``on_true`` where a condition holds, by lanes where any of them has lanes."""
        condition, a, b = self.alike([condition, on_true, on_false])
        if isinstance(a, Parts) and isinstance(b, Parts):
            real = self.function.select(condition, a.real, b.real)
            return Parts(real, self.function.select(condition, a.imag, b.imag))
        return self.function.select(condition, a, b)

    def mathematics(self, function: str, values: Sequence[Value], element: str) -> Value:
        """A function of the process library, which knows vectors only.

        Args:
            element: what ``maths`` has the function for.
        """
        vectors = [v if v.type.lanes else self.splat(v) for v in values]
        type = vectors[0].type
        result = self.function.computed(maths.name(function, type.of(element)), vectors, type)
        if values[0].type.lanes == self.lanes:
            return result
        if values[0].type.lanes:
            raise UnsupportedStage(f"{function} of {values[0].type}")
        return self.function.extract(result, 0)

    def load(self, node: Node, buffer: Buffer, index: Index, mask: Mask | None) -> Value:
        """Elements that lie in memory."""
        column = None if buffer.row_only else column_of(node, index)
        if column is not None:
            return self._load_column(node, buffer, column, mask)
        moving = self._moving_dimension(node, buffer, index)
        if moving is not None and isinstance(index, tuple):
            c = index[moving]
            # Of a partial mask there may be no element where the first lane is.
            if isinstance(c, Near) and not (mask is not None and mask.is_partial):
                return self._load_few(node, buffer, moving, index)
            if isinstance(c, Cyclic) and math.prod(node.shape[moving + 1 :]) == 1:
                return self._load_turns(node, buffer, moving, index, mask)
        address, has_lanes, place = self._address(node, buffer, index)
        exists = None if buffer.row_only else mask
        return self.load_at(address, node.element, exists, place, has_lanes=has_lanes)

    def load_at(
        self,
        address: Value,
        element: ElementType,
        mask: Mask | None,
        place: Apart = 1,
        *,
        has_lanes: bool,
    ) -> Value:
        """A scalar, or lanes."""
        if not element.is_complex:
            return self._load(element, address, has_lanes, place, 1, mask)
        part = part_of(element)
        if has_lanes and isinstance(place, int):
            if place == 1:
                return self._load_pairs(part, address, mask)
            place = self.offsets(place)
        beside = address.at(1, memory_type(part))
        return Parts(
            *(self._load(part, first, has_lanes, place, 2, mask) for first in (address, beside))
        )

    def _load(
        self,
        element: ElementType,
        address: Value,
        has_lanes: bool,
        place: Apart,
        width: int,
        mask: Mask | None,
    ) -> Value:
        """Real elements; those at places are ``width`` elements wide."""
        memory, f = memory_type(element), self.function
        if not has_lanes:
            number = self._from_memory(f.load(address, memory), element)
            if element.name == "bf16":  # once, and not as a vector wherever it is read
                number.wide = widened(number)
            return number
        vector = memory.vector(self.lanes)
        exists = mask.value if mask else None
        if isinstance(place, Value):
            all_exist = f.constant(True, I1.vector(self.lanes))
            offsets = place * (width * memory.bytes)
            value = f.gather(address, offsets, exists or all_exist, vector)
        elif isinstance(place, tuple):
            value = self.load_near(address, place, mask, vector)
        elif place == 1:
            value = narrow_lanes.load(f, address, exists, vector)
        elif place > 1:
            value = self.load_apart(address, place, mask, vector)
        else:
            back = range(self.lanes - 1, -1, -1)
            mirrored = None if exists is None else f.shuffle(exists, exists, back)
            run = narrow_lanes.load(f, address.at(1 - self.lanes, memory), mirrored, vector)
            value = f.shuffle(run, run, back)
        return self._from_memory(value, element)

    def _load_column(self, node: Node, buffer: Buffer, column: Column, mask: Mask | None) -> Value:
        """A column of short rows, which are loaded whole: other columns are in the same runs."""
        n, f = self.lanes, self.function
        type = memory_type(node.element)

        def load() -> list[Value]:
            address, _, _ = self._address(node, buffer, column.start)
            exist = [None] * column.count if mask is None else self.interleaved(mask, column.count)
            return [
                narrow_lanes.load(f, address.at(run * n, type), exists, type.vector(n))
                for run, exists in enumerate(exist)
            ]

        runs = self.once(self.level, ("rows", node, buffer, column.start, mask), load)
        firsts = range(0, column.count * n, n)
        places = range(column.number, column.count * n, column.count)
        return self._from_memory(self.picked(runs, firsts, places), node.element)

    def _moving_dimension(self, node: Node, buffer: Buffer, index: Index) -> int | None:
        """The one dimension along which lanes differ; None where there are more, or none."""
        if not isinstance(index, tuple) or buffer.row_only or node.element.is_complex:
            return None
        moving = [d for d, c in enumerate(index) if isinstance(c, Lanes | Positions)]
        return moving[0] if len(moving) == 1 and are_known(*node.shape) else None

    def _load_few(self, node: Node, buffer: Buffer, d: int, index: tuple[Component, ...]) -> Value:
        """A few neighbours in a dimension: each is loaded once, for all lanes that read it."""
        f, near, last = self.function, cast(Near, index[d]), node.shape[d] - 1

        def number(k: int) -> Value:
            def place() -> Value:
                # No lane reads what is behind the last one; the first may be, where none exists.
                return f.minimum(near.first + k, last)

            moved = Scalar(self.once(near.level, ("neighbour", near, k), place), near.level)
            address, _, _ = self._address(node, buffer, (*index[:d], moved, *index[d + 1 :]))
            return self.splat(self._load(node.element, address, False, 0, 1, None))

        value = number(0)
        for k in range(1, near.most + 1):
            value = f.select(near.offsets.compare("uge", k), number(k), value)
        return value

    def _load_turns(
        self,
        node: Node,
        buffer: Buffer,
        d: int,
        index: tuple[Component, ...],
        mask: Mask | None,
    ) -> Value:
        """Neighbours in memory, which begin again: a run for each turn."""
        f, cyclic = self.function, cast(Cyclic, index[d])
        vector = memory_type(node.element).vector(self.lanes)

        def run(turn: int) -> Value:
            exists = cyclic.turns.offsets.compare("eq", turn)
            exists = exists & mask.value if mask is not None else exists
            key = "turn", cyclic, turn
            place = self.once(cyclic.level, key, lambda: cyclic.first - turn * cyclic.size)
            moved = (*index[:d], Scalar(place, cyclic.level), *index[d + 1 :])
            address, _, _ = self._address(node, buffer, moved)
            return narrow_lanes.load(f, address, exists, vector)

        value = run(0)
        for turn in range(1, cyclic.turns.most + 1):
            value = f.select(cyclic.turns.offsets.compare("eq", turn), run(turn), value)
        return self._from_memory(value, node.element)

    def _load_pairs(self, part: ElementType, address: Value, mask: Mask | None) -> Value:
        """Adjacent complex numbers."""
        f, lanes = self.function, self.lanes
        vector = memory_type(part).vector(2 * lanes)
        pairs = f.load_masked(address, self._doubled(mask) if mask else None, vector)
        first, second = (range(start, 2 * lanes, 2) for start in (0, 1))
        return Parts(f.shuffle(pairs, pairs, first), f.shuffle(pairs, pairs, second))

    def _doubled(self, mask: Mask) -> Value:
        """A mask of lanes as one of their parts."""
        places = [k // 2 for k in range(2 * self.lanes)]
        key = ("doubled", mask)
        return self.once(
            mask.level, key, lambda: self.function.shuffle(mask.value, mask.value, places)
        )

    def prefetch(self, node: Node, buffer: Buffer, index: Index) -> None:
        """Ask for the lines of a vector of neighbours in memory that is to be loaded soon."""
        address, has_lanes, apart = self._address(node, buffer, index)
        if has_lanes and apart == 1:
            for start in range(0, self.lanes * place_type(node.element).bytes, _LINE):
                self.function.prefetch(address.at(start))

    def store(self, value: Value, address: Value, mask: Mask | None) -> None:
        """Store a vector; scalars become vectors first."""
        f = self.function
        value = value if value.type.lanes else self.splat(value)
        if isinstance(value, Parts):
            n = self.lanes
            value = f.shuffle(value.real, value.imag, [k // 2 + k % 2 * n for k in range(2 * n)])
            exists = self._doubled(mask) if mask else None
        else:
            value, exists = self.to_memory(value), mask.value if mask else None
        narrow_lanes.store(f, value, address, exists)

    def store_at(self, value: Value, address: Value, place: Apart, mask: Mask | None) -> None:
        """Store lanes of 32 bits or more as many elements apart, or at places."""
        if isinstance(place, tuple):
            more = [0] * (self.lanes - len(place))
            place = self.function.constant((*place, *more), I64.vector(self.lanes))
        if isinstance(place, int):
            if place == 1:
                self.store(value, address, mask)
                return
            place = self.offsets(place)
        f = self.function
        exists = mask.value if mask else f.constant(True, I1.vector(self.lanes))
        value = self.to_memory(value if value.type.lanes else self.splat(value))
        bytes = f.constant(value.type.bytes, I64.vector(self.lanes))
        f.scatter(value, address, place * bytes, exists)

    def store_scalar(self, value: Value, address: Value) -> None:
        """Store one element."""
        for number, part in enumerate(flattened([value])):
            stored = self.to_memory(part)
            self.function.store(stored, address.at(number, stored.type))

    def _from_memory(self, value: Value, element: ElementType) -> Value:
        if element.is_boolean:
            return value.compare("ne", 0)
        return value.to("trunc", f"i{element.bits}") if element.is_integer else value

    def to_memory(self, value: Value) -> Value:
        """A real value as it is stored."""
        return value.to("zext", "i8") if value.type.bits < 8 else value

    def _address(self, node: Node, buffer: Buffer, index: Index) -> tuple[Value, bool, Apart]:
        """The address of the first lane, whether lanes differ, and where the others are."""
        element = place_type(node.element)
        terms: list[tuple[Component, Extent]]
        if isinstance(index, Linear):
            terms = [(index.place, 1)]
        elif isinstance(index, Split):
            terms = [(index.row, index.columns), (index.column, 1)]
        else:
            terms = self.terms(index, node.shape)
        if buffer.row_only:
            if not isinstance(index, Split):
                raise UnsupportedStage("a row read across rows")
            terms = [(index.column, 1)]
        address = buffer.address
        constant = sum(c * step for c, step in terms if isinstance(c, int))
        scalars = [(c, s) for c, s in terms if isinstance(c, Scalar)]
        for scalar, step in sorted(scalars, key=lambda term: level_of(term[0])):
            address = self._stepped(address, scalar, step, element)
        address = address.at(constant, element)
        lanes = [(c, s) for c, s in terms if isinstance(c, Lanes)]
        positions = [(c, s) for c, s in terms if isinstance(c, Positions)]
        if not lanes and not positions:
            return address, False, 0
        total = sum(c.step * s for c, s in lanes)
        for run, step in lanes:
            address = address.at(run.base * step, element)
        is_few = isinstance(total, int) and (total == -1 or 0 < total <= self.apart)
        if is_few and not positions:
            return address, True, total
        patterns = [(c, s) for c, s in positions if isinstance(c, Pattern) and isinstance(s, int)]
        if len(patterns) == len(positions) and isinstance(total, int):
            return self._patterned(node, address, total, patterns)
        steps = self.offsets(total)
        for c, step in positions:
            steps = steps + c.value * step
        return address, True, steps

    def _patterned(
        self,
        node: Node,
        address: Value,
        total: int,
        positions: Sequence[tuple[Pattern, int]],
    ) -> tuple[Value, bool, Apart]:
        """The same of lanes that are known from the first one on."""
        places = [total * lane for lane in range(self.lanes)]
        for c, step in positions:
            address = address.at(c.first * step, place_type(node.element))
            places = [place + step * more for place, more in zip(places, c.steps, strict=True)]
        used = places[: self.used_lanes]
        least, most = min(used), max(used)
        is_near = most - least < self.lanes and not node.element.is_complex
        if is_near and max(used.count(place) for place in used) <= _SHARING:
            near = tuple(place - least for place in used)
            return address.at(least, place_type(node.element)), True, near
        return address, True, self.function.constant(tuple(places), I64.vector(self.lanes))

    def offsets(self, step: Extent) -> Value:
        """Where lanes lie that are ``step`` elements apart."""
        return self.multiples(step)

    def _stepped(self, address: Value, c: Scalar, step: Extent, element: Type) -> Value:
        key = ("address", address.name, c, step)
        return self.once(c.level, key, lambda: address.at(c.value * step, element))
