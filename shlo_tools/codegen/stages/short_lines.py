"""Short rows of several dimensions, of which some values have a part: ``x[:, None] - y[None]``.

Vectors of rows stay in one line, the last of those dimensions. So what is read of a line is a run,
or one number for all lanes, and nobody divides places by sizes for each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import CHUNK, Space
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    are_known,
    differing_dimensions,
    is_one,
)
from shlo_tools.codegen.stages.reading.indices import Lanes, Scalar
from shlo_tools.codegen.stages.short_rows import ShortRowKernel
from shlo_tools.codegen.target import Target

_COLUMNS = 16  # that are written one by one, at most
_COMPUTED, _SOME = 64, 12  # ops of those of a row, at most, and where all rows are soon done
_WORK = 1 << 19  # ops of all rows that are worth what compiling a longer kernel takes
_LINES, _SHARES = 64, 16  # lines of a chunk at most, and chunks of all lines at least
_MOVING = {NodeKind.SLICE, NodeKind.TRANSPOSE, NodeKind.REVERSE, NodeKind.PAD}
_MOVING |= {NodeKind.CONCATENATE, NodeKind.IOTA, NodeKind.BROADCAST}


def line_of(stage: Stage, space: Space, target: Target) -> int:
    """Rows of a line, where vectors had better stay in one; 0 elsewhere."""
    if not stage.is_static or not are_known(space.rows, space.columns) or space.columns == 1:
        return 0
    least = lanes_for(target, stage.nodes)
    lines = {_line_of(node, space) for node in stage.nodes if node.kind in _MOVING}
    return max((line for line in lines if least <= line < space.rows), default=0)


def _line_of(node: Node, space: Space) -> int:
    """The last dimension of rows, where a value is made of one that knows several apart."""
    if node.count not in (space.rows, space.rows * space.columns):
        return 0
    long = [d for d, size in enumerate(node.shape) if not is_one(size)]
    columns, own_columns = node.count // space.rows, 1
    while long and own_columns < columns:
        own_columns *= node.shape[long.pop()]
    if own_columns != columns or len(long) < 2:
        return 0
    if node.kind is NodeKind.IOTA and node.dimensions[0] not in long:
        return 0
    if node.kind is NodeKind.BROADCAST:
        own = set(differing_dimensions(node))
        if not own & set(long) or own >= set(long):
            return 0
    return int(node.shape[long[-1]])


def are_few(nodes: Sequence[Node], space: Space) -> bool:
    """Whether columns are so few, and so little is computed of each, that they are no loop."""
    whole = space.rows * space.columns
    computed = sum(n.kind is NodeKind.ELEMENTWISE and n.count == whole for n in nodes)
    most = _COMPUTED if whole * computed >= _WORK else _SOME
    return bool(space.columns <= _COLUMNS and space.columns * computed <= most)


def crosses_lines(nodes: Sequence[Node], space: Space) -> bool:
    """Whether vectors had better go from line to line, where results are rows' alone.

    Nothing is read that has all rows, so what the same places of all lines have in common stays in
    registers.
    """
    inputs = [node for node in nodes if node.kind is NodeKind.INPUT]
    return are_few(nodes, space) and all(node.count < space.rows for node in inputs)


class ShortLineKernel(ShortRowKernel):
    """Passes over vectors of rows of one line.

    Attributes:
        line: rows of a line.
        piece: rows of a line in a chunk.
        crosses: whether vectors go from line to line first.
    """

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        space: Space,
        line: int,
    ) -> None:
        super().__init__(name, target, inputs, results, space)
        self.line = line
        self.piece = self._piece(max(self.lanes, CHUNK // self.columns))
        self.crosses = self.piece == line and not self._wide() and crosses_lines(self.nodes, space)
        lines = max(1, space.chunk // line)
        if self.crosses:
            lines = max(lines, min(_LINES, space.rows // line // _SHARES))
        self.space = replace(space, chunk=lines * line if self.piece == line else self.piece)

    def _piece(self, most: int) -> int:
        """A line, or the longest of equal parts of a long one."""
        if self.line <= most:
            return self.line
        parts = (part for part in range(most, self.lanes - 1, -1) if self.line % part == 0)
        return next(parts, self.line)

    @cached_property
    def _unrolls(self) -> bool:
        return super()._unrolls or are_few(self.nodes, self.space)

    def _last_piece(self) -> int:
        return self.piece

    def each_vector(self, first: Value, last: Value) -> None:
        """All passes over vectors of rows; the last one of a line overlaps the one before.

        Where results may lie where inputs do, these are not read again.
        """
        overlaps = not self.in_place()
        is_whole = overlaps or self.piece % self.lanes == 0

        def lines(body: Callable[[Value, Scalar], None]) -> None:
            def one(start: Value) -> None:
                body(start, Scalar(start // self.line, self.level))

            self.loop(first, last, self.piece, one)

        def places(body: Callable[[Value], None]) -> None:
            def some(place: Value) -> None:
                if overlaps and self.piece % self.lanes:
                    place = self.function.minimum(place, self.piece - self.lanes)
                body(place)

            self.loop(0, self.piece, self.lanes, some)

        def vector(start: Value, outer: Scalar, place: Value, inside: Lanes) -> None:
            row = Lanes(start + place, 1, self.level)
            self.note_division(row, self.line, outer, inside)
            self.one_vector(row, start + self.piece, is_whole=is_whole)

        def across(place: Value) -> None:
            inside = Lanes(place, 1, self.level)
            lines(lambda start, outer: vector(start, outer, place, inside))

        def along(start: Value, outer: Scalar) -> None:
            first = start - outer.value * self.line
            places(lambda p: vector(start, outer, p, Lanes(first + p, 1, self.level)))

        if self.crosses:
            places(across)
        else:
            lines(along)
