"""Passes over blocks of rows, where more is made of what rows are reduced to.

A logarithm takes as long for one number as for all lanes of a vector. So a pass goes over all rows
of a block, and leaves in scratch memory what it reduced them to. What there is one of for each row
is computed of that with rows as lanes, and the next pass reads it row by row. Rows of a pass also
overlap in the processor, where a row of several passes waits for its own sums.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.folds import passed_over
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import Space
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    are_known,
    below,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Index, Lanes, Linear, Mask, Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Apart, Buffer
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.target import Target

_NEAR = 28 * 1024  # bytes of a block of rows, which the next pass finds in the nearest cache
_FEWEST = 8  # rows of a block
_LONG = 8  # ops of numbers that one sum does not hide, about


def rows_of_block(stage: Stage, space: Space, target: Target, known: Collection[Node] = ()) -> int:
    """Rows of a block, where there had better be blocks; 0 elsewhere.

    One sum that results are scaled by is there before the next row's elements are, but for long
    computations.

    Args:
        known: values that lie in memory, whatever they are made of.
    """
    if not are_known(space.columns) or space.columns == 1:
        return 0
    nodes = below(stage.results, known)
    above = above_reductions(nodes)
    computed = [n for n in above if n.kind is NodeKind.ELEMENTWISE and n.count == space.rows]
    is_long = max(above.values(), default=0) > 1 or sum(map(_length, computed)) >= _LONG
    if not computed or not is_long:
        return 0
    bytes = space.columns * _bytes_of_column(nodes, stage.results, space.rows * space.columns)
    rows = lanes_for(target, nodes)
    while rows * bytes > _NEAR:
        rows //= 2
    is_many = not are_known(space.rows) or space.rows >= rows
    return rows if rows >= _FEWEST and is_many else 0


def _length(node: Node) -> int:
    """Instructions of an op, about: narrow floats are widened and rounded."""
    return 4 if node.element.is_float and node.element.bits < 32 else 1


def _bytes_of_column(nodes: Sequence[Node], results: Sequence[Node], count: Extent) -> int:
    """What passes read and write of a row's element, where a value has so many."""
    near = {node for node in nodes if node.kind is NodeKind.INPUT or node in results}
    for node in nodes:
        if node.kind is NodeKind.REDUCE:
            source = passed_over(node, results)
            near |= {source} if len(source.users) > 1 else set()
    return max(1, sum(place_type(node.element).bytes for node in near if node.count == count))


def above_reductions(nodes: Sequence[Node]) -> dict[Node, int]:
    """What rests on reductions, and on how many of them one above the other."""
    above: dict[Node, int] = {}
    for node in nodes:
        is_reduction = node.kind is NodeKind.REDUCE and node.reduced != 1
        passes = max((above.get(operand, 0) for operand in node.operands), default=0)
        if passes or is_reduction:
            above[node] = passes + is_reduction
    return above


