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
from dataclasses import dataclass, replace
from operator import attrgetter

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.moved_runs import copy_bytes
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    without_reshapes,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reading.runs import RUNS
from shlo_tools.codegen.stages.short_rows import Kept, ShortRowKernel
from shlo_tools.codegen.target import Target

_WIDEST = 64  # columns, whose vectors stay near
_FEW = 8  # parts, whose places are in registers
_NARROW = 8  # columns of a part: vectors along wider ones have few idle lanes


def are_narrow(stage: Stage, space: Space, target: Target) -> bool:
    """Whether rows of all parts of a concatenation had better be written together."""
    (result,) = stage.results
    if not stage.is_static or result.element.is_complex:
        return False
    if space.rows < lanes_for(target, stage.nodes) or not 1 < space.columns <= _WIDEST:
        return False
    parts = _parts(result)
    turned = [part.width for part in parts if not part.is_copied]
    least = min(part.width for part in parts)
    return least <= _NARROW and sum(turned) <= _NARROW * len(turned)


@dataclass(frozen=True)
class _Part:
    """Columns of the result.

    Attributes:
        node: what has them.
        width: how many, one or more.
        is_copied: whether rows are copied from memory.
    """

    node: Node
    width: int
    is_copied: bool


def _parts(result: Node) -> list[_Part]:
    """The parts; single columns, which are vectors already, are copied beside a few others."""
    (dimension,) = result.dimensions
    widths = [(part, math.prod(part.shape[dimension:])) for part in result.operands]
    parts = [
        _Part(node, int(width), without_reshapes(node).kind is NodeKind.INPUT)
        for node, width in widths
        if width
    ]
    is_wide = any(part.is_copied and part.width > 1 for part in parts)
    least = 1 if is_wide and len(parts) <= _FEW else 2
    return [replace(part, is_copied=part.is_copied and part.width >= least) for part in parts]


class JoinedRowKernel(ShortRowKernel):
    """Vectors of rows of all parts."""

    def _columnwise(self) -> dict[Node, Kept]:
        """Columns are turned group by group, but for those of the narrowest results."""
        (result,) = self.results
        address = self.take_scratch(result.element, self.columns * self.lanes)
        if address is None:
            raise UnsupportedStage("too many columns")
        self.room = Buffer(address, row_only=True)
        is_copied = any(part.is_copied for part in _parts(result))
        is_shuffled = self.columns <= RUNS and not is_copied
        return {result: self.room} if is_shuffled else {}

    def _write(self, wide: list[Node]) -> None:
        (result,) = wide
        element = place_type(result.element)
        first = self.targets[0].at(self.row_start * self.columns, element)
        start = 0
        for is_copied, group in itertools.groupby(_parts(result), attrgetter("is_copied")):
            joined = list(group)
            width = sum(part.width for part in joined)
            there = first.at(start, element)
            if is_copied:
                self._copy(joined, element.bytes, there)
            else:
                self._compute(joined, start * self.lanes)
                if result not in self.columnwise:
                    source = self.room.address.at(start * self.lanes, element)
                    self.turn_columns(element, source, there, width)
            start += width

    def _compute(self, parts: Sequence[_Part], start: int) -> None:
        """Columns of parts, to where vectors of columns are kept from ``start`` on."""

        def column(number: Scalar | int) -> None:
            index = Split(self.row, number, width)
            value = self.read(node, index, self.mask)
            address, _, _ = self._address(node, buffer, index)
            self.store(value, address, None)

        for part in parts:
            node, width = part.node, part.width
            place = self.room.address.at(start, place_type(node.element))
            buffer = Buffer(place, row_only=True)
            start += width * self.lanes
            if width == 1:
                column(0)
            else:
                self.loop(0, width, 1, lambda number: column(Scalar(number, self.level)))

    def _copy(self, parts: Sequence[_Part], size: int, there: Value) -> None:
        """Rows of parts that lie in memory, whose elements have ``size`` bytes."""
        widths = [part.width * size for part in parts]
        origins = [self.buffers[without_reshapes(part.node)].address for part in parts]
        starts = zip(origins, widths, strict=True)
        sources = [origin.at(self.row_start * bytes) for origin, bytes in starts]

        def row(_: Value, to: Value, *places: Value) -> list[Value]:
            column = to
            for here, bytes in zip(places, widths, strict=True):
                copy_bytes(here, column, bytes)
                column = column.at(bytes)
            steps = zip(places, widths, strict=True)
            return [to.at(self.columns * size), *(here.at(bytes) for here, bytes in steps)]

        self.loop(0, self.count, 1, row, [there, *sources])
