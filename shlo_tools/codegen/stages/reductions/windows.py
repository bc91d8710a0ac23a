"""Kernels of windows: lanes along the result's last dimension, a loop per dimension of the window.

Cells of padding are what the reduction starts from. Elementwise ops on the result are computed
where it is stored. Windows over all that lies before an element (or behind it) are scans, see
``scans``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode, even_part
from shlo_tools.codegen.stages.folds import (
    Windows,
    fold_of,
    outcomes_of,
    skips_padding,
    sources_of,
    starts_of,
)
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Stage, UnsupportedStage
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Lanes,
    Mask,
    Scalar,
    Split,
    level_of,
)
from shlo_tools.codegen.stages.reading.loops import NEAR
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reductions import long_scans, scans
from shlo_tools.codegen.target import Target

_WORK = 64 * 1024  # elements that a chunk takes in, about
_TOGETHER = 4  # vectors that share a window's loops
_MOST = 16 * 1024  # elements of a window: a chunk may not take long
_UNROLLED = 8  # elements of a window's innermost dimension that are written one by one

Taps = dict[int, Component]  # where in a window its loops are


def lower(stage: Stage, target: Target) -> StageCode:
    """A kernel over rows of the result.

    Raises:
        UnsupportedStage: dilated operands along lanes, and the like.
    """
    windows = [node for node in stage.nodes if node.kind is NodeKind.REDUCE_WINDOW]
    if len(windows) != 1:
        raise UnsupportedStage(f"{len(windows)} reductions of windows in a stage")
    (node,) = windows
    scan = scans.scan_of(node)
    if scan is not None:
        lower_scan = long_scans.lower if long_scans.is_long(node, scan) else scans.lower
        return lower_scan(stage, target, node, scan)
    kernel = WindowKernel(stage, target, node)
    job = Job(stage.name, 0, kernel.chunks)
    return StageCode([kernel.write()], [job], [Context(stage.places)])


def windows_of(node: Node) -> Windows:
    """The windows of a node."""
    windows = fold_of(node).windows
    if windows is None:
        raise UnsupportedStage("a reduction without windows")
    return windows


class WindowKernel(Kernel):
    """Reductions of windows."""

    rows, columns = -1, 1  # values have no rows here

    def __init__(self, stage: Stage, target: Target, node: Node) -> None:
        super().__init__(stage.name, target, stage.arguments, stage.results)
        self.node, self.windows = node, windows_of(node)
        self.shape = node.shape
        self.extents = node.operands[0].shape
        large = [d for d, size in enumerate(node.shape) if size > 1]
        self.lane_dimension = large[-1] if large else len(node.shape) - 1
        self.width = math.prod(node.shape[self.lane_dimension :])
        taps = math.prod(self.windows.size)
        # A chunk is some lines along the last dimension in front of lanes, or a part of one.
        self.along = large[-2] if len(large) > 1 else 0
        self.line = node.shape[self.along] if len(large) > 1 else 1
        self.lines = node.count // self.width // self.line
        rows = max(1, _WORK // max(1, self.width * taps))
        self.chunk = even_part(self.lines, max(1, min(self.lines, rows // self.line)))
        self.parts = -(-self.line // rows)
        self.chunks = -(-self.lines // self.chunk) * self.parts
        self.skips_padding = skips_padding(node)
        if 0 in self.extents:
            raise UnsupportedStage("windows over nothing")
        if taps > _MOST:
            raise UnsupportedStage("windows of very many elements")
        if self.lane_dimension >= 0 and self.windows.base_dilation[self.lane_dimension] != 1:
            raise UnsupportedStage("windows over a dilated dimension along lanes")

    def write(self) -> Function:
        """The kernel over chunks of lines, or of parts of them."""
        f = self.function
        number = f.arguments[1]
        if self.chunk > 1:
            first = number * self.chunk
            last = f.minimum(first + self.chunk, self.lines)
            self.loop(first, last, 1, lambda line: self._line(line, 0, self.line))
        elif self.parts > 1:
            line, step = number // self.parts, -(-self.line // self.parts)
            first = (number - line * self.parts) * step
            self._line(line, first, f.minimum(first + step, self.line))
        else:
            self._line(number, 0, self.line)
        return f

    def _line(self, number: Value, first: Value | int, last: Value | int) -> None:
        """Results that follow each other along a line."""
        line = Scalar(number, self.level)
        outer = self.delinear(line, self.shape[: self.along])

        def one(number: Value) -> None:
            here = Scalar(number, self.level)
            self.places = [*outer, here, *[0] * (len(self.shape) - self.along - 1)]
            self.row = self.added(self.scaled(line, self.line), here)
            self.note_division(self.row, self.line, line, here)
            self._row()

        self.loop(first, last, 1, one)

    def _row(self) -> None:
        """All results that begin at some place in front of lanes."""
        vectors = -(-self.width // self.lanes)
        groups = -(-vectors // max(1, min(_TOGETHER, self.width // self.lanes)))
        together = -(-vectors // groups)  # the same of all groups: few lanes of the last are idle
        step = together * self.lanes

        def vector(base: Value, number: int, level: int) -> tuple[Lanes, Mask | None]:
            lanes = Lanes(base + number * self.lanes, 1, level)
            return lanes, self._below(lanes, step)

        def some(base: Value, level: int) -> None:
            vectors = [
                self.once(level, ("vector", number), partial(vector, base, number, level))
                for number in range(together)
            ]
            self._windows(vectors)

        if self.width <= step:
            some(self.function.constant(0), 0)
        else:
            self.loop(0, self.width, step, lambda base: some(base, self.level))

    def _below(self, lanes: Lanes, step: int) -> Mask | None:
        if self.width % step == 0:
            return None
        left = self.function.constant(self.width) - lanes.base
        return Mask(self.function.mask_below(left, self.lanes), lanes.level)

    def _windows(self, vectors: list[tuple[Lanes, Mask | None]]) -> None:
        """Windows of some vectors of results."""
        starts = [self.splat(self.read(start, (), None)) for start in starts_of(self.node)]
        count = len(starts)

        def body(taps: Taps, state: list[Value]) -> list[Value]:
            folded: list[Value] = []
            for number, (lanes, mask) in enumerate(vectors):
                old = state[number * count : (number + 1) * count]
                folded += self.folded(self.node, old, self._elements(taps, lanes, mask, starts))
            return folded

        sizes = enumerate(self.windows.size)
        moving = [d for d, size in sizes if size > 1 or self._skips(d)]
        state = self._each_tap(moving, {}, body, starts * len(vectors))
        outcomes = outcomes_of(self.node)
        self.late = dict.fromkeys(outcomes, self.level)
        for number, (lanes, mask) in enumerate(vectors):
            index = Split(self.row, lanes, self.width)
            values = state[number * count : (number + 1) * count]
            for outcome, place in outcomes.items():
                self.values[outcome, index] = values[place]
            for result, target in zip(self.results, self.targets, strict=True):
                address, _, _ = self._address(result, Buffer(target), index)
                self.store(self.read(result, index, mask), address, mask)

    def _each_tap(
        self,
        dimensions: list[int],
        taps: Taps,
        body: Callable[[Taps, list[Value]], list[Value]],
        state: list[Value],
    ) -> list[Value]:
        """Loops over a window in order, but for padding that changes nothing."""
        if not dimensions:
            return body(taps, state)
        d, *inner = dimensions
        size = self.windows.size[d]
        first, last = self._inside(d) if self._skips(d) else (0, size)
        if not inner and size <= _UNROLLED and (not self._skips(d) or self._repeats(d)):
            for k in range(size):
                state = body(taps | {d: k}, state)
            return state

        def one(tap: Value, *state: Value) -> list[Value]:
            here = taps | {d: Scalar(tap, self.level)}
            return self._each_tap(inner, here, body, list(state))

        return self.loop(first, last, 1, one, state)

    def _fits(self, d: int) -> bool:
        """Whether no window leaves the operand along a dimension."""
        windows = self.windows
        last = (self.shape[d] - 1) * windows.stride[d] + (windows.size[d] - 1) * windows.dilation[d]
        fits = windows.low[d] <= 0 and last - windows.low[d] < self.extents[d]
        return fits and windows.base_dilation[d] == 1

    def _skips(self, d: int) -> bool:
        """Whether the loop along a dimension leaves padding out."""
        is_dense = d != self.lane_dimension and self.windows.base_dilation[d] == 1
        return self.skips_padding and is_dense and not self._fits(d)

    def _repeats(self, d: int) -> bool:
        """Whether elements of a window may stand for its padding: the ones beside it."""
        windows, last = self.windows, (self.shape[d] - 1) * self.windows.stride[d]
        is_near = windows.low[d] < windows.size[d] and last - windows.low[d] < self.extents[d]
        return fold_of(self.node).may_repeat and windows.dilation[d] == 1 and is_near

    def _inside(self, d: int) -> tuple[Value, Value]:
        """The first element of a window that is none of padding, and the first one behind."""
        f, windows = self.function, self.windows
        place = self.places[d]
        level = 0 if isinstance(place, int) else level_of(place)
        dilation = windows.dilation[d]

        def make() -> tuple[Value, Value]:
            number = place.value if isinstance(place, Scalar) else f.constant(0)
            begin = number * windows.stride[d] - windows.low[d]
            bounds = (f.maximum(n, 0) for n in (-begin, -begin + self.extents[d]))
            first, last = ((n + (dilation - 1)) // dilation for n in bounds)
            return first, f.minimum(last, windows.size[d])

        return self.once(level, ("inside", d, place), make)

    def _elements(
        self, taps: Taps, lanes: Lanes, mask: Mask | None, starts: list[Value]
    ) -> list[Value]:
        """The elements that lie at a place of each window, or what stands for padding."""
        windows = self.windows
        where: list[Component] = []
        inside: Value | None = None
        level = 0
        for d, extent in enumerate(self.extents):
            at = lanes if d == self.lane_dimension else self.places[d]
            tap = self.scaled(taps.get(d, 0), windows.dilation[d])
            first, ahead = self.scaled(at, windows.stride[d]), -windows.low[d]
            if isinstance(tap, int):
                ahead += tap
            else:
                first = self.added(first, tap)
            is_known = isinstance(taps.get(d), int)
            if self._fits(d) or (self._skips(d) and not is_known):
                where.append(self.shifted(first, ahead))
                continue
            place, here = self._clamped(first, ahead, extent, windows.base_dilation[d])
            where.append(place)
            if here is not None and not self._skips(d):
                inside = here if inside is None else self.both(inside, here)
        exists = mask
        if inside is not None and inside.type.lanes:
            level = self.level
            exists = Mask(inside, level, is_partial=True)  # of any lane that has an element
        sources = sources_of(self.node)
        values = [self.read(source, tuple(where), exists) for source in sources]
        values = [value if value.type.lanes else self.splat(value) for value in values]
        if inside is None:
            return values
        condition = inside if inside.type.lanes else self.splat(inside)
        pairs = zip(values, starts, strict=True)
        return [self.select(condition, value, start) for value, start in pairs]

    def _positions(self, c: Component) -> Value:
        """Places along lanes, also in padding, as integers no wider than they and elements need."""
        windows, d = self.windows, self.lane_dimension
        reach = (self.shape[d] + _TOGETHER * self.lanes) * windows.stride[d]
        reach += windows.size[d] * windows.dilation[d] + abs(windows.low[d]) + self.extents[d]
        if reach >= NEAR:
            return self.positions(c)
        is_narrow = reach < 1 << 15 and self.node.element.bits <= 16
        return self.near_positions(c, "i16" if is_narrow else "i32")

    def _clamped(
        self, first: Component, ahead: int, extent: int, dilation: int
    ) -> tuple[Component, Value | None]:
        """``first + ahead``, which may lie in the padding: a place that does not, and whether it is
        the same."""
        f, place = self.function, self.shifted(first, ahead)
        if isinstance(place, int):
            place = Scalar(f.constant(place), 0)
        if not isinstance(place, Scalar):
            return place, self.once(
                place.level,
                ("exist", first, ahead, extent),
                lambda: (self._positions(first) + ahead).compare("ult", extent),
            )

        def make() -> tuple[Component, Value]:
            number = place.value
            inside = number.compare("ult", (extent - 1) * dilation + 1)
            number = f.maximum(f.minimum(number, (extent - 1) * dilation), 0)
            if dilation > 1:
                quotient = number // dilation
                inside = inside & (number == quotient * dilation)
                number = quotient
            return Scalar(number, place.level), inside

        return self.once(place.level, ("clamp", place, extent, dilation), make)
