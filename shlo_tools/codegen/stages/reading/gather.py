"""Where views, dynamic slices and gathers read their operands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    UnsupportedStage,
    are_known,
    repeated_from,
)
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Lanes,
    Linear,
    Mask,
    Positions,
    Scalar,
    Split,
)
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.codegen.stages.reading.placing import suffix
from shlo_tools.dims import Size, maximum, minimum
from shlo_tools.dtypes import Kind


@dataclass(frozen=True)
class IndexVectors:
    """Where starts of slices stand in a tensor of indices, as gather and scatter share it.

    Attributes:
        windows: the dimensions of the result (or of the updates) that go through a slice; the
            others go through the indices, but for ``vector``.
        dropped: dimensions of the operand that slices have not.
        starts: the dimension of the operand that each component of an index is for.
        vector: the dimension of the indices along which components stand.
        batching: pairs of dimensions that go together, of the operand and of the indices.
    """

    windows: tuple[int, ...]
    dropped: frozenset[int]
    starts: tuple[int, ...]
    vector: int
    batching: tuple[tuple[int, int], ...]

    def index_of(self, at: tuple[Component, ...], component: int, rank: int) -> Index:
        """Where a component stands in indices of a rank, for an index of the result."""
        where = self.batch(at)
        if self.vector < rank:
            where.insert(self.vector, component)
        return tuple(where)

    def batch(self, at: tuple[Component, ...]) -> list[Component]:
        """The part of an index that goes through the indices."""
        return [c for d, c in enumerate(at) if d not in self.windows]

    def place_in_batch(self, dimension: int) -> int:
        """A dimension of the indices, counted without the one of components."""
        return dimension - (dimension > self.vector)

    def kept(self, rank: int) -> list[int]:
        """Dimensions of the operand that slices have, in order."""
        return [d for d in range(rank) if d not in self.dropped]


@dataclass(frozen=True)
class Slices:
    """How a gather reads.

    Attributes:
        sizes: of a slice, for each dimension of the operand.
    """

    vectors: IndexVectors
    sizes: tuple[Extent, ...]


class ComputedPlaces(Memory):
    """Where ops that move elements read their operands, also at indices that are read."""

    def read_with_level(self, node: Node, index: Index, mask: Mask | None) -> tuple[Value, int]:
        """The elements of a node at an index, and the loop from which on they are known."""
        raise NotImplementedError

    def moved(self, node: Node, index: Index, mask: Mask | None) -> Index:
        """Where ops that only move elements read their operand."""
        source = node.operands[0]
        kind = node.kind
        if kind is NodeKind.BROADCAST and source.count == 1:
            return (0,) * len(source.shape)
        if kind is NodeKind.SLICE and (run := self._run_of_slice(node, index)) is not None:
            return run
        if kind is NodeKind.BROADCAST:
            at = self._outer(index, node.shape, repeated_from(node))
            pairs = zip(node.dimensions, source.shape, strict=True)
            return tuple(self._spread(at[d], size, node.shape[d]) for d, size in pairs)
        at = self.by_dimension(index, node.shape)
        if kind is NodeKind.TRANSPOSE:
            back = sorted(range(len(at)), key=node.dimensions.__getitem__)
            return tuple(at[d] for d in back)
        if kind is NodeKind.SLICE:
            steps = zip(at, node.starts, node.steps, strict=True)
            return tuple(self.shifted(self.scaled(c, step), start) for c, start, step in steps)
        if kind is NodeKind.REVERSE:
            return tuple(
                self.mirrored(c, size) if d in node.dimensions else c
                for d, (c, size) in enumerate(zip(at, node.shape, strict=True))
            )
        if kind is NodeKind.DYNAMIC_SLICE:
            return self.sliced(node, at)
        if kind is NodeKind.GATHER:
            return self.gathered(node, at, mask)
        raise UnsupportedStage(f"{kind.value} read elsewhere than where it is made")

    def _outer(self, index: Index, shape: tuple[Extent, ...], inner: int) -> tuple[Component, ...]:
        """An index per dimension, where nobody asks for those from ``inner`` on."""
        if isinstance(index, Split):
            border = suffix(shape, index.columns)
            if border is not None and border >= inner:
                return (*self.delinear(index.row, shape[:border]), *(0 for _ in shape[border:]))
        return self.by_dimension(index, shape)

    def _run_of_slice(self, node: Node, index: Index) -> Index | None:
        """Where a slice reads along a run of its operand; None where lanes may leave runs.

        What lies in whole dimensions is one run, as long as the sliced one in front of them goes.
        """
        (source,) = node.operands
        if isinstance(index, tuple) or not are_known(*source.shape, *node.shape):
            return None
        shapes = list(zip(node.shape, source.shape, strict=True))
        cut = [d for d, (size, whole) in enumerate(shapes) if size != whole]
        if not cut or any(step != 1 for step in node.steps):
            return None
        row: Component = 0
        if isinstance(index, Linear):
            column, columns = index.place, node.count
        else:
            row, column, columns = index.row, index.column, index.columns
        border = suffix(node.shape, columns)
        if border is None or not isinstance(column, Lanes):
            return None
        if border > cut[-1] or any(size != 1 for size in node.shape[border : cut[-1]]):
            return None
        start = self.linear(node.starts[border:], source.shape[border:])
        if border:
            pairs = zip(self.delinear(row, node.shape[:border]), node.starts, strict=False)
            row = self.linear([self.shifted(*pair) for pair in pairs], source.shape[:border])
        return Split(row, self.added(column, start), math.prod(source.shape[border:]))

    def _spread(self, c: Component, size: Extent, result: Extent) -> Component:
        """Where a dimension that is 1 or that of the result is read."""
        if size == 1:
            return 0
        return c if size == result else self.scaled(c, minimum(maximum(size - 1, 0), 1))

    def sliced(self, node: Node, at: tuple[Component, ...]) -> Index:
        """Where a dynamic slice reads its operand."""
        source, *starts = node.operands
        where = []
        for c, start, size, full in zip(at, starts, node.shape, source.shape, strict=True):
            where.append(self.added(c, self.clamped(start, (), None, full - size)))
        return tuple(where)

    def gathered(self, node: Node, at: tuple[Component, ...], mask: Mask | None) -> Index:
        """Where a gather reads its operand."""
        source, indices = node.operands
        slices: Slices = node.attributes
        vectors = slices.vectors
        where: list[Component] = [0] * len(source.shape)
        for component, d in enumerate(vectors.starts):
            index = vectors.index_of(at, component, len(indices.shape))
            most = source.shape[d] - slices.sizes[d]
            where[d] = self.clamped(indices, index, mask, most)
        batch = vectors.batch(at)
        for d, other in vectors.batching:
            where[d] = batch[vectors.place_in_batch(other)]
        for d, window in zip(vectors.kept(len(source.shape)), vectors.windows, strict=True):
            where[d] = self.added(where[d], at[window])
        return tuple(where)

    def clamped(self, node: Node, index: Index, mask: Mask | None, most: Extent) -> Component:
        """An integer of a node as an index within [0, most]; so are lanes that are masked out."""
        if most == 0:
            return 0
        value, level = self.read_with_level(node, index, mask)

        def make() -> Component:
            f, number = self.function, value
            if isinstance(most, Size):
                top: Extent = maximum(most, 0)
                is_signed = node.element.kind is Kind.SIGNED
                number = number.to("sext" if is_signed else "zext", "i64")
                if is_signed or node.element.bits < 64:
                    number = f.maximum(f.minimum(number, top), 0)
                else:
                    number = f.intrinsic("umin", number, f.constant(top, number.type))
                return Positions(number, level) if number.type.lanes else Scalar(number, level)
            if node.element.kind is Kind.SIGNED:
                number = f.maximum(number, 0)
                if most < 1 << (node.element.bits - 1):
                    number = f.minimum(number, most)
            elif most < 1 << node.element.bits:
                number = f.intrinsic("umin", number, f.constant(most, number.type))
            number = number.to("zext", "i64")
            return Positions(number, level) if number.type.lanes else Scalar(number, level)

        return self.once(level, ("clamped", value.name, most), make)
