"""Rows that are walked line by line, where what is reduced was a matrix before it was a row.

A sum of all elements of a padded image, say: along lines of the image, vectors read runs. Along the
whole row each lane would be told which line it is in, and be fetched by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.folds import passed_over
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import Space, moved_columns, moving
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Stage, are_known, repeated_from
from shlo_tools.codegen.stages.reading.indices import Lanes, Scalar
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.target import Target


def width_of_lines(stage: Stage, space: Space, target: Target) -> int:
    """Columns of the lines that rows of a stage with reductions are made of; 0 where of none."""
    if not are_known(space.rows, space.columns):
        return 0
    if not any(node.kind is NodeKind.REDUCE and node.reduced != 1 for node in stage.nodes):
        return 0
    width = moved_columns(stage.results, space.rows * space.columns) or 0
    is_inside = width < space.columns and width and space.columns % width == 0
    return width if is_inside and 2 * width >= lanes_for(target, stage.nodes) else 0


class LinedRowKernel(RowKernel):
    """Passes over rows, each of which is a loop over lines.

    Attributes:
        number: of the current line in its row.
    """

    number: Scalar
    _has_lines = True  # what the current pass reads

    def _reduce(self, node: Node) -> None:
        self._has_lines = self._is_moved([passed_over(node, self.results)])
        super()._reduce(node)

    def _write(self, wide: list[Node]) -> None:
        self._has_lines = self._is_moved(wide)
        super()._write(wide)

    def _is_moved(self, results: Sequence[Node]) -> bool:
        """Whether something is read at other places of a row than those of the results."""
        known = {*self.buffers, *self.reductions}
        return not all(map(self._is_of_rows, moving(results, self.rows * self.columns, known)))

    def _is_of_rows(self, node: Node) -> bool:
        """Whether a node repeats one number for all of a row."""
        if node.kind is not NodeKind.BROADCAST:
            return False
        return bool(math.prod(node.shape[repeated_from(node) :]) % self.columns == 0)

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        each = super()._each_column
        self.strip = 0, self.columns
        if not self._has_lines:
            return each(body, carry)

        def line(number: Value, *carried: Value) -> list[Value]:
            self.number = Scalar(number, self.level)
            start = number * self._width
            self.strip = start, start + self._width
            return each(body, carried)

        return self.loop(0, self.columns // self._width, 1, line, carry)

    def _lanes_from(self, start: Value, level: int) -> Lanes:
        lanes, (first, _) = Lanes(start, 1, level), self.strip
        if self._has_lines:
            self.note_division(lanes, self._width, self.number, Lanes(start - first, 1, level))
        return lanes
