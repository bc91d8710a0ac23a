"""Kernels of reductions of leading dimensions: a chunk is some vectors of columns, all rows."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.elements import place_type
from shlo_tools.codegen.stages.indices import Lanes, Linear, Mask, Scalar, Split
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.memory import Buffer
from shlo_tools.codegen.stages.nodes import Node, NodeKind, UnsupportedStage
from shlo_tools.codegen.target import Target

_RUN, _CHUNKS = 4, 4  # at most so many vectors of a row in a chunk; at least so many chunks


class ColumnKernel(Kernel):
    """Reductions of leading dimensions, and what is made of the sums."""

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        rows: int,
        columns: int,
    ) -> None:
        super().__init__(name, target, inputs, results)
        self.rows, self.columns = rows, columns
        # Several vectors a row, so that memory is read in runs.
        self.vectors = max(1, min(_RUN, columns // self.lanes // _CHUNKS))
        self.width = self.vectors * self.lanes
        self.chunks = -(-columns // self.width)

    def write(self) -> Function:
        """The kernel over chunks of columns."""
        f = self.function
        start = f.arguments[1] * self.width
        columns = [Lanes(start + self.lanes * k, 1, 0) for k in range(self.vectors)]
        masks = [self._mask_of(column) for column in columns]
        reductions = [
            node for node in self.nodes if node.kind is NodeKind.REDUCE and node.reduced != 1
        ]
        for node in reductions:
            if node.operands[0].count != self.rows * self.columns or node.count != self.columns:
                raise UnsupportedStage("a reduction of another shape")
        late = self._above(reductions)
        for node in self.results:
            if node not in late and node.count != self.rows * self.columns:
                raise UnsupportedStage("a result of another shape")

        def one(row: Value, *totals: Value) -> list[Value]:
            self.row = Scalar(row, self.level)
            added: list[Value] = []
            for k, (column, mask) in enumerate(zip(columns, masks, strict=True)):
                self.column = column
                index = Split(self.row, column, self.columns)
                self._store_rows(late, index, mask)
                for number, node in enumerate(reductions):
                    total = totals[k * len(reductions) + number]
                    value = self.read(node.operands[0], index, mask)
                    added.append(self.combine(node, total, value))
            return added

        neutral = [self.neutral(node) for node in reductions]
        totals = self.loop(0, self.rows, 1, one, neutral * self.vectors)
        self.rows, self.row = 1, 0  # behind the loop there is one row: the result
        for k, (column, mask) in enumerate(zip(columns, masks, strict=True)):
            sums = totals[k * len(reductions) : (k + 1) * len(reductions)]
            self._store_sums(dict(zip(reductions, sums, strict=True)), late, column, mask)
        return f

    def _mask_of(self, column: Lanes) -> Mask | None:
        """Lanes that are columns, where a chunk may reach beyond them."""
        if self.columns % self.width == 0:
            return None
        left = self.function.constant(self.columns) - column.base
        return Mask(self.function.mask_below(left, self.lanes), 0)

    def _store_rows(self, late: set[Node], index: Split, mask: Mask | None) -> None:
        """Results that are no sums, row by row."""
        for node, target in zip(self.results, self.targets, strict=True):
            if node not in late:
                address, _, _ = self._address(node, Buffer(target), index)
                self.store(self.read(node, index, mask), address, mask)

    def _store_sums(
        self, sums: dict[Node, Value], late: set[Node], column: Lanes, mask: Mask | None
    ) -> None:
        """What rests on sums, for one vector of columns."""
        self.forget(0)
        self.values.clear()
        self.column = column
        at = Linear(column)
        for node, total in sums.items():
            start = self.alike([self.read(node.operands[1], (), None), total])[0]
            index = self.normal(self.by_dimension(at, node.shape), node.shape)
            self.values[node, index] = self.with_start(node, total, start)
        for node, target in zip(self.results, self.targets, strict=True):
            if node in late:
                index = self.normal(self.by_dimension(at, node.shape), node.shape)
                place = target.at(column.base, place_type(node.element))
                self.store(self.read(node, index, mask), place, mask)

    def _above(self, reductions: Sequence[Node]) -> set[Node]:
        """What rests on reductions."""
        above: set[Node] = set()
        stack = list(reductions)
        while stack:
            node = stack.pop()
            if node not in above:
                above.add(node)
                stack += node.users
        return above
