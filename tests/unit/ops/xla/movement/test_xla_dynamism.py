"""Sizes that are set and asked at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
from xla_runs import check, module_of, ran, refused

from shlo_tools.ops import Tensor, xla

M = np.arange(12, dtype=np.float32).reshape(4, 3)
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
