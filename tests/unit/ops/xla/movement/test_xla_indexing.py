"""Reading and writing at computed positions, with the document's examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, refused

from shlo_tools.ops import Tensor, xla

M = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize(
    ("starts", "rows", "columns"),
    [
        ((2, 1), slice(2, 4), slice(1, 3)),
        ((3, 2), slice(2, 4), slice(1, 3)),  # moved inside
        ((-5, 0), slice(0, 2), slice(0, 2)),
    ],
)
def test_dynamic_slice(starts: tuple[int, int], rows: slice, columns: slice) -> None:
    expected, indices = M[rows, columns], np.array(starts, np.int32)
    check(lambda x, s: xla.DynamicSlice(x, s, (2, 2)), (M, indices), expected)
    check(lambda x, s: xla.DynamicSlice(x, [s, starts[1]], (2, 2)), (M, indices[0]), expected)
    check(lambda x: xla.DynamicSlice(x, starts, (2, 2)), (M,), expected)


def test_dynamic_update_slice_of_the_document() -> None:
    a = np.arange(5, dtype=np.float32)
    expected = np.array([0, 1, 5, 6, 4], np.float32)
    check(lambda x: xla.DynamicUpdateSlice(x, [5, 6], [2]), (a,), expected)
    update = np.arange(12, 18, dtype=np.float32).reshape(3, 2)
    result = M.copy()
    result[1:, 1:] = update
    starts = np.array([1, 1], np.int64)
    check(xla.DynamicUpdateSlice, (M, update, starts), result)


def test_starts_that_do_not_fit() -> None:
    assert "C2" in refused(lambda x: xla.DynamicSlice(x, [1], (2, 2)), "4x3xf32")
    assert "C4" in refused(lambda x: xla.DynamicSlice(x, [1, 1], (5, 2)), "4x3xf32")
    assert "a vector or scalars are wanted" in refused(
        lambda x, s: xla.DynamicSlice(x, s, (2, 2)), "4x3xf32", "2x2xi32"
    )


def test_gather() -> None:
    rows = np.array([2, 0, 3, 9], np.int32)
    expected = M[np.minimum(rows, 3)]  # moved inside

    def main(x: Tensor, i: Tensor) -> Tensor:
        return xla.Gather(x, i, (1,), (0,), (1, 3), (0,), 1, unique_indices=True)

    check(main, (M, rows), expected)
    check(lambda x: xla.Gather(x, [[2], [0]], (1,), (0,), (1, 3), (0,), 1), (M,), M[[2, 0]])
    assert "C1" in refused(main, "4x3x2xf32", "4xi32")


def test_gather_of_a_batch() -> None:
    batch = np.stack([M, M + 100])
    indices = np.array([[1, 3], [0, 2]], np.int32)

    def main(x: Tensor, i: Tensor) -> Tensor:
        return xla.Gather(
            x,
            i,
            offset_dims=(2,),
            collapsed_slice_dims=(1,),
            slice_sizes=(1, 1, 3),
            start_index_map=(1,),
            index_vector_dim=2,
            operand_batching_dims=(0,),
            start_indices_batching_dims=(0,),
        )

    check(main, (batch, indices), np.stack([batch[0][indices[0]], batch[1][indices[1]]]))


def _into_rows(x: Any, i: Any, u: Any, computation: Any = xla.Add) -> Any:
    return xla.Scatter(
        x,
        i,
        u,
        computation,
        index_vector_dim=1,
        update_window_dims=(1,),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
    )


def test_scatter() -> None:
    rows, updates = np.array([2, 0, 2, 9], np.int32), np.ones((4, 3), np.float32)
    expected = M.copy()
    np.add.at(expected, rows[:3], updates[:3])  # the last one is skipped
    check(_into_rows, (M, rows, updates), expected)


def test_scatter_into_several_arrays() -> None:
    rows, updates = np.array([3, 1], np.int32), np.full((2, 3), 50, np.float32)
    added, largest = M.copy(), M.copy()
    added[rows] += updates
    largest[rows] = np.maximum(largest[rows], updates)
    check(
        lambda x, i, u: _into_rows((x, x), i, (u, u), lambda a, b, c, d: (a + c, xla.Max(b, d))),
        (M, rows, updates),
        (added, largest),
    )
    assert "C4" in refused(_into_rows, "4x3xf32", "2xi32", "3x3xf32")
