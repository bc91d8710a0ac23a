"""Sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.reduction import Computation, results_of

Before = Callable[[Array, Array], Array]


@evaluates
def sort(
    inputs: Sequence[Array],
    dimension: int = -1,
    is_stable: bool = False,
    *,
    comparator: Computation,
) -> tuple[Array, ...]:
    if inputs[0].ndim == 0 or inputs[0].size == 0:
        return tuple(inputs)
    rows = [_rows(x, dimension) for x in inputs]

    def before(lhs: Array, rhs: Array) -> Array:
        """Whether elements at positions ``lhs`` of each row come before those at ``rhs``."""
        pairs = []
        for row in rows:
            pairs.append(np.take_along_axis(row, lhs, axis=1))
            pairs.append(np.take_along_axis(row, rhs, axis=1))
        return np.asarray(results_of(comparator(*pairs))[0], np.bool_)

    order = merged(before, *rows[0].shape)
    return tuple(
        _from_rows(np.take_along_axis(row, order, axis=1), x.shape, dimension)
        for row, x in zip(rows, inputs, strict=True)
    )


def _rows(x: Array, dimension: int) -> Array:
    moved = np.moveaxis(x, dimension, -1)
    return np.ascontiguousarray(moved).reshape(-1, x.shape[dimension])


def _from_rows(rows: Array, shape: Sequence[int], dimension: int) -> Array:
    moved = [size for d, size in enumerate(shape) if d != dimension % len(shape)]
    result = np.moveaxis(rows.reshape(*moved, shape[dimension]), -1, dimension)
    return np.ascontiguousarray(result)


def merged(before: Before, count: int, size: int) -> Array:
    """The stable order of ``count`` rows of ``size`` elements, by merging runs.

    All rows, and all runs of a row, are merged at once. Bisection finds how many elements of the
    left run come before each element of the right one; kept from decreasing, these numbers make a
    permutation even where the comparator is no strict weak order (LT on NaN).
    """
    order = np.broadcast_to(np.arange(size), (count, size)).copy()
    place = np.arange(size)
    run = 1
    while run < size:
        start = place // (2 * run) * (2 * run)
        middle = np.minimum(start + run, size)
        right = place >= middle
        passed = _bisected(before, order, start[right], middle[right], right)
        ends = np.maximum.accumulate(passed, axis=1)  # later runs begin beyond earlier ones
        targets = ends + (place - middle)[right]
        free = np.ones((count, size), np.bool_)
        np.put_along_axis(free, targets, False, axis=1)
        result = np.empty_like(order)
        np.put_along_axis(result, targets, order[:, right], axis=1)
        result[free] = order[:, ~right].reshape(-1)
        order = result
        run *= 2
    return order


def _bisected(before: Before, order: Array, low: Array, high: Array, right: Array) -> Array:
    """For each element of right runs the end of those, from low to high, that stay before it.

    Of equal elements that of the left run comes first.
    """
    own = order[:, right]
    low = np.broadcast_to(low, own.shape).copy()
    high = np.broadcast_to(high, own.shape).copy()
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = np.where(open_, (low + high) // 2, 0)
        other = np.take_along_axis(order, middle, axis=1)
        stays = ~before(own, other)
        low = np.where(open_ & stays, middle + 1, low)
        high = np.where(open_ & ~stays, middle, high)
