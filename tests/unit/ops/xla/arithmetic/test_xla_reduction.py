"""Map and Reduce apply computations as the document says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, refused

import shlo_tools
from shlo_tools.builder import Module
from shlo_tools.ops import Tensor, xla

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 7


def argmax(best: Tensor, place: Tensor, value: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """The document's computation of a variadic reduction, which keeps the first of equal ones."""
    larger = xla.Gt(value, best)
    return xla.Select(larger, value, best), xla.Select(larger, index, place)


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


@pytest.mark.parametrize("is_reverse", [False, True])
def test_scan(is_reverse: bool) -> None:
    """Every step gives the sum so far, and the last one is carried out."""
    x = np.arange(12, dtype=np.int32).reshape(3, 4)

    def step(row: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
        new = xla.Add(row, total)
        return new, new

    def main(a: Tensor) -> Any:
        (sums,), (total,) = xla.Scan(a, np.zeros(4, np.int32), step, 0, is_reverse)
        return sums, total

    expected = np.cumsum(x[::-1] if is_reverse else x, axis=0, dtype=np.int32)
    check(main, (x,), (expected[::-1] if is_reverse else expected, x.sum(0, dtype=np.int32)))
    assert "C3" in refused(lambda a: xla.Scan(a, 0, lambda r, c: (r, xla.Gt(c, 0)), 0), "3xi32")
