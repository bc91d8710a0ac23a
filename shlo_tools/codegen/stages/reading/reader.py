"""Reading nodes at indices: the elements of a node as a scalar or as a vector of lanes.

Operands are asked where an op reads them, so nothing is computed that is not needed there, and what
is the same for a row is computed once for it.
"""

from __future__ import annotations

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.folds import fold_of, sources_of, starts_of
from shlo_tools.codegen.stages.nodes import (
    VIEWS,
    Extent,
    Node,
    NodeKind,
    UnsupportedStage,
)
from shlo_tools.codegen.stages.reading.elements import (
    constant,
)
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Linear,
    Mask,
    Scalar,
    Split,
    has_lanes,
    level_of_index,
)
from shlo_tools.codegen.stages.reading.loops import NEAR
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reading.parts import PartsReader
from shlo_tools.dims import at_most

_DEEP = 60  # ops above each other that Python's stack takes with ease


class Reader(PartsReader):
    """Reads nodes of one kernel.

    Attributes:
        buffers: what lies in memory; all else is computed.
        rows, columns: the kernel's space. Values of ``rows * columns`` elements are read at
            ``Split`` indices and those of ``rows`` elements at ``Linear`` ones wherever that is
            the same, so that the same element has one index only.
        row, column: where the loops are.
        late: nodes that may not be read in front of a loop of a level though their index would
            allow it: what a loop computes is known behind it only.
    """

    buffers: dict[Node, Buffer]
    rows: Extent
    columns: Extent
    row: Component = 0
    column: Component = 0
    late: dict[Node, int]
    values: dict[tuple[Node, Index], Value]
    _early: dict[Node, bool]
    _early_of: int = -1  # how many buffers there were

    def read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """The elements of a node at an index; lanes that are masked out may hold anything."""
        if node.depth > _DEEP:
            self._read_below(node, index, mask)
        return self._read_at(*self._where(node, index, mask))

    def _where(
        self, node: Node, index: Index, mask: Mask | None
    ) -> tuple[Node, Index, Mask | None]:
        normal = self.normal(index, node.shape)
        if level_of_index(index) < level_of_index(normal) and self._is_early(node):
            normal = index  # a single element, which may be read in front of the loop over rows
        elif mask is None and has_lanes(normal) and not has_lanes(index):
            normal = index  # a single element, which lanes without a mask would read beyond
        return node, normal, mask if has_lanes(normal) else None

    def _is_early(self, node: Node) -> bool:
        """Whether a node rests on nothing that the kernel's loops leave in memory or in values."""
        if self._early_of != len(self.buffers):
            self._early, self._early_of = {}, len(self.buffers)
        known, stack = self._early, [node]
        while stack:
            top = stack[-1]
            below = [operand for operand in top.operands if operand not in known]
            if top.kind is NodeKind.INPUT or top in self.late or top in self.buffers:
                known[top] = top.kind is NodeKind.INPUT
            elif top not in known and below:
                stack += below
                continue
            else:
                known[top] = all(known[operand] for operand in top.operands)
            stack.pop()
        return known[node]

    def read_with_level(self, node: Node, index: Index, mask: Mask | None) -> tuple[Value, int]:
        """The elements of a node at an index, and the loop from which on they are known."""
        where = self._where(node, index, mask)
        return self.read(*where), self._level(*where)

    def _read_at(self, node: Node, index: Index, mask: Mask | None) -> Value:
        done = self.values.get((node, index))
        if done is not None:
            return done
        level = self._level(node, index, mask)
        return self.once(level, ("read", node, index, mask), lambda: self._read(node, index, mask))

    def _level(self, node: Node, index: Index, mask: Mask | None) -> int:
        level = max(level_of_index(index), self.late.get(node, 0))
        return level if mask is None else max(level, mask.level)

    def _read_below(self, node: Node, index: Index, mask: Mask | None) -> None:
        """Read what a node rests on, from the ground up: chains of ops are longer than stacks."""
        stack = [(self._where(node, index, mask), False)]
        while stack:
            where, is_ready = stack.pop()
            if where[:2] in self.values or self.has(self._level(*where), ("read", *where)):
                continue
            if is_ready:
                self._read_at(*where)
                continue
            stack.append((where, True))
            stack += [
                (below, False)
                for below in (self._where(*operand) for operand in self._operands(*where))
                if below[0].depth > _DEEP // 2
            ]

    def _operands(
        self, node: Node, index: Index, mask: Mask | None
    ) -> list[tuple[Node, Index, Mask | None]]:
        """Where an op reads its operands, as far as that is known without emitting anything."""
        if node in self.buffers:
            return []
        if node.kind is NodeKind.ELEMENTWISE:
            same = [index if o.shape or not node.shape else () for o in node.operands]
            return [(o, at, mask) for o, at in zip(node.operands, same, strict=True)]
        if node.kind is NodeKind.RESHAPE:
            (source,) = node.operands
            return [(source, self.reshaped(index, node.shape, source.shape), mask)]
        if node.kind in VIEWS:
            return [(node.operands[0], self.moved(node, index, mask), mask)]
        return []

    def normal(self, index: Index, shape: tuple[Extent, ...]) -> Index:
        """The one index that stands for all that mean the same elements of the kernel's space."""
        if isinstance(index, tuple):
            count: Extent = 1
            for size in shape:
                count *= size
            whole, per_row = Split(self.row, self.column, self.columns), Linear(self.row)
            index = tuple(0 if k == 1 else c for c, k in zip(index, shape, strict=True))
            # One number may be read by who has no mask: it never becomes a vector.
            has_both = has_lanes(index) or not has_lanes(whole)
            is_whole = has_both and count == self.rows * self.columns and self.is_inside(whole)
            if is_whole and index == self.by_dimension(whole, shape):
                return whole
            is_row = count == self.rows and self.is_inside(per_row)
            if is_row and index == self.by_dimension(per_row, shape):
                return per_row
        return index

    def _read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        if node in self.buffers:
            return self.load(node, self.buffers[node], index, mask)
        kind = node.kind
        if kind is NodeKind.CONSTANT:
            return constant(self.function, node.value, node.element)
        if kind is NodeKind.ELEMENTWISE:
            return self._elementwise(node, index, mask)
        if kind is NodeKind.RESHAPE:
            (source,) = node.operands
            buffer = self.buffers.get(source)
            if buffer is not None and not buffer.row_only:  # the same elements, in the same order
                return self.load(node, buffer, index, mask)
            return self.read(source, self.reshaped(index, node.shape, source.shape), mask)
        if kind is NodeKind.IOTA:
            return self._iota(node, index)
        if kind is NodeKind.PAD:
            return self.padded(node, index, mask)
        if kind is NodeKind.CONCATENATE:
            return self.concatenated(node, index, mask)
        if kind is NodeKind.BITCAST:
            return self._bitcast(node, index, mask)
        if kind is NodeKind.REDUCE:
            return self._reduce_of_one(node, index, mask)[0]
        if kind is NodeKind.RESULT and node.operands[0].kind is NodeKind.REDUCE:
            return self._reduce_of_one(node.operands[0], index, mask)[node.number]
        source = node.operands[0]
        return self.read(source, self.moved(node, index, mask), mask)

    def _elementwise(self, node: Node, index: Index, mask: Mask | None) -> Value:
        operands = []
        for operand in node.operands:
            where: Index = index if operand.shape or not node.shape else ()
            operands.append(self.read(operand, where, mask))
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        return node.rule(self, self.alike(operands))

    def _iota(self, node: Node, index: Index) -> Value:
        (dimension,) = node.dimensions
        place = self.by_dimension(index, node.shape)[dimension]
        if isinstance(place, Scalar):
            number = place.value
        elif isinstance(place, int):
            number = self.function.constant(place)
        else:
            size = node.shape[dimension]
            is_near = at_most(size, NEAR - 1) is True and node.element.bits <= 32
            number = self.near_positions(place) if is_near else self.positions(place)
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        return node.rule(self, [number])

    def _bitcast(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """Parts of wider elements, or elements made of parts: the last dimension counts parts."""
        (source,) = node.operands
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        at = self.by_dimension(index, node.shape)
        if len(source.shape) > len(node.shape):
            places = range(source.shape[-1])
            return node.rule(self, [self.read(source, (*at, k), mask) for k in places])
        *where, part = at
        if isinstance(part, int):
            number = self.function.constant(part)
        else:
            number = part.value if isinstance(part, Scalar) else self.positions(part)
        whole = self.read(source, tuple(where), mask)
        return node.rule(self, self.alike([whole, number]))

    def _reduce_of_one(self, node: Node, index: Index, mask: Mask | None) -> list[Value]:
        """A reduction of dimensions of one element each."""
        if node.reduced != 1:
            raise UnsupportedStage("a reduction read elsewhere than where it is made")
        at = iter(self.by_dimension(index, node.shape))
        shape = node.operands[0].shape
        where = tuple(0 if d in node.dimensions else next(at) for d in range(len(shape)))
        starts = [self.read(start, (), None) for start in starts_of(node)]
        values = [self.read(source, where, mask) for source in sources_of(node)]
        operands = self.alike([*starts, *values])
        return fold_of(node).apply(self, operands[: len(starts)], operands[len(starts) :])
