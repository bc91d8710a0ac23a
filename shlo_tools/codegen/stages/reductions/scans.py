"""Kernels of scans: cumulative sums and the like, which are windows over whole dimensions.

Each window is its neighbour's and one element more. Where elements lie side by side across the
dimension, lanes lie along those and each takes its elements in order. Along the last dimension a
vector is scanned in itself, in steps of one, two, four lanes, and what lies before it is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode
from shlo_tools.codegen.stages.folds import (
    fold_of,
    known_number,
    sources_of,
    starts_of,
)
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import Node, Stage
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Mask, Scalar, Split
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.target import Target

_TOGETHER = 2  # vectors side by side


@dataclass(frozen=True)
class Scan:
    """A dimension whose every prefix (or suffix, where not ``forward``) is one window.

    Attributes:
        in_order: whether each element has to be taken in alone, behind all before it.
    """

    dimension: int
    forward: bool
    in_order: bool = False


def scan_of(node: Node) -> Scan | None:
    """The scan that windows are, if they are one and start from what changes nothing."""
    fold = fold_of(node)
    windows, neutral = fold.windows, fold.neutral
    shape = node.operands[0].shape
    if windows is None or shape != node.shape:
        return None
    moving = [d for d, size in enumerate(windows.size) if size > 1]
    starts = starts_of(node)
    if len(moving) != 1 or {*windows.stride, *windows.base_dilation, *windows.dilation} != {1}:
        return None
    if len(starts) > 1:
        return None
    is_neutral = neutral is not None and known_number(starts[0]) == neutral
    (d,) = moving
    if not is_neutral and not _may_go_in_order(node, forward=windows.low[d] > 0):
        return None
    rest = shape[d] - 1
    outside = [low for k, low in enumerate(windows.low) if k != d]
    if any(outside) or windows.size[d] != shape[d] or windows.low[d] not in (0, rest):
        return None
    return Scan(d, forward=windows.low[d] > 0, in_order=not is_neutral)


def _may_go_in_order(node: Node, *, forward: bool) -> bool:
    """Whether padding changes nothing, and elements can be stored where lanes lie apart.

    Backwards each element comes in front of a window that was folded before.
    """
    fold, is_real = fold_of(node), not node.element.is_complex and node.element.bits >= 32
    return is_real and fold.keeps_start and (forward or fold.regroups)


def lower(stage: Stage, target: Target, node: Node, scan: Scan) -> StageCode:
    """A kernel over rows of the dimension, or over vectors across it."""
    kernel = ScanKernel(stage, target, node, scan)
    job = Job(stage.name, 0, kernel.chunks)
    return StageCode([kernel.write()], [job], [Context(stage.places)])


class ScanKernel(Kernel):
    """Scans along one dimension."""

    def __init__(self, stage: Stage, target: Target, node: Node, scan: Scan) -> None:
        super().__init__(stage.name, target, stage.arguments, stage.results)
        self.node, self.forward, self.in_order = node, scan.forward, scan.in_order
        d = scan.dimension
        self.length, self.inner = node.shape[d], math.prod(node.shape[d + 1 :])
        self.outer = math.prod(node.shape[:d])
        self.whole = -(-self.length // self.lanes) * self.lanes  # elements of whole vectors
        self.step = min(_TOGETHER, max(1, self.inner // self.lanes)) * self.lanes
        self.chunks = self.outer * (1 if self.inner == 1 else -(-self.inner // self.step))
        self.by_rows = self.in_order and self.inner == 1
        if self.by_rows:
            self.chunks = -(-self.outer // self.lanes)
        self.rows, self.columns = -1, 1  # values are read where the loops are

    def write(self) -> Function:
        """The kernel over rows or vectors."""
        if self.by_rows:
            self._by_rows()
        elif self.inner == 1:
            self._along()
        else:
            self._across()
        return self.function

    def _place(self, step: Value) -> Value:
        """Where the scan is after some steps."""
        return step if self.forward else self.function.constant(self.length - 1) - step

    def _combined(self, before: Value, value: Value) -> Value:
        """What lies before in the window goes first."""
        pair = ([before], [value]) if self.forward else ([value], [before])
        return self.folded(self.node, *pair)[0]

    def _store(self, value: Value, index: Split, mask: Mask | None) -> None:
        """Store what was scanned, or what is made of it."""
        self.late = {self.node: self.level}
        self.values[self.node, index] = value
        for result, target in zip(self.results, self.targets, strict=True):
            address, _, place = self._address(result, Buffer(target), index)
            self.store_at(self.read(result, index, mask), address, place, mask)

    def _across(self) -> None:
        """Some vectors across the dimension, one element after the other."""
        f, (source,) = self.function, sources_of(self.node)
        strips = -(-self.inner // self.step)
        outer = f.arguments[1] // strips
        start = (f.arguments[1] - outer * strips) * self.step
        vectors: list[tuple[Component, Mask | None]] = []
        for k in range(self.step // self.lanes):
            base = start + k * self.lanes
            mask = None
            if self.inner % self.step:
                mask = Mask(f.mask_below(f.constant(self.inner) - base, self.lanes), 0)
            vectors.append((Lanes(base, 1, 0), mask))

        def one(step: Value, *state: Value) -> list[Value]:
            row = Scalar(outer * self.length + self._place(step), self.level)
            values = []
            for (lanes, mask), before in zip(vectors, state, strict=True):
                index = Split(row, lanes, self.inner)
                value = self._combined(before, self.read(source, index, mask))
                self._store(value, index, mask)
                values.append(value)
            return values

        self.loop(0, self.length, 1, one, [self.start] * len(vectors))

    def _along(self) -> None:
        """A row, vector by vector."""
        row = Scalar(self.function.arguments[1], 0)

        def one(step: Value, before: Value) -> list[Value]:
            return [self._vector(*self._elements(row, step), before)]

        self.loop(0, self.whole, self.lanes, one, [self.start])

    @property
    def start(self) -> Value:
        """What lies before all elements, in each lane."""
        return self.splat(self.read(starts_of(self.node)[0], (), None))

    def _vector(self, value: Value, index: Split, mask: Mask | None, before: Value) -> Value:
        """Scan a vector of a row; what lies before the next one."""
        (neutral,) = self.initial(self.node)
        value = self._combined(before, self._scanned(value, neutral))
        self._store(value, index, mask)
        last = self.lanes - 1 if self.forward else 0
        return self.lanes_of(value, value, [last] * self.lanes)

    def _elements(self, row: Scalar, step: Value) -> tuple[Value, Split, Mask | None]:
        """A vector of a row after some steps; lanes behind its end hold what changes nothing."""
        f, (neutral,) = self.function, self.initial(self.node)
        base = step if self.forward else f.constant(self.whole - self.lanes) - step
        lanes, mask = Lanes(base, 1, self.level), None
        if self.length % self.lanes:
            left = f.constant(self.length) - base
            mask = Mask(f.mask_below(left, self.lanes), self.level)
        index = Split(row, lanes, self.length)
        value = self.alike([self.read(sources_of(self.node)[0], index, mask), neutral])[0]
        return value if mask is None else self.select(mask.value, value, neutral), index, mask

    def _by_rows(self) -> None:
        """As many rows as there are lanes, one element of each after the other."""
        f, (source,) = self.function, sources_of(self.node)
        rows = Lanes(f.arguments[1] * self.lanes, 1, 0)
        mask = None
        if self.outer % self.lanes:
            left = f.constant(self.outer) - rows.base
            mask = Mask(f.mask_below(left, self.lanes), 0)

        def one(step: Value, before: Value) -> list[Value]:
            index = Split(rows, Scalar(self._place(step), self.level), self.length)
            value = self._combined(before, self.read(source, index, mask))
            self._store(value, index, mask)
            return [value]

        self.loop(0, self.length, 1, one, [self.start])

    def _scanned(self, value: Value, neutral: Value) -> Value:
        """A vector's lanes with all before them."""
        lanes = self.lanes
        by = 1
        while by < lanes:
            if self.forward:
                moved = self.lanes_of(neutral, value, [lanes - by + k for k in range(lanes)])
            else:
                moved = self.lanes_of(value, neutral, [by + k for k in range(lanes)])
            value = self._combined(moved, value)
            by *= 2
        return value
