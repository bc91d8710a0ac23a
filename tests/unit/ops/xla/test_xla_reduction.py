"""Map and Reduce apply computations as the document says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, module_of, ran, refused

import shlo_tools
from shlo_tools.builder import Module
from shlo_tools.ops import Tensor, xla

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 7


def argmax(best: Tensor, place: Tensor, value: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """The document's computation of a variadic reduction, which keeps the first of equal ones."""
    larger = xla.Gt(value, best)
    return xla.Select(larger, value, best), xla.Select(larger, index, place)  # type: ignore[return-value]


@pytest.mark.parametrize("dimensions", [(0,), (1,), (2, 0), (0, 1, 2), ()])
def test_reduce(dimensions: tuple[int, ...]) -> None:
    expected = X.sum(axis=dimensions, dtype=np.int32)
    check(lambda x: xla.Reduce(x, 0, xla.Add, dimensions), (X,), np.asarray(expected))


def test_reduce_all() -> None:
    check(lambda x: xla.ReduceAll(x, -1, xla.Max), (X,), X.max())
    check(
        lambda x: xla.ReduceAll((x, x), (0, 9), lambda a, b, c, d: (a + c, xla.Min(b, d))),
        (X,),
        (X.sum(dtype=np.int32), X.min()),
    )


def test_variadic_reduce_of_the_document() -> None:
    values = np.array([3.0, 9.5, -1.0, 9.0])
    check(
        lambda v: xla.Reduce((v, xla.Iota("s32[4]")), (-np.inf, -1), argmax, (0,)),
        (values,),
        (values.max(), np.int32(values.argmax())),
    )


def test_a_tuple_that_a_computation_returns_is_several_results() -> None:
    def both(a: Tensor, b: Tensor, x: Tensor, y: Tensor) -> Any:
        return xla.Tuple(xla.Add(a, x), xla.Max(b, y))

    check(
        lambda x: xla.Reduce(xla.Tuple(x, x), (0, 0), both, (1,)),
        (X,),
        (X.sum(axis=1, dtype=np.int32), X.max(axis=1)),
    )


def test_a_function_of_the_module_is_a_computation() -> None:
    module = Module()

    @module.func("i32", "i32")
    def _larger(a: Tensor, b: Tensor) -> Tensor:
        return xla.Max(a, b)

    @module.func("2x3x4xi32")
    def main(x: Tensor) -> Any:
        return xla.Reduce(x, 0, _larger, (0, 2))

    np.testing.assert_array_equal(shlo_tools.compile(module)(X), X.max(axis=(0, 2)))


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: xla.Reduce(x, 0, xla.Add, (3,)), "C4"),
        (lambda x: xla.Reduce(x, 0, xla.Add, (0, 0)), "C5"),
        (lambda x: xla.Reduce((x, x), (0,), argmax, (0,)), "2 operands and 1 init values"),
        (lambda x: xla.Reduce((), (), xla.Add, (0,)), "there are no operands"),
        (lambda x: xla.Reduce(x, 0.5, xla.Add, (0,)), "is no i32"),
        (lambda x: xla.Reduce(x, 0, lambda a: a, (0,)), "is given 2 arguments"),
        (lambda x: xla.Reduce(x, 0, lambda a, b: (a, b), (0,)), "C6"),
    ],
)
def test_reductions_that_are_none(function: Any, reason: str) -> None:
    assert reason in refused(function, "2x3xi32")


def test_map() -> None:
    check(lambda x: xla.Map([x, x], lambda a, b: xla.Add(xla.Mul(a, b), 1)), (X,), X * X + 1)
    check(lambda x: xla.Map([x], lambda a: xla.Gt(a, 3), (0, 1, 2)), (X,), X > 3)


def test_map_with_static_operands() -> None:
    """``Map(op1, op2, op3, computation, par1)`` of the document."""

    def scaled(a: Tensor, b: Tensor, c: Tensor, factor: Tensor) -> Tensor:
        return xla.Add(xla.Mul(a, factor), xla.Sub(b, c))

    check(
        lambda x, y, p: xla.Map([x, y, y], scaled, static_operands=[p]),
        (X, X[::-1], np.int32(5)),
        X * 5,
    )


def test_maps_that_are_none() -> None:
    assert "C3" in refused(lambda x: xla.Map([x], xla.Neg, (1, 0)), "2x3xf32")
    assert "C1" in refused(lambda x, y: xla.Map([x, y], xla.Add), "2x3xf32", "3xf32")
    assert "there are no operands" in refused(lambda: xla.Map([], xla.Neg))


# --- positions that are computed ------------------------------------------------------------------
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
    assert "C20" in refused(main, "4x3x2xf32", "4xi32") or "C1" in refused(
        main, "4x3x2xf32", "4xi32"
    )


def test_gather_of_a_batch() -> None:
    batch = np.stack([M, M + 100])
    indices = np.array([[1, 3], [0, 2]], np.int32)

    def main(x: Tensor, i: Tensor) -> Tensor:
        dims = {"operand_batching_dims": (0,), "start_indices_batching_dims": (0,)}
        return xla.Gather(x, i, (2,), (1,), (1, 1, 3), (1,), 2, **dims)

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


# --- sizes that are computed ----------------------------------------------------------------------
TEN = np.arange(1, 11, dtype=np.float32)


def test_set_dimension_size_of_the_document() -> None:
    """What lies beyond the size enters no reduction."""

    def main(v: Tensor, size: Tensor) -> Any:
        part = xla.SetDimensionSize(v, size, 0)
        return xla.Reduce(part, 0, xla.Add, (0,)), xla.GetDimensionSize(part, 0)

    check(main, (TEN, np.int32(5)), (np.float32(15), np.int32(5)))
    check(main, (TEN, np.int32(6)), (np.float32(21), np.int32(6)))


def test_get_dimension_size() -> None:
    check(lambda x: xla.GetDimensionSize(x, 1), (M,), np.int32(3))
    assert "C1" in refused(lambda x: xla.GetDimensionSize(x, 2), "4x3xf32")


def test_the_bound_of_a_size_that_was_set() -> None:
    text = str(module_of(lambda x, n: xla.SetDimensionSize(x, n, 0), "10x3xf32", "i32"))
    assert "-> tensor<?x3xf32, #stablehlo.bounds<10, ?>>" in text


def test_sizes_that_cannot_be_set() -> None:
    assert "no dimension 1" in refused(lambda x: xla.SetDimensionSize(x, 2, 1), "10xf32")
    assert "has no bound" in refused(lambda x: xla.SetDimensionSize(x, 2, 0), "?xf32")
    assert "I2" in refused(lambda x, n: xla.SetDimensionSize(x, n, 0), "10xf32", "i64")
    assert "is no i32" in refused(lambda x: xla.SetDimensionSize(x, 2.5, 0), "10xf32")


def test_dynamic_reshape() -> None:
    got = ran(lambda x, n: xla.DynamicReshape(x, [n, 2], [12, 2], [True, False]), M, np.int32(6))
    np.testing.assert_array_equal(got, M.reshape(6, 2))
    assert "differ in number" in refused(
        lambda x: xla.DynamicReshape(x, [2], [2, 6], [False]), "12xf32"
    )
