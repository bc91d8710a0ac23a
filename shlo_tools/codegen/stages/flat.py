"""Kernels of elementwise ops on as many elements as run time tells."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.map_space import CHUNK, space
from shlo_tools.codegen.stages.nodes import Extent, Node, UnsupportedStage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Lanes, Split
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.target import Target
from shlo_tools.dims import ceiling_divided


class FlatKernel(RowKernel):
    """One row of all elements, cut into chunks."""

    def __init__(
        self, name: str, target: Target, inputs: Sequence[Node], results: Sequence[Node]
    ) -> None:
        super().__init__(name, target, inputs, results, space(1, results[0].count))

    @property
    def chunks(self) -> Extent:
        return ceiling_divided(self.columns, CHUNK)

    def write(self) -> Function:
        f = self.function
        first = f.arguments[1] * CHUNK
        self.strip = first, f.minimum(first + CHUNK, self.columns)
        self.row = 0
        self._plan()
        self._row()
        return f

    def _place(self, node: Node, target: Value, index: Split) -> Value:
        if not isinstance(index.column, Lanes):
            raise UnsupportedStage("a row without vectors")
        return target.at(index.column.base, place_type(node.element))
