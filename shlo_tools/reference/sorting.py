"""Sorting."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

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

    All rows, and all runs of a row, are merged at once: an element's place in the merged run is
    its place in its own run plus the number of elements of the other that come before it, which
    bisection finds. A comparator that is no strict weak order (LT on NaN) may put two elements in
    one place; rows where that happens are sorted one by one.
    """
    order = np.broadcast_to(np.arange(size), (count, size)).copy()
    place = np.arange(size)
    run = 1
    while run < size:
        start = place // (2 * run) * (2 * run)
        middle = np.minimum(start + run, size)
        end = np.minimum(start + 2 * run, size)
        is_left = place < middle
        low = np.where(is_left, middle, start)
        high = np.where(is_left, end, middle)
        passed = _bisected(before, order, low, high, is_left)
        target = np.where(is_left, place + passed - middle, place - middle + passed)
        order = _placed(before, order, target)
        run *= 2
    return order


def _bisected(before: Before, order: Array, low: Array, high: Array, is_left: Array) -> Array:
    """For each element the end of those of the other run, low to high, that come before it."""
    low = np.broadcast_to(low, order.shape).copy()
    high = np.broadcast_to(high, order.shape).copy()
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = np.where(open_, (low + high) // 2, 0)
        other = np.take_along_axis(order, middle, axis=1)
        # Ties: of equal elements the one of the left run comes first.
        first = np.where(is_left, other, order)
        second = np.where(is_left, order, other)
        earlier = before(first, second)
        passes = np.where(is_left, earlier, ~earlier)
        low = np.where(open_ & passes, middle + 1, low)
        high = np.where(open_ & ~passes, middle, high)


def _placed(before: Before, order: Array, target: Array) -> Array:
    """Elements at their target places; rows in which those clash are sorted one by one."""
    size = order.shape[1]
    clashing = np.flatnonzero((np.sort(target, axis=1) != np.arange(size)).any(axis=1))
    result = np.empty_like(order)
    clean = target.copy()
    clean[clashing] = np.arange(size)
    np.put_along_axis(result, clean, order, axis=1)
    for row in clashing:
        result[row] = _one_by_one(before, order, int(row))
    return result


def _one_by_one(before: Before, order: Array, row: int) -> Any:
    """A row sorted by a stable sort that ends whatever the comparator says."""
    lhs, rhs = order.copy(), order.copy()

    def compare(a: int, b: int) -> int:
        lhs[row, 0], rhs[row, 0] = a, b
        return -1 if before(lhs[:, :1], rhs[:, :1])[row, 0] else 0

    return sorted(range(size_of(order)), key=functools.cmp_to_key(compare))


def size_of(order: Array) -> int:
    """The length of the rows."""
    return int(order.shape[1])
