"""Sorting and the largest elements, against numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, refused

from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import Tensor, xla

RNG = np.random.default_rng(1)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 5))
V = RNG.normal(size=4)


def test_sort() -> None:
    check(lambda x: xla.Sort(x, xla.Lt), (A,), np.sort(A, axis=-1))
    check(lambda x: xla.Sort(x, xla.Gt, 0), (A,), -np.sort(-A, axis=0))
    assert "no dimension 2" in refused(lambda x: xla.Sort(x, xla.Lt, 2), "2x2xf32")
    assert "no dimension" in refused(lambda x: xla.Sort(x, xla.Lt), "f32")


def test_sort_of_several_arrays_of_the_document() -> None:
    def smaller(a0: Tensor, b0: Tensor, *others: Tensor) -> Tensor:
        return xla.Lt(a0, b0)

    arrays = [3, 1], [42, 50], [-3.0, 1.1]
    check(
        lambda x, y, z: xla.Sort((x, y, z), smaller),
        arrays,
        (np.array([1, 3]), np.array([50, 42]), np.array([1.1, -3.0])),
    )


def test_a_stable_sort() -> None:
    keys, places = np.array([1, 0, 1, 0, 1], np.int32), np.arange(5, dtype=np.int32)
    order = np.argsort(keys, kind="stable")
    check(
        lambda k, p: xla.Sort((k, p), lambda a, b, i, j: xla.Lt(a, b), 0, True),
        (keys, places),
        (keys[order], places[order]),
    )


@pytest.mark.parametrize("largest", [True, False])
def test_top_k(largest: bool) -> None:
    x = np.array([[1.0, 5, 5, -2], [0, -1, 3, 7]])
    order = np.argsort(-x if largest else x, axis=-1, kind="stable")[:, :3]
    expected = np.take_along_axis(x, order, -1), order.astype(np.int32)
    check(lambda a: xla.TopK(a, 3, largest), (x,), expected)
    assert refused(lambda a: xla.TopK(a, 5, largest), "2x4xf32")
    assert refused(lambda a: xla.TopK(a, 1, largest), "f32")


def test_approx_top_k() -> None:
    """The exact answer is one of the approximate ones."""
    places = np.broadcast_to(np.arange(4, dtype=np.int32)[:, None], (4, 5)).copy()
    order = np.argsort(-B, axis=0, kind="stable")[:2]

    def main(x: Tensor, p: Tensor) -> Any:
        def larger(a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return xla.Gt(a, b)

        return xla.ApproxTopK([x, p], [-np.inf, 0], 2, -2, larger)

    check(main, (B, places), (np.take_along_axis(B, order, 0), order.astype(np.int32)))


def test_approx_top_k_that_is_none() -> None:
    def top(*arguments: Any, **attributes: Any) -> Any:
        return lambda x: xla.ApproxTopK([x], *arguments, xla.Gt, **attributes)

    assert "1 operands, 0 init values" in refused(top([], 1, 0), "4xf32")
    assert "recall_target 0" in refused(top([0], 1, 0, recall_target=0), "4xf32")
    assert "no dimension 1" in refused(top([0], 1, 1), "4xf32")
    assert "5 elements of dimension 0" in refused(top([0], 5, 0), "4xf32")
    assert "StableHLO has no form" in refused(
        top([0], 1, 0, aggregate_to_topk=False), "4xf32", error=UnsupportedError
    )
