"""Kernels whose input features lie farther apart than all else, and are packed along these.

So they do where output features come first, as in gradients and transposed convolutions of images
that lie channel by channel. Packing would read one element of each line of memory, phase by phase.
Such kernels are transposed once: input features become neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shlo_tools.codegen.jobs import Place
from shlo_tools.codegen.library.transposition import WIDTHS
from shlo_tools.codegen.stages.contractions.axes import Axes, Axis, Contraction
from shlo_tools.codegen.stages.nodes import Node, are_known
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.transposition import Transposition

_LEAST = 1 << 14  # elements of a kernel that are worth a job
_FEATURES = 8  # of a run


def transposition_of(contraction: Contraction, arguments: Sequence[Node]) -> Transposition | None:
    """How a kernel, which is A and rests, is transposed; None for one that is not.

    What a job of its own makes of a kernel stays as that is.
    """
    place, axes = contraction.a.place, contraction.axes
    if place.what != "argument":
        return None
    kernel = arguments[place.number]
    bits = place_type(kernel.element).bits
    if bits not in WIDTHS or not are_known(kernel.count) or kernel.count < _LEAST:
        return None
    far = _far(contraction)
    others = [axis for axis in _all(axes) if axis is not far and axis.size > 1]
    reach = max((abs(axis.a) for axis in others), default=0)
    is_whole = far.size * far.a == kernel.count
    if far.size < _FEATURES or reach <= 1 or reach >= far.a or not is_whole:
        return None
    return Transposition(kernel, 0, bits, (far.size, far.a), 0, (far.a, far.size), ())


def transposed(contraction: Contraction, place: Place) -> Contraction:
    """The contraction whose A is the transposed one, at a place."""
    far, axes = _far(contraction), contraction.axes

    def moved(part: list[Axis]) -> list[Axis]:
        return [replace(axis, a=1 if axis is far else axis.a * far.size) for axis in part]

    parts = Axes(*map(moved, (axes.batch, axes.rows, axes.columns, axes.inner)))
    offset = contraction.a.place.offset * far.size
    a = replace(contraction.a, place=replace(place, offset=offset))
    return replace(contraction, a=a, axes=parts)


def _far(contraction: Contraction) -> Axis:
    """The axis of sums whose steps in A are the longest."""
    return max(contraction.axes.inner, key=lambda axis: axis.a)


def _all(axes: Axes) -> list[Axis]:
    return [*axes.batch, *axes.rows, *axes.columns, *axes.inner]