class RowBlockKernel(RowKernel):
    """Passes over blocks of rows.

    Attributes:
        block: rows of one.
        lane_rows: those of the current one, as lanes.
        inside: which of them are the current ones.
        end: where the current block ends.
    """

    lane_rows: Lanes
    inside: Scalar | Lanes
    end: Value

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        space: Space,
        block: int,
    ) -> None:
        super().__init__(name, target, inputs, results, space)
        self.block = block = min(block, self.lanes)
        if are_known(space.chunk):
            self.space = replace(space, chunk=-(-space.chunk // block) * block)

    @property
    def _are_whole(self) -> bool:
        """Whether chunks are made of whole blocks."""
        return bool(self.space.rows % self.block == 0)

    def each_row(self, first: Value, last: Value) -> None:
        """All passes over blocks of rows ``first`` to ``last``."""
        self._plan()
        f = self.function

        def one(start: Value) -> None:
            end = start + self.block
            self.end = end if self._are_whole else f.minimum(end, last)
            if not self._are_whole or self.block < self.lanes:
                self.mask = Mask(f.mask_below(self.end - start, self.lanes), self.level)
            self.lane_rows = Lanes(start, 1, self.level)
            self._all_rows()
            self._row()

        self.loop(first, last, self.block, one)

    def _plan(self) -> None:
        """Also where what rows are reduced to is kept, and what of it later passes read."""
        super()._plan()
        above = above_reductions(below(self.results, self.buffers))
        spread = (
            _without_views(node)
            for node in above
            if node.count == self.rows and any(user.count != self.rows for user in node.users)
        )
        self.numbers: dict[Node, Buffer] = {}
        for node in dict.fromkeys([*self.reductions, *spread]):
            address = self.take_scratch(node.element, max(self.block, self.lanes))
            if address is None:
                raise UnsupportedStage("too many numbers of rows")
            self.numbers[node] = Buffer(address)
        self.needs = {
            node: {inner for inner in below([node]) if inner in self.reductions}
            for node in self.numbers
        }

    def _reduce(self, node: Node) -> None:
        """Over all rows; then what later passes read of it, in lanes."""
        reduce = super()._reduce

        def one() -> None:
            reduce(node)
            address, _, _ = self._address(node, self.numbers[node], Linear(self.inside))
            self.store_scalar(self.values.pop((node, Linear(self.row))), address)

        self._each_of_block([node.operands[0]], one)
        self._recall(node)
        done = set(self.reductions[: self.reductions.index(node) + 1])
        for other, needed in self.needs.items():
            if node in needed and needed <= done and other is not node:
                value = self.read(other, Linear(self.row), self.mask)
                self.store(value, self.numbers[other].address, None)

    def _write(self, wide: list[Node]) -> None:
        write = super()._write
        self._each_of_block(wide, lambda: write(wide))

    def _each_of_block(self, nodes: Sequence[Node], body: Callable[[], None]) -> None:
        """Over the rows of a block, of which the nodes are read."""
        border = [*self.numbers, *self.buffers]
        needed = [n for n in below(nodes, border) if n in self.numbers and n not in nodes]

        def one(row: Value) -> None:
            self.row = Scalar(row, self.level)
            self.inside = Scalar(row - self.lane_rows.base, self.level)
            for node in needed:
                self._recall(node)
            body()

        self.loop(self.lane_rows.base, self.end, 1, one)
        self._all_rows()

    def _each_column(self, body: object, carry: Sequence[Value] = ()) -> list[Value]:
        """Whole vectors of columns, and then what is left: its mask is none of the loop's."""
        whole = self.columns // self.lanes * self.lanes
        if whole == self.columns or not whole:
            return super()._each_column(body, carry)
        strip, self.strip = self.strip, (0, whole)
        carry = super()._each_column(body, carry)
        self.strip = strip
        start = self.function.constant(whole)
        self.column = Lanes(start, 1, self.level)
        mask = self.once(0, "last columns", lambda: self._exists(start, 0))
        index = Split(self.row, self.column, self.columns)
        last = body(index, mask, *carry)  # type: ignore[operator]
        return [last] if isinstance(last, Value) else list(last or ())

    def _all_rows(self) -> None:
        """Have the block's rows as lanes."""
        self.row = self.lane_rows
        self.inside = Lanes(self.function.constant(0), 1, self.lane_rows.level)

    def _recall(self, node: Node) -> None:
        """What there is of the current row, or of all of the block in lanes, is at hand."""
        value = self.load(node, self.numbers[node], Linear(self.inside), None)
        self.values[node, Linear(self.row)] = value

    # --- rows that are kept -----------------------------------------------------------------------
    @property
    def _pitch(self) -> int:
        """How far apart rows are kept, in whole vectors."""
        return int(-(-self.columns // self.lanes) * self.lanes)

    def _kept_elements(self) -> Extent:
        return self.block * self._pitch

    def _keep(self, source: Node, value: Value, index: Split) -> None:
        address, _, _ = self._address(source, self.kept[source], index)
        self.store(value, address, None)

    def _address(self, node: Node, buffer: Buffer, index: Index) -> tuple[Value, bool, Apart]:
        """Kept rows lie behind each other."""
        if not buffer.row_only:
            return super()._address(node, buffer, index)
        is_row = isinstance(index, Split) and index.row is self.row
        if not is_row or not isinstance(self.inside, Scalar):
            raise UnsupportedStage("a row read across rows")
        element = place_type(node.element)
        start = self._stepped(buffer.address, self.inside, self._pitch, element)
        return super()._address(node, Buffer(start, row_only=True), index)


def _without_views(node: Node) -> Node:
    """What a number of each row is, whatever shape it has."""
    while node.kind in (NodeKind.RESHAPE, NodeKind.BROADCAST) and (
        node.operands[0].count == node.count
    ):
        (node,) = node.operands
    return node
