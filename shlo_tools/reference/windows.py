"""Ops that slide a window over a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.ops.windows import dilated, window_count
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.data_movement import pad
from shlo_tools.reference.gather_scatter import combined_at
from shlo_tools.reference.reduction import (
    Computation,
    destination_types,
    fold,
    promoted,
    results_of,
)

Edges = Sequence[Sequence[int]]


@evaluates
def reduce_window(
    inputs: Sequence[Array],
    init_values: Sequence[Array],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    base_dilations: Sequence[int] | None = None,
    window_dilations: Sequence[int] | None = None,
    padding: Edges | None = None,
    *,
    body: Computation,
) -> tuple[Array, ...]:
    ones = [1] * inputs[0].ndim
    strides, base = window_strides or ones, base_dilations or ones
    apart = window_dilations or ones
    types = destination_types(body, [value.dtype for value in init_values])
    starts = promoted(init_values, types)
    images = [
        padded(x, value, base, padding)
        for x, value in zip(promoted(inputs, types), starts, strict=True)
    ]
    counts = window_counts(images[0].shape, window_dimensions, strides, apart)
    if 0 in counts:  # however large windows are
        return tuple(np.empty(counts, start.dtype) for start in starts)
    cells = [list(window_cells(x, window_dimensions, strides, apart)) for x in images]
    return fold([np.stack(rows) for rows in cells], starts, body)


def padded(x: Array, value: Array, base: Sequence[int], padding: Edges | None) -> Array:
    """Elements ``base`` apart with edges around them; what takes more than there is leaves none."""
    edges = padding if padding is not None else [(0, 0)] * x.ndim
    low = [edge[0] for edge in edges]
    rows = zip(x.shape, base, edges, strict=True)
    high = [max(edge[1], -edge[0] - max((n - 1) * step + 1, 0)) for n, step, edge in rows]
    return pad(x, value, low, high, [step - 1 for step in base])


def window_cells(
    x: Array, window: Sequence[int], strides: Sequence[int], apart: Sequence[int]
) -> Iterator[Array]:
    """For each place in the window, in lexicographic order, what all windows hold there."""
    counts = window_counts(x.shape, window, strides, apart)
    for offset in np.ndindex(*window):
        rows = zip(offset, apart, strides, counts, strict=True)
        yield x[tuple(_steps(at * step, stride, count) for at, step, stride, count in rows)]


def _steps(start: int, stride: int, count: int) -> slice:
    """``count`` indices from ``start`` on, ``stride`` apart."""
    return slice(start, start + (count - 1) * stride + 1 if count else start, stride)


def window_counts(
    shape: Sequence[int], window: Sequence[int], strides: Sequence[int], apart: Sequence[int]
) -> list[int]:
    """How many windows there are along each dimension."""
    counts = []
    for size, extent, stride, step in zip(shape, window, strides, apart, strict=True):
        count = window_count(size, dilated(extent, step), stride)
        counts.append(count if isinstance(count, int) else 0)
    return counts


@evaluates
def select_and_scatter(
    operand: Array,
    source: Array,
    init_value: Array,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Edges | None = None,
    *,
    select: Computation,
    scatter: Computation,
) -> Array:
    ones = [1] * operand.ndim
    strides = window_strides or ones
    numbers = np.arange(operand.size).reshape(operand.shape)
    values = padded(operand, init_value, ones, padding)
    places = padded(numbers, np.asarray(-1), ones, padding)  # -1: a cell of the padding
    best = place = None
    cells = zip(
        window_cells(values, window_dimensions, strides, ones),
        window_cells(places, window_dimensions, strides, ones),
        strict=True,
    )
    for value, number in cells:
        if best is None or place is None:
            best, place = value.copy(), number.copy()
            continue
        keeps = np.asarray(results_of(select(best, value))[0], np.bool_)
        moves = (number >= 0) & ((place < 0) | ~keeps)
        best, place = np.where(moves, value, best), np.where(moves, number, place)
    types = destination_types(scatter, [operand.dtype])
    result = np.full(operand.shape, promoted([init_value], types)[0])
    if place is None:
        return result
    targets = place.reshape(-1)
    chosen = targets >= 0
    updates = promoted([source.reshape(-1)[chosen]], types)
    return combined_at([result], targets[chosen], updates, scatter)[0]
