"""Convolutions as contractions of a windowed operand.

C[b, o.., f] = sums over taps t.. and features i of X[b, x(o, t).., i] W[t.., i, f], where
x(o, t) = o * stride + t * dilation - low. A dilated X, as in gradients of strided convolutions, is
taken apart by phases: outputs of one residue see some of the taps, at elements next to each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place
from shlo_tools.codegen.stages.contractions.axes import (
    STILL,
    Axes,
    Axis,
    Contraction,
    Operand,
    Steps,
)
from shlo_tools.codegen.stages.nodes import Node

_COORDINATES = 3


@dataclass(frozen=True)
class Window:
    """One spatial dimension: ``size`` elements, ``count`` windows of ``taps`` taps."""

    size: int
    taps: int
    stride: int
    low: int
    base_dilation: int
    dilation: int
    count: int
    is_reversed: bool

    def first(self, tap: int) -> tuple[int, int]:
        """Where in the kernel a tap lies, and which way the next ones do."""
        return (self.taps - 1 - tap, -1) if self.is_reversed else (tap, 1)


@dataclass(frozen=True)
class Convolution:
    """What a convolution's attributes say.

    Attributes:
        lhs, result: the places of batch, feature and spatial dimensions.
        rhs: those of input features, output features and spatial dimensions.
    """

    windows: tuple[Window, ...]
    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    result: tuple[int, ...]
    feature_groups: int
    batch_groups: int


@dataclass(frozen=True)
class _Phase:
    """Outputs ``first + step * o`` and taps ``tap + tap_step * t`` of one spatial dimension."""

    count: int
    taps: int
    first: int
    step: int
    tap: int
    tap_step: int
    stride: int
    dilation: int
    start: int  # the element that the first tap of the first window is


def _phases(window: Window) -> list[_Phase]:
    """A dilated dimension as dimensions that are not."""
    base, stride, dilation = window.base_dilation, window.stride, window.dilation
    step, tap_step = base // math.gcd(base, stride), base // math.gcd(base, dilation)
    phases = []
    for first in range(min(step, window.count)):
        count = -(-(window.count - first) // step)
        at = first * stride - window.low
        fits = [t for t in range(min(tap_step, window.taps)) if (at + t * dilation) % base == 0]
        tap = fits[0] if fits else 0
        taps = -(-(window.taps - tap) // tap_step) if fits else 0
        moves = (step * stride // base, tap_step * dilation // base)
        start = (at + tap * dilation) // base
        phases.append(_Phase(count, taps, first, step, tap, tap_step, *moves, start))
    return phases


@dataclass(frozen=True)
class Depthwise:
    """A convolution of each channel with its own window, for ``library.depthwise``.

    Attributes:
        words: of the context, strides in elements; operands and C are still to be placed.
        sizes: of the image along y and x.
        element: of the operands.
    """

    x: Place
    w: Place
    words: dict[str, int]
    sizes: tuple[int, int]
    element: str
    c_offset: int


@dataclass(frozen=True)
class Form:
    """A contraction, whether its columns move, and what it is beside that for channels apart."""

    contraction: Contraction
    by_columns: bool = False
    depthwise: Depthwise | None = None


def plan(node: Node, operands: Sequence[tuple[Place, list[int]]], element: Type) -> list[Form]:
    """Contractions that make a convolution's result.

    Args:
        operands: where they lie, and the strides of their dimensions in elements.
    """
    form: Convolution = node.attributes
    strides = [1] * len(node.shape)
    for d in reversed(range(len(node.shape) - 1)):
        strides[d] = strides[d + 1] * node.shape[d + 1]
    planner = _Planner(node, form, operands, strides, element)
    return [
        Form(*planner.contraction(phases), planner.depthwise(phases))
        for phases in itertools.product(*map(_phases, form.windows))
    ]


class _Planner:
    """One phase of a convolution."""

    def __init__(
        self,
        node: Node,
        form: Convolution,
        operands: Sequence[tuple[Place, list[int]]],
        strides: list[int],
        element: Type,
    ) -> None:
        self.node, self.form, self.element = node, form, element
        (self.x_place, self.x), (self.w_place, self.w) = operands
        self.c = strides
        (x_batch, x_feature), w_in = form.lhs[:2], form.rhs[0]
        self.groups = form.feature_groups * form.batch_groups
        self.images = node.shape[form.result[0]]
        self.depth = node.operands[1].shape[w_in]  # of a group
        by_batch = form.batch_groups > 1
        self.x_group = self.images * self.x[x_batch] if by_batch else self.depth * self.x[x_feature]

    def contraction(self, phases: Sequence[_Phase]) -> tuple[Contraction, bool]:
        """The contraction of a phase, and whether its columns move."""
        form, node = self.form, self.node
        lhs, rhs = node.operands
        x_batch, x_feature, *x_spatial = form.lhs
        w_in, w_out, *w_spatial = form.rhs
        c_batch, c_feature, *c_spatial = form.result
        outputs = rhs.shape[w_out] // self.groups
        w_group, c_group = outputs * self.w[w_out], outputs * self.c[c_feature]
        group = Axis(self.groups, self.x_group, w_group, c_group)
        batch = Axis(self.images, a=self.x[x_batch], c=self.c[c_batch])
        feature = Axis(outputs, b=self.w[w_out], c=self.c[c_feature])
        inner = [Axis(self.depth, a=self.x[x_feature], b=self.w[w_in])]

        x_offset = w_offset = c_offset = 0
        bounds, starts, outs = [1, 1, 1], [0, 0, 0], []
        coordinates = self._coordinates(phases, x_spatial)
        for d, (phase, window) in enumerate(zip(phases, form.windows, strict=True)):
            x, w, c = self.x[x_spatial[d]], self.w[w_spatial[d]], self.c[c_spatial[d]]
            tap, turn = window.first(phase.tap)
            x_offset += phase.start * x
            w_offset += tap * w
            c_offset += phase.first * c
            place = coordinates[d]
            out_steps, tap_steps = (_steps(place, by) for by in (phase.stride, phase.dilation))
            if place >= 0:
                bounds[place], starts[place] = window.size, phase.start
            outs.append(Axis(phase.count, a=phase.stride * x, c=phase.step * c, steps=out_steps))
            w_step = turn * phase.tap_step * w
            inner.append(Axis(phase.taps, a=phase.dilation * x, b=w_step, steps=tap_steps))
        moving = Operand(
            _moved(self.x_place, x_offset, lhs.element.bits),
            lhs.element.name,
            (bounds[0], bounds[1], bounds[2]),
            (starts[0], starts[1], starts[2]),
        )
        resting = Operand(_moved(self.w_place, w_offset, rhs.element.bits), rhs.element.name)
        places = sorted([batch, *outs], key=lambda axis: -axis.c)
        is_outside = all(axis.size == 1 or axis.c > feature.c for axis in places)
        # Windows of one output are rows, though of one column: lines of them are packed once, if
        # the image lies along them.
        has_windows = any(window.taps > 1 for window in form.windows)
        has_windows &= next((axis.a for axis in reversed(places) if axis.size > 1), 1) > 0
        if has_windows if outputs == 1 else feature.c == 1 and is_outside:
            axes = Axes([group], places, [feature], inner)
            return Contraction(moving, resting, axes, self.element, c_offset), False
        near = [axis for axis in places if outputs == 1 or axis.c < feature.c]
        far = [axis for axis in places if axis not in near]
        turned = Axes([group, *far], near, [feature], inner).swapped()
        return Contraction(resting, moving, turned, self.element, c_offset), True

    def depthwise(self, phases: Sequence[_Phase]) -> Depthwise | None:
        """The phase of a convolution whose channels are adjacent and stay apart; else None."""
        form, node = self.form, self.node
        lhs, rhs = node.operands
        x_batch, x_feature, *x_spatial = form.lhs
        w_in, w_out, *w_spatial = form.rhs
        c_batch, c_feature, *c_spatial = form.result
        adjacent = (self.x_group, self.w[w_out], self.c[c_feature]) == (1, 1, 1)
        is_deep = self.groups > 1 and rhs.shape[w_out] == self.groups
        fits = is_deep and adjacent and 1 <= len(phases) <= 2
        if not fits or lhs.element != rhs.element or self.depth == 0:
            return None
        words = {
            **{"images": self.images, "k_images": self.depth, "channels": self.groups},
            **{"x_image": self.x[x_batch], "c_image": self.c[c_batch]},
            **{"x_k_image": self.x[x_feature], "w_image": self.w[w_in]},
            **{"m0": 1, "k0": 1, "m0_step": 1, "k0_step": 1, "y": 0},
        }
        w_offset = c_offset = 0
        sizes = [1, 1]
        for d, (phase, window) in enumerate(zip(phases, form.windows, strict=True)):
            axis = d + 2 - len(phases)
            w, c = self.w[w_spatial[d]], self.c[c_spatial[d]]
            tap, turn = window.first(phase.tap)
            w_offset += tap * w
            c_offset += phase.first * c
            sizes[axis] = window.size
            name = "yx"[axis]
            words |= {f"m{axis}": phase.count, f"k{axis}": phase.taps, name: phase.start}
            words |= {f"m{axis}_step": phase.stride, f"k{axis}_step": phase.dilation}
            words |= {f"x_{name}": self.x[x_spatial[d]], f"c_m{axis}": phase.step * c}
            words[f"w_k{axis}"] = turn * phase.tap_step * w
            if phase.taps == 0 or window.size == 0:
                return None
        w_place = _moved(self.w_place, w_offset, rhs.element.bits)
        return Depthwise(
            self.x_place, w_place, words, (sizes[0], sizes[1]), lhs.element.name, c_offset
        )

    def _coordinates(self, phases: Sequence[_Phase], x_spatial: Sequence[int]) -> list[int]:
        """The coordinate of each spatial dimension, the nearest one last; -1 where none is left."""
        open_ends = []
        for d, (phase, window) in enumerate(zip(phases, self.form.windows, strict=True)):
            last = (phase.count - 1) * phase.stride + (phase.taps - 1) * phase.dilation
            if phase.taps and (phase.start < 0 or phase.start + last >= window.size):
                open_ends.append(d)
        open_ends.sort(key=lambda d: -abs(self.x[x_spatial[d]]))
        places = [-1] * len(phases)
        for place, d in enumerate(reversed(open_ends)):
            places[d] = _COORDINATES - 1 - place
        return places


def _steps(place: int, by: int) -> Steps:
    steps = [by if place == k else 0 for k in range(_COORDINATES)]
    return STILL if place < 0 else (steps[0], steps[1], steps[2])


def _moved(place: Place, elements: int, bits: int) -> Place:
    return Place(place.what, place.number, place.offset + elements * max(1, bits // 8))
