"""Scatter: updates are combined into a copy of an operand, or in place, in the updates' order.

Dimensions of the updates are loops, in order. Behind the last of them that goes through the
indices, the start of a window is known; the windows' dimensions behind it run as far as they lie
inside, the last of them by vectors where elements are neighbours.

Chunks are columns of the windows, or batches, or, where windows are narrow, ranges of the operand:
no two of them write the same element, so that the result does not rest on the number of threads.
A chunk of a range reads all indices by vectors, and lists those that are its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import I32, I64, Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Region, Stage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.gather import IndexVectors
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Mask, Scalar
from shlo_tools.codegen.stages.updates import fill
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import Kind

_LISTABLE = (1 << 31) - 1  # rows and updates whose numbers lists hold
_FAR = 1 << 62  # outside of any tensor, and no offset added to it wraps around
_CHUNKS, _SMALL = 4, 8192  # chunks of a window's columns; updates that one chunk does as well
# Each chunk of a range reads all indices: fewer chunks for windows of no more bytes than a line,
# and none for shorter ones, whose updates take no longer than that, into an operand that is near.
_RANGES, _LINE, _SHORT, _NEAR = 2, 64, 16, 128 * 1024
_NARROW = 8  # lanes of a vector, at least
_LISTED = 2048  # updates that are looked at before those of a range are written
_PART = 1 << 21  # updates of a job, about: between jobs a call can be stopped


@dataclass(frozen=True)
class Updates:
    """How a scatter writes.

    Attributes:
        combine: (current elements, elements of the updates) -> new elements.
    """

    vectors: IndexVectors
    combine: Region


def lower(stage: Stage, target: Target) -> StageCode:
    """The operands, and then the updates over them."""
    first = stage.results[0]
    node = first.operands[0] if first.kind is NodeKind.RESULT else first
    inputs = node.operands[: len(stage.results)]
    code = StageCode()
    for number, operand in enumerate(inputs):
        fill(code, stage, target, operand, number)
    if not node.operands[-1].count:
        return code
    kernel = ScatterKernel(stage, target, node)
    code.functions.append(kernel.write())
    rows = kernel.sizes[0] if kernel.sizes else 1
    parts = min(rows, -(-node.operands[-1].count // _PART)) if kernel.may_be_cut else 1
    for part in range(parts):
        bounds = (rows * part // parts, rows * (part + 1) // parts)
        code.contexts.append(Context((*stage.places, *bounds)))
        code.jobs.append(Job(stage.name, len(code.contexts) - 1, kernel.chunks))
    return code


class ScatterKernel(Kernel):
    """Updates into the results; the context goes on with the bounds of the outermost loop."""

    rows, columns = -1, 1  # values have no rows here

    def __init__(self, stage: Stage, target: Target, node: Node) -> None:
        count = len(stage.results)
        attributes: Updates = node.attributes
        self.vectors, self.region = attributes.vectors, attributes.combine
        self.indices = node.operands[count]
        updates = node.operands[count + 1 :]
        kept = self.vectors.kept(len(node.shape))
        # Operand dimensions of the updates' dimensions that go through windows.
        self.dimensions = dict(zip(self.vectors.windows, kept, strict=True))
        self.shape, self.sizes = list(node.shape), list(updates[0].shape)
        self._merge()
        views = [self._reshaped(update) for update in updates]
        super().__init__(stage.name, target, stage.arguments, views)
        self.updates = views
        self.behind = 1 + max(
            (d for d in range(len(self.sizes)) if d not in self.dimensions), default=-1
        )
        self._divide()

    def _merge(self) -> None:
        """The last two dimensions become one, where all of the last one is written anyhow."""
        while len(self.sizes) > 1:
            last = len(self.sizes) - 1
            inner, outer = (self.dimensions.get(d, -1) for d in (last, last - 1))
            is_whole = (
                inner == len(self.shape) - 1
                and outer == inner - 1 >= 0
                and inner not in self.vectors.starts
                and self.sizes[last] == self.shape[inner]
            )
            # Starts count in elements of the outer dimension: those would have to be scaled.
            if not is_whole or outer in self.vectors.starts:
                return
            self.sizes[-2:] = [self.sizes[-2] * self.sizes[-1]]
            self.shape[-2:] = [self.shape[-2] * self.shape[-1]]
            del self.dimensions[last]

    def _reshaped(self, update: Node) -> Node:
        if list(update.shape) == self.sizes:
            return update
        return Node(NodeKind.RESHAPE, tuple(self.sizes), update.element, (update,))

    def _divide(self) -> None:
        """What chunks are: columns of windows, or ranges of the operand, or batches, or all."""
        last = len(self.sizes) - 1
        inner = self.dimensions.get(last, -1)
        self.by_vectors = (
            self.behind <= last and inner == len(self.shape) - 1 and self.sizes[-1] > 1
        )
        self.chunks, self.width, self.batch, self.range = 1, 0, -1, 0
        count = math.prod(self.sizes)
        vectors = -(-self.sizes[-1] // self.lanes) if self.by_vectors else 1
        if self.by_vectors and self.sizes[-1] < self.lanes:
            self.lanes = max(1 << (self.sizes[-1] - 1).bit_length(), _NARROW)
        size = place_type(self.updates[0].element).bytes
        window = math.prod(self.sizes[self.behind :]) * size
        is_near = window <= _SHORT and math.prod(self.shape) * size <= _NEAR
        if count > _SMALL and vectors < _CHUNKS and not is_near and self._may_have_ranges():
            rows = self.shape[self.vectors.starts[0]]
            self.range = -(-rows // (_RANGES if window <= _LINE else _CHUNKS))
            self.chunks = -(-rows // self.range)
            self.lanes = min(self.lanes, self.target.lanes(32))  # lists are made by registers
        elif self.by_vectors:
            self.width = (
                -(-vectors // _CHUNKS) * self.lanes if count > _SMALL else vectors * (self.lanes)
            )
            self.chunks = -(-self.sizes[-1] // self.width)
        elif self.vectors.batching and count > _SMALL:
            through = [d for d in range(len(self.sizes)) if d not in self.dimensions]
            _, other = self.vectors.batching[0]
            self.batch = through[self.vectors.place_in_batch(other)]
            self.chunks = self.sizes[self.batch]
        self.may_be_cut = self.behind > 0 and self.batch != 0

    def _may_have_ranges(self) -> bool:
        """Whether an index is one number, for a dimension that windows do not go along.

        Lists are made fast enough only where the target has an instruction for it.
        """
        (start, *others), numbers = self.vectors.starts or (-1,), (self.sizes or [0])[0]
        return (
            self.target.compresses
            and self.behind == 1
            and start >= 0
            and not others
            and not self.vectors.batching
            and start not in self.dimensions.values()
            and 1 < self.shape[start] <= _LISTABLE
            and numbers <= _LISTABLE
        )

    def write(self) -> Function:
        """The kernel."""
        bounds = [self.word(self.words + k, I64) for k in range(2)]
        if self.range:
            self.loop(bounds[0], bounds[1], _LISTED, lambda first: self._some(first, bounds[1]))
        else:
            self._loops([], bounds if self.may_be_cut else [])
        return self.function

    # --- ranges of the operand --------------------------------------------------------------------
    def _some(self, first: Value, stop: Value) -> None:
        """Of the updates from ``first`` on those of the chunk's range, in order."""
        f = self.function
        dimension = self.vectors.starts[0]
        low = f.arguments[1] * self.range
        rows = f.minimum(f.constant(self.shape[dimension]) - low, self.range)
        numbers, start, end = self.scratch, f.constant(0), f.minimum(first + _LISTED, stop)

        def listed(number: Value, count: Value) -> Value:
            level = self.level
            mask = Mask(f.mask_below(end - number, self.lanes), level)
            place = self._places_in_range(Lanes(number, 1, level), mask, low)
            inside = place.compare("ult", self.splat(rows.to("trunc", place.type.element)))
            inside = inside & mask.value
            of_lanes = f.lane_numbers(I32.vector(self.lanes))
            of_updates = of_lanes + self.splat(number.to("trunc", "i32"))
            f.store(f.compressed(of_updates, inside), numbers.at(count, I32), 4)
            return count + f.lanes_set(inside)

        (count,) = self.loop(first, end, self.lanes, listed, [start])

        def one(counter: Value) -> None:
            number = Scalar(f.load(numbers.at(counter, I32), I32).to("zext", "i64"), self.level)
            place = self.read(self.indices, self._index_of(number), None)
            starts: list[Value | int] = [0] * len(self.shape)
            starts[dimension] = place.to("zext", "i64")  # it is inside
            self._rest([number], starts)

        self.loop(start, count, 1, one)

    def _places_in_range(self, lanes: Lanes, mask: Mask, low: Value) -> Value:
        """Rows that indices choose, counted from a range's first one; what is elsewhere is more."""
        places = self.read(self.indices, self._index_of(lanes), mask)
        places = places if places.type.lanes else self.splat(places)
        if places.type.bits < 32:
            signed = self.indices.element.kind is Kind.SIGNED
            places = places.to("sext" if signed else "zext", "i32")
        return places - self.splat(low.to("trunc", places.type.element))

    def _index_of(self, number: Component) -> tuple[Component, ...]:
        """Where the index of an update is that is one number."""
        index = [number]
        if self.vectors.vector < len(self.indices.shape):
            index.insert(self.vectors.vector, 0)
        return tuple(index)

    def _loops(self, at: list[Component], bounds: Sequence[Value]) -> None:
        """Loops over the dimensions that go through indices, and those between them."""
        d = len(at)
        if d == self.behind:
            self._window(at)
            return
        if d == self.batch:
            self._loops([*at, Scalar(self.function.arguments[1], 0)], [])
            return
        start, stop = bounds or (0, self.sizes[d])

        def one(counter: Value) -> None:
            self._loops([*at, Scalar(counter, self.level)], [])

        self.loop(start, stop, 1, one)

    # --- one window -------------------------------------------------------------------------------
    def _window(self, at: list[Component]) -> None:
        """Starts are known: elements of the windows that lie inside."""
        f = self.function
        starts: list[Value | int] = [0] * len(self.shape)
        rank = len(self.indices.shape)
        whole = (*at, *[0] * (len(self.sizes) - len(at)))
        # The indices have as many dimensions as before dimensions of windows were merged.
        through = [c for d, c in enumerate(whole) if d not in self.dimensions]
        for component, d in enumerate(self.vectors.starts):
            index = list(through)
            if self.vectors.vector < rank:
                index.insert(self.vectors.vector, component)
            starts[d] = self._far(self.read(self.indices, tuple(index), None))
        for d, other in self.vectors.batching:
            starts[d] = self._number(through[self.vectors.place_in_batch(other)])
        inside: Value | None = None
        bounded = {self.dimensions[d] for d in range(len(at), len(self.sizes))}
        for d, dimension in self.dimensions.items():
            if d < len(at):
                starts[dimension] = self._number(at[d]) + starts[dimension]
        for d, start in enumerate(starts):
            if d in bounded or isinstance(start, int):
                continue
            fits = start.compare("ult", self.shape[d])
            inside = fits if inside is None else inside & fits
        if inside is None:
            self._rest(at, starts)
        else:
            f.if_(inside, lambda: self._guarded(lambda: self._rest(at, starts)))

    def _guarded(self, body: Callable[[], None]) -> None:
        """Emit in a branch: what is computed there is not known behind it."""
        self.loop(0, 1, 1, lambda _: body())

    def _number(self, c: Component) -> Value:
        return c.value if isinstance(c, Scalar) else self.function.constant(int(c))  # type: ignore[arg-type]

    def _far(self, number: Value) -> Value:
        """A start as it is, or as far outside as matters."""
        if self.indices.element.kind is Kind.SIGNED:
            number = number.to("sext", "i64")
            if self.indices.element.bits < 64:
                return number
            return self.function.maximum(self.function.minimum(number, _FAR), -_FAR)
        number = number.to("zext", "i64")
        return self.function.intrinsic("umin", number, self.function.constant(_FAR))

    def _rest(self, at: list[Component], starts: list[Value | int]) -> None:
        """Loops over the dimensions of windows behind those of indices."""
        d = len(at)
        if d == len(self.sizes):
            self._element(at, starts)
            return
        f, dimension = self.function, self.dimensions[d]
        start, size, full = starts[dimension], self.sizes[d], self.shape[dimension]
        low: Value | int = 0
        high: Value | int = size
        if not isinstance(start, int):
            low = f.maximum(-start, 0)
            high = f.minimum(full - start, size)
        if self.by_vectors and d == len(self.sizes) - 1:
            self._columns(at, starts, low, high)
            return

        def one(counter: Value) -> None:
            inner = list(starts)
            inner[dimension] = counter + start
            self._rest([*at, Scalar(counter, self.level)], inner)

        self.loop(low, high, 1, one)

    def _columns(
        self,
        at: list[Component],
        starts: list[Value | int],
        low: Value | int,
        high: Value | int,
    ) -> None:
        """A chunk's part of the last dimension, by vectors."""
        f, size = self.function, self.sizes[-1]
        behind = size % self.lanes  # the last whole vector
        is_masked = isinstance(starts[-1], Value) or (behind > 0 and self.target.masks)
        is_part, places = self.chunks > 1 and not self.range, self._places(starts)
        end = high if is_masked else size - behind
        if is_part:
            first = f.arguments[1] * self.width
            low = f.maximum(first, low) if isinstance(low, Value) else first
            is_alike = not is_masked and size % self.width == 0
            end = first + self.width if is_alike else f.minimum(first + self.width, end)

        def some(column: Value, count: Value | None = None) -> None:
            level = self.level
            mask = None if count is None else Mask(f.mask_below(count, self.lanes), level)
            self._combine([*at, Lanes(column, 1, level)], places, column, mask)

        def masked(column: Value) -> None:
            some(column, f.constant(end) - column)

        def rest() -> None:
            some(f.constant(size - behind), f.constant(behind))

        self.loop(low, end, self.lanes, masked if is_masked else some)
        if is_masked or not behind:
            return
        if is_part:
            f.if_(f.arguments[1] == self.chunks - 1, lambda: self._guarded(rest))
        else:
            rest()

    def _element(self, at: list[Component], starts: list[Value | int]) -> None:
        self._combine(at, self._places(starts), self.function.constant(0), None)

    def _places(self, starts: Sequence[Value | int]) -> list[Value]:
        """Where an index is in each of the results."""
        place: Value | int = 0
        step = 1
        for start, size in zip(reversed(starts), reversed(self.shape), strict=True):
            if size > 1 and not (isinstance(start, int) and start == 0):
                place = start * step + place
            step *= size
        pairs = zip(self.targets, self.updates, strict=True)
        return [target.at(place, place_type(node.element)) for target, node in pairs]

    def _combine(
        self,
        at: Sequence[Component],
        places: Sequence[Value],
        column: Value,
        mask: Mask | None,
    ) -> None:
        """Current elements and updates become new elements."""
        has_lanes = isinstance(at[-1], Lanes) if at else False
        new = [self.read(update, tuple(at), mask) for update in self.updates]
        if has_lanes:
            new = [value if value.type.lanes else self.splat(value) for value in new]
        places = [
            place.at(column, place_type(node.element))
            for place, node in zip(places, self.updates, strict=True)
        ]
        old = [
            self._current(place, node, mask, has_lanes=has_lanes)
            for place, node in zip(places, self.updates, strict=True)
        ]
        for value, place in zip(self.region(self, [*old, *new]), places, strict=True):
            if has_lanes:
                self.store(value, place, mask)
            else:
                self.store_scalar(value, place)

    def _current(self, place: Value, node: Node, mask: Mask | None, *, has_lanes: bool) -> Value:
        return self.load_at(place, node.element, mask, has_lanes=has_lanes)
