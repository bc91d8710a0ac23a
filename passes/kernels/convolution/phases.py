"""Convolutions of a dilated input, taken apart into ones of the input as it is.

Between the elements of a dilated input lie zeros. Which taps of the kernel meet elements depends
on where a window starts: windows that start alike make a convolution of their own, with some of
the taps, a part of the result, and no multiplication by those zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product
from math import gcd, prod

from shlo_tools import dims
from shlo_tools.dims import Dim, at_most, ceiling_divided, maximum
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Value
from shlo_tools.ops.windows import dilated
from shlo_tools.passes.kernels.convolution.labelled import (
    GROUP,
    OUTPUT_FEATURE,
    Labelled,
    Spatial,
    spatial_label,
    tap_label,
    window_label,
)
from shlo_tools.passes.legalize_to_linalg.data_movement import inserted, padded, reshaped
from shlo_tools.passes.legalize_to_linalg.emit import structured

# More convolutions than this are not made of one, and none of one with fewer multiplications,
# which is over before they would be compiled: the input is filled with zeros instead.
MAX_PHASES = 16
MIN_WORK = 1 << 20

# Given lhs, rhs, spatial dimensions without dilation and a type for it: the result.
Convolve = Callable[[Labelled, Labelled, Sequence[Spatial], TensorType], Value]
# The zero of an element type.
Zero = Callable[[TensorType], Value]


@dataclass(frozen=True)
class Phase:
    """The windows ``first``, ``first + step``, ... and the taps that meet elements in them."""

    first: int
    step: int
    first_tap: int
    tap_step: int
    spatial: Spatial

    def within(self, size: Dim, low: int) -> Phase:
        """The same in an input of ``size``, after ``low`` cells of padding."""
        moved = replace(self.spatial, size=size, low=self.spatial.low - low, base_dilation=1)
        return replace(self, spatial=moved)


def phases_of(dimension: Spatial) -> list[Phase]:
    """A spatial dimension as ones without dilation.

    Window o sees at tap k the element (o * stride + k * dilation - low) / base_dilation, where
    that is a whole number.
    """
    base = dimension.base_dilation
    step = base // gcd(dimension.stride, base)
    tap_step = base // gcd(dimension.dilation, base)
    firsts, taps = _up_to(step, dimension.count), _up_to(tap_step, dimension.window)
    phases = []
    for first, tap in _meeting(dimension, firsts, taps):
        spatial = replace(
            dimension,
            window=ceiling_divided(dimension.window - tap, tap_step),
            stride=step * dimension.stride // base,
            low=-((first * dimension.stride - dimension.low + tap * dimension.dilation) // base),
            base_dilation=1,
            dilation=tap_step * dimension.dilation // base,
            count=ceiling_divided(dimension.count - first, step),
        )
        phases.append(Phase(first, step, tap, tap_step, spatial))
    return phases


def _up_to(step: int, count: Dim) -> range:
    """The numbers below both; a count that is not known is not less."""
    return range(min(step, count) if isinstance(count, int) else step)


def _meeting(dimension: Spatial, firsts: range, taps: range) -> list[tuple[int, int]]:
    """The windows among ``firsts`` and their first taps that meet elements.

    As many of them as decide whether there are too many. Dilations are any number, so that not
    each window is tried with each tap: one follows from the other, and the fewer are tried.
    """
    base, stride, dilation = dimension.base_dilation, dimension.stride, dimension.dilation
    if len(firsts) <= len(taps):
        pairs = (
            (first, _solved(dilation, dimension.low - first * stride, base)) for first in firsts
        )
        known = (pair for pair in pairs if pair[1] in taps)
    else:
        turned = ((_solved(stride, dimension.low - tap * dilation, base), tap) for tap in taps)
        known = (pair for pair in turned if pair[0] in firsts)
    return sorted(islice(known, MAX_PHASES + 1))


def _solved(factor: int, value: int, modulus: int) -> int:
    """The least x of ``factor * x = value`` modulo ``modulus``; -1 where there is none."""
    common = gcd(factor, modulus)
    if value % common:
        return -1
    rest = modulus // common
    return value // common * pow(factor // common, -1, rest) % rest


def by_phases(
    build: Lowering,
    lhs: Labelled,
    rhs: Labelled,
    spatial: Sequence[Spatial],
    labels: Sequence[str],
    type: TensorType,
    zero: Zero,
    convolve: Convolve,
) -> Value:
    """Pad the input, convolve each combination of phases, and put the results in their places.

    Args:
        labels: the result's dimensions; its type is ``type``.
    """
    phases = [phases_of(dimension) for dimension in spatial]
    terms = [n for label, n in rhs.sizes.items() if label not in (GROUP, OUTPUT_FEATURE)]
    work = dims.product((*type.shape, *terms, *(_growth(dimension) for dimension in spatial)))
    small = at_most(MIN_WORK, work) is False
    count = prod(len(rows) for rows in phases)
    if count > MAX_PHASES or (count > 1 and small):
        phases = [[Phase(0, 1, 0, 1, dimension)] for dimension in spatial]
    pieces = list(product(*phases))
    if pieces:
        lhs, moved = _padded(build, lhs, phases, zero)
        pieces = list(product(*moved))
    results = []
    for chosen in pieces:
        geometry = [phase.spatial for phase in chosen]
        counts = {window_label(i): dimension.count for i, dimension in enumerate(geometry)}
        old = dict(zip(labels, type.shape, strict=True))
        part = type.with_shape([counts.get(label, old[label]) for label in labels])
        results.append((part, convolve(lhs, _taps(build, rhs, chosen), geometry, part)))
    if len(results) == 1 and results[0][0] == type:
        return results[0][1]
    covered = sum(dims.product(part.shape) for part, _ in results) == dims.product(type.shape)
    total = structured.empty(build, type)
    if not covered:  # some windows meet no element
        total = structured.filled(build, zero(type), type)
    for chosen, (part, value) in zip(pieces, results, strict=True):
        first = {window_label(i): phase.first for i, phase in enumerate(chosen)}
        steps = {window_label(i): phase.step for i, phase in enumerate(chosen)}
        places = [first.get(label, 0) for label in labels]
        strides = [steps.get(label, 1) for label in labels]
        total = inserted(build, value, total, places, part.shape, strides)
    return total


def _growth(dimension: Spatial) -> int:
    """How many times as large the input is with its zeros; 1 where there are few of them."""
    return dimension.base_dilation if dimension.base_dilation > MAX_PHASES else 1


def _padded(
    build: Lowering, lhs: Labelled, phases: Sequence[Sequence[Phase]], zero: Zero
) -> tuple[Labelled, list[list[Phase]]]:
    """The input with zeros as far as the windows of any phase reach.

    A dimension that is still dilated has one phase and gets the zeros between its elements too.
    """
    sizes, low, interior = lhs.sizes, dict.fromkeys(lhs.labels, 0), dict.fromkeys(lhs.labels, 0)
    moved = []
    for i, rows in enumerate(phases):
        label = spatial_label(i)
        interior[label] = rows[0].spatial.base_dilation - 1
        size = dilated(sizes[label], interior[label] + 1)
        low[label] = max(0, *(phase.spatial.low for phase in rows))
        ends = (phase.spatial.extent - phase.spatial.low for phase in rows)
        sizes[label] = low[label] + reduce(maximum, ends, size)
        moved.append([phase.within(sizes[label], low[label]) for phase in rows])
    type = lhs.type.with_shape(sizes.values())
    if type == lhs.type:
        return lhs, moved
    edges = list(low.values()), list(interior.values())
    value = _placed(build, lhs, zero(lhs.type), type, *edges)
    return Labelled(value, type, lhs.labels), moved


def _placed(
    build: Lowering,
    lhs: Labelled,
    zero: Value,
    type: TensorType,
    low: list[int],
    interior: list[int],
) -> Value:
    """The input among zeros.

    Where run time tells sizes, dimensions without any are one with the last that has some.
    """
    last = max(d for d in range(type.rank) if lhs.type.shape[d] != type.shape[d])
    run = dims.product(type.shape[last + 1 :])
    if type.is_static or interior[last] or not isinstance(run, int):
        return padded(build, lhs.value, lhs.type, zero, type, low, interior)
    flat = [t.with_shape([*t.shape[:last], t.shape[last] * run]) for t in (lhs.type, type)]
    value = reshaped(build, lhs.value, lhs.type, flat[0])
    edges = [*low[:last], low[last] * run], interior[: last + 1]
    value = padded(build, value, flat[0], zero, flat[1], *edges)
    return reshaped(build, value, flat[1], type)


def _taps(build: Lowering, rhs: Labelled, chosen: Sequence[Phase]) -> Labelled:
    """The part of the kernel that meets elements."""
    return rhs.cut(
        build,
        {tap_label(i): phase.spatial.window for i, phase in enumerate(chosen)},
        {tap_label(i): phase.first_tap for i, phase in enumerate(chosen)},
        {tap_label(i): phase.tap_step for i, phase in enumerate(chosen)},
    )
