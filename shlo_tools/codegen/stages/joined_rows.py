"""Concatenations of narrow parts along the last dimension: stacked columns, features, patches.

Written part by part, each row of a part would be a vector of few lanes. Here some rows of all parts
are written together. What lies in memory is copied row by row, by integers of as many bytes as
fit. Of what is computed lanes are rows: its columns are kept one behind the other, and turned into
rows in registers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from shlo_tools.codegen.function import I64, Type, Value
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Scalar, Split
from shlo_tools.codegen.stages.reading.memory import RUNS, Buffer
from shlo_tools.codegen.stages.short_rows import ShortRowKernel
from shlo_tools.codegen.target import Target

_WIDEST = 64  # columns, whose vectors stay near
_LARGEST = 64  # bytes of what is copied at once
_NARROW = 8  # columns of a part: vectors along wider ones have few idle lanes


def are_narrow(stage: Stage, space: Space, target: Target) -> bool:
    """Whether rows of all parts of a concatenation had better be written together."""
    (result,) = stage.results
    if not stage.is_static or result.element.is_complex:
        return False
    if space.rows < lanes_for(target, stage.nodes) or not 1 < space.columns <= _WIDEST:
        return False
    parts = _parts(result)
    turned = [width for part, width in parts if not _is_copied(part, width)]
    least = min(width for _, width in parts)
    return least <= _NARROW and sum(turned) <= _NARROW * len(turned)


def _parts(result: Node) -> list[tuple[Node, int]]:
    """Parts with any columns, and how many."""
    (dimension,) = result.dimensions
    parts = [(part, math.prod(part.shape[dimension:])) for part in result.operands]
    return [(part, int(width)) for part, width in parts if width]


def _is_copied(part: Node, width: int) -> bool:
    """Whether a part lies in memory; of a single column all rows are a vector already."""
    return _origin(part).kind is NodeKind.INPUT and width > 1


def _origin(node: Node) -> Node:
    while node.kind is NodeKind.RESHAPE:
        (node,) = node.operands
    return node


class JoinedRowKernel(ShortRowKernel):
    """Vectors of rows of all parts."""

    def _columnwise(self) -> dict[Node, Buffer]:
        """Columns are turned group by group, but for those of the narrowest results."""
        (result,) = self.results
        address = self.take_scratch(result.element, self.columns * self.lanes)
        if address is None:
            raise UnsupportedStage("too many columns")
        self.room = Buffer(address, row_only=True)
        is_shuffled = self.columns <= RUNS and not any(
            itertools.starmap(_is_copied, _parts(result))
        )
        return {result: self.room} if is_shuffled else {}

    def _write(self, wide: list[Node]) -> None:
        (result,) = wide
        element = place_type(result.element)
        groups = itertools.groupby(_parts(result), lambda part: _is_copied(*part))
        first = self.targets[0].at(self.row_start * self.columns, element)
        start = 0
        for is_copied, group in groups:
            joined = list(group)
            width = sum(width for _, width in joined)
            there = first.at(start, element)
            if is_copied:
                self._copy(joined, element.bytes, there)
            else:
                self._compute(joined, start * self.lanes)
                if result not in self.columnwise:
                    source = self.room.address.at(start * self.lanes, element)
                    self.turn_columns(element, source, there, width)
            start += width

    def _compute(self, parts: Sequence[tuple[Node, int]], start: int) -> None:
        """Columns of parts, to where vectors of columns are kept from ``start`` on."""

        def column(number: Scalar | int) -> None:
            index = Split(self.row, number, width)
            value = self.read(part, index, self.mask)
            address, _, _ = self._address(part, buffer, index)
            self.store(value, address, None)

        for part, width in parts:
            place = self.room.address.at(start, place_type(part.element))
            buffer = Buffer(place, row_only=True)
            start += width * self.lanes
            if width == 1:
                column(0)
            else:
                self.loop(0, width, 1, lambda number: column(Scalar(number, self.level)))

    def _copy(self, parts: Sequence[tuple[Node, int]], size: int, there: Value) -> None:
        """Rows of parts that lie in memory, whose elements have ``size`` bytes."""
        sources, widths = [], [width * size for _, width in parts]
        for (part, _), bytes in zip(parts, widths, strict=True):
            sources.append(self.buffers[_origin(part)].address.at(self.row_start * bytes))

        def row(_: Value, to: Value, *places: Value) -> list[Value]:
            column = to
            for here, bytes in zip(places, widths, strict=True):
                self._copy_bytes(here, column, bytes)
                column = column.at(bytes)
            steps = zip(places, widths, strict=True)
            return [to.at(self.columns * size), *(here.at(bytes) for here, bytes in steps)]

        self.loop(0, self.count, 1, row, [there, *sources])

    def _copy_bytes(self, here: Value, there: Value, count: int) -> None:
        """Integers of a power of two of bytes; the last one ends where the bytes do."""
        f, bytes = self.function, min(1 << (count.bit_length() - 1), _LARGEST)
        type = Type(f"i{8 * bytes}") if bytes <= I64.bytes else I64.vector(bytes // I64.bytes)
        places = [*range(0, count - bytes, bytes), count - bytes]
        values = [f.load(here.at(place), type, 1) for place in places]
        for place, value in zip(places, values, strict=True):
            f.store(value, there.at(place), 1)
