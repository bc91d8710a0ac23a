"""Reading what is made of parts: padded tensors and concatenations.

Which part an element comes from is a condition; parts are read with it as their mask, so that what
does not exist is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import I1, Value
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, are_known
from shlo_tools.codegen.stages.reading.gather import ComputedPlaces
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Mask,
    Pattern,
    Positions,
    Scalar,
    level_of_index,
)
from shlo_tools.codegen.stages.reading.loops import NEAR


@dataclass(eq=False)
class Within:
    """Where a part is read.

    Attributes:
        index: of its elements; where the condition is false, of any of them or of none.
        condition: of a scalar or of lanes; None where it always holds.
        never: whether it never holds.
    """

    index: tuple[Component, ...]
    condition: Value | None = None
    never: bool = False


class PartsReader(ComputedPlaces):
    """Reads pads and concatenations."""

    def read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """The elements of a node at an index; lanes that are masked out may hold anything."""
        raise NotImplementedError

    def padded(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """Elements of a pad."""
        source, padding = node.operands
        at = self.by_dimension(index, node.shape)
        where = [self.shifted(c, -low) for c, low in zip(at, node.starts, strict=True)]
        rows = zip(node.starts, node.steps, node.shape, source.shape, strict=True)
        whole = [d for d, (low, step, *sizes) in enumerate(rows) if _is_unpadded(low, step, *sizes)]
        within = self._within(where, source.shape, node.steps, [*node.shape, *node.starts], whole)
        outside = self.read(padding, (), None)
        if within.never:
            return outside
        return self._chosen(source, within, mask, outside)

    def concatenated(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """Elements of a concatenation; the last part that is large enough holds each."""
        (dimension,) = node.dimensions
        others = [d for d in range(len(node.shape)) if d != dimension]
        at = list(self.by_dimension(index, node.shape))
        place, value = at[dimension], None
        if isinstance(place, Scalar) and _are_slices_of_one(node):
            at[dimension] = self.row_of_slices(node, place)
            first = node.operands[0]
            return self.read(first.operands[0], self.moved(first, tuple(at), mask), mask)
        for part in node.operands:
            if part.count != 0:
                at[dimension] = place
                within = self._within(at, part.shape, [1] * len(at), node.shape, others)
            if part.count != 0 and not within.never:
                value = self._chosen(part, within, mask, value)
            place = self.shifted(place, -part.shape[dimension])
        if value is None:
            raise RuntimeError("elements of a concatenation of nothing")
        return value

    def row_of_slices(self, node: Node, place: Scalar) -> Scalar:
        """Where a row of slices of one value lies, counted from where the first of them begins."""
        (dimension,) = node.dimensions
        first, *others = node.operands

        def make() -> Scalar:
            row, behind = place.value, first.shape[dimension]
            for part in others:
                by = part.starts[dimension] - first.starts[dimension] - behind
                row = self.function.select(place.value < behind, row, place.value + by)
                behind += part.shape[dimension]
            return Scalar(row, place.level)

        return self.once(place.level, ("row of slices", node, place), make)

    def _chosen(
        self, part: Node, within: Within, mask: Mask | None, otherwise: Value | None
    ) -> Value:
        """A part's elements where its condition holds, else others."""
        if within.condition is None:
            return self.read(part, within.index, mask)
        condition, level = within.condition, level_of_index(within.index)
        lanes = condition if condition.type.lanes else self.splat(condition)
        if mask is not None:
            lanes, level = lanes & mask.value, max(level, mask.level)
        value = self.read(part, within.index, Mask(lanes, level, is_partial=True))
        if otherwise is None:
            return value
        return self.select(condition, value, otherwise)

    def _within(
        self,
        where: Sequence[Component],
        sizes: Sequence[Extent],
        steps: Sequence[Extent],
        reach: Sequence[Extent],
        whole: Sequence[int],
    ) -> Within:
        """Which places exist that are ``steps`` apart.

        Args:
            reach: numbers that no place is beyond the sum of two of.
            whole: dimensions along which all exist.
        """
        is_near = are_known(*reach, *sizes) and all(abs(n) < NEAR for n in (*reach, *sizes))
        index: list[Component] = []
        condition: Value | None = None
        for d, (c, size, step) in enumerate(zip(where, sizes, steps, strict=True)):
            if d in whole:
                index.append(c)
                continue
            if isinstance(c, int) and not are_known(size, step):
                c = Scalar(self.function.constant(c), 0)
            if isinstance(c, int):
                if not 0 <= c < size * step or c % step:
                    return Within(tuple(where), never=True)
                index.append(c // step)
                continue
            if size == 0:
                return Within(tuple(where), never=True)
            place, fits = self._moved_inside(c, size, step, is_near=is_near)
            index.append(place)
            condition = fits if condition is None else self.both(condition, fits)
        return Within(tuple(index), condition)

    def _moved_inside(
        self, c: Component, size: Extent, step: Extent, *, is_near: bool
    ) -> tuple[Component, Value]:
        """A place in units of ``step``, and whether it exists; scalars are moved inside."""
        if isinstance(c, int):
            raise TypeError("a number is known to fit or not")
        # A negative place is a large number without sign, also when divided.
        quotient, rest = (c, None) if step == 1 else self.divided(c, step)
        if not are_known(size):  # there may be no inside: only lanes are not read
            quotient = Positions(self.positions(quotient), c.level)

        def make() -> tuple[Component, Value]:
            f = self.function
            if isinstance(quotient, int):
                raise TypeError("the quotient of a component is one")
            positions = self.near_positions if is_near else self.positions
            number = quotient.value if isinstance(quotient, Scalar) else positions(quotient)
            fits = number.compare("ult", size)
            if isinstance(rest, Pattern):  # of known numbers
                type = I1.vector(self.lanes)
                fits = self.both(fits, f.constant(tuple(k == 0 for k in rest.steps), type))
            elif isinstance(rest, Scalar | Positions):
                fits = self.both(fits, rest.value == 0)
            if not isinstance(quotient, Scalar):
                return quotient, fits
            inside = f.maximum(f.minimum(number, size - 1), 0)
            return Scalar(inside, quotient.level), fits

        return self.once(c.level, ("within", c, size, step), make)

    def both(self, a: Value, b: Value) -> Value:
        """Where two conditions hold, of a scalar or of lanes."""
        a, b = self.alike([a, b])
        return a & b


def _is_unpadded(low: Extent, step: Extent, size: Extent, part: Extent) -> bool:
    """Whether a dimension has nothing in front of, between or behind elements."""
    return bool(low == 0 and step == 1 and size == part)


def _are_slices_of_one(node: Node) -> bool:
    """Whether parts are slices of one value that differ only in which of its rows they are."""
    (dimension,) = node.dimensions
    if any(part.kind is not NodeKind.SLICE for part in node.operands):
        return False
    cuts = set()
    for part in node.operands:
        others = part.starts[:dimension], part.starts[dimension + 1 :]
        cuts.add((part.operands, others, part.steps))
    are_rows = all(part.steps[dimension] == 1 for part in node.operands)
    return len(cuts) == 1 and are_rows and are_known(*node.shape)
