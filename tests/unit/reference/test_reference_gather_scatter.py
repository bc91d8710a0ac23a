"""Gathering, scattering and sorting in the reference."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from reference_arrays import NAN, Array, same

from shlo_tools.ops.elementwise import ComparisonDirection
from shlo_tools.reference import elementwise, gather_scatter, sorting


def test_starts_are_clamped() -> None:
    x = np.arange(5)
    for start, first in ((-3, 0), (4, 3), (2, 2)):
        result = gather_scatter.dynamic_slice(x, [np.asarray(start)], [2])
        assert result.tolist() == [first, first + 1]
    assert gather_scatter.dynamic_slice(x, [np.uint8(255)], [2]).tolist() == [3, 4]
    updated = gather_scatter.dynamic_update_slice(x, np.array([9]), [np.asarray(7)])
    assert updated.tolist() == [0, 1, 2, 3, 9]


def test_gather_with_batching_dimensions() -> None:
    operand = np.arange(24).reshape(2, 3, 4)
    indices = np.array([[[1], [99]], [[-5], [2]]])  # [batch, n, 1]
    result = gather_scatter.gather(
        operand, indices, [2], [1], [0], [0], [1], 2, slice_sizes=[1, 1, 4]
    )
    same(result, np.stack([operand[0][[1, 2]], operand[1][[0, 2]]]))


def test_gather_clamps_unsigned_indices() -> None:
    result = gather_scatter.gather(
        np.arange(4), np.array([2**64 - 1], np.uint64), [], [0], (), (), [0], 1, slice_sizes=[1]
    )
    assert result.tolist() == [3]


def scatter(operand: Array, indices: Any, updates: Any, body: Any = elementwise.add) -> list[Any]:
    (result,) = gather_scatter.scatter(
        [operand], np.array(indices)[:, None], [np.array(updates)], [1], [], (), (), [0], 1,
        update_computation=body,
    )  # fmt: skip
    results: list[Any] = result.tolist()
    return results


def test_scatter_skips_single_elements() -> None:
    """A window that sticks out writes what lies inside."""
    assert scatter(np.zeros(4, int), [3], [[5, 6]]) == [0, 0, 0, 5]
    assert scatter(np.zeros(4, int), [-1], [[5, 6]]) == [6, 0, 0, 0]


def test_scatter_applies_duplicates_in_turn() -> None:
    result = scatter(np.zeros(3, int), [1, 1, 0, 1], [[1], [2], [3], [4]], lambda old, new: new)
    assert result == [3, 4, 0]
    sums = scatter(np.zeros(3, int), [1] * 1000, [[1]] * 1000)
    assert sums == [0, 1000, 0]


def test_sort_is_stable_and_carries_along() -> None:
    keys = np.random.default_rng(0).integers(0, 5, (3, 50)).astype(np.float32)
    places = np.tile(np.arange(50, dtype=np.int32), (3, 1))
    compare = functools.partial(elementwise.compare, comparison_direction=ComparisonDirection.LT)
    by_key, order = sorting.sort([keys, places], 1, comparator=lambda a, b, *_: compare(a, b))
    same(order, np.argsort(keys, axis=1, kind="stable").astype(np.int32))
    same(by_key, np.sort(keys, axis=1))


def test_sort_along_the_first_dimension_descending() -> None:
    x = np.random.default_rng(1).integers(0, 100, (17, 4))
    (result,) = sorting.sort(
        [x], -2, comparator=lambda a, b: elementwise.compare(a, b, ComparisonDirection.GT)
    )
    same(result, -np.sort(-x, axis=0))


def test_sort_with_nan_ends_and_loses_nothing() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 33)).astype(np.float32)
    x[rng.random(x.shape) < 0.3] = NAN
    (result,) = sorting.sort(
        [x], 1, comparator=lambda a, b: elementwise.compare(a, b, ComparisonDirection.LT)
    )
    np.testing.assert_array_equal(np.sort(result, axis=1), np.sort(x, axis=1))


def test_sort_with_a_senseless_comparator() -> None:
    for answer in (True, False):
        (result,) = sorting.sort(
            [np.arange(20)], 0, comparator=lambda a, b, answer=answer: np.full(a.shape, answer)
        )
        assert sorted(result.tolist()) == list(range(20))
