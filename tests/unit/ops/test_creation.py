"""``full``, ``zeros``, ``ones``, ``arange`` and ``where`` are numpy's, built of few ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError


def built(function: Callable[..., Any], *types: str) -> Module:
    module = Module()
    module.func(*types, name="main")(function)
    return module


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda: ops.zeros((2, 3), "f32"), np.zeros((2, 3), np.float32)),
        (lambda: ops.ones([4], np.int8), np.ones(4, np.int8)),
        (lambda: ops.full((), 2, "bf16"), np.full((), 2, ml_dtypes.bfloat16)),
        (lambda: ops.full((0, 2), 1.5, "float64"), np.full((0, 2), 1.5)),
        (lambda: ops.full((2,), 1 + 2j, np.complex64), np.full((2,), 1 + 2j, np.complex64)),
        (lambda: ops.arange(5, dtype="i32"), np.arange(5, dtype=np.int32)),
        (lambda: ops.arange(2, 11, 3, dtype="i64"), np.arange(2, 11, 3)),
        (lambda: ops.arange(5, 0, -2, dtype="i8"), np.arange(5, 0, -2, dtype=np.int8)),
        (lambda: ops.arange(1.0, 2.0, 0.25, dtype="f32"), np.arange(1, 2, 0.25, np.float32)),
        (lambda: ops.arange(3, 3, dtype="f32"), np.arange(3, 3, dtype=np.float32)),
    ],
)
def test_new_tensors_are_numpys(function: Callable[..., Any], expected: Any) -> None:
    result = shlo_tools.run(built(function))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_a_number_everywhere_is_a_scalar_constant() -> None:
    text = str(built(lambda: ops.full((1000, 1000), 7.0, "f32")))
    assert "constant dense<7.000000e+00> : tensor<f32>" in text
    assert "broadcast_in_dim" in text


X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("choose", "expected"),
    [
        (lambda p, x: ops.where(p, x, 0.0), lambda p, x: np.where(p, x, np.float32(0))),
        (lambda p, x: ops.where(p, 1, x), lambda p, x: np.where(p, np.float32(1), x)),
        (lambda p, x: ops.where(x > 2, x, -x), lambda p, x: np.where(x > 2, x, -x)),
        (
            lambda p, x: ops.where(p, x, np.array([7, 8, 9], np.float32)),
            lambda p, x: np.where(p, x, np.array([7, 8, 9], np.float32)),
        ),
        (
            lambda p, x: ops.where(p[:1], np.float32(1), np.float32(2)),
            lambda p, x: np.where(p[:1], np.float32(1), np.float32(2)),
        ),
        (lambda p, x: ops.where(True, x, 1.0), lambda p, x: x),
    ],
)
def test_where_broadcasts_as_numpys(choose: Any, expected: Any) -> None:
    mask = np.array([[True, False, True], [False, False, True]])
    result = shlo_tools.run(built(choose, "2x3xi1", "2x3xf32"), mask, X)
    want = expected(mask, X)
    assert result.shape == want.shape
    np.testing.assert_array_equal(result, want)


def test_where_of_unknown_sizes() -> None:
    module = built(lambda x: ops.where(x < 3, x, 3), "?x3xf32")
    np.testing.assert_array_equal(shlo_tools.run(module, X), np.minimum(X, 3))


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda: ops.full((2,), 1.5, "i32"), "is a float"),
        (lambda: ops.zeros((2,), "f33"), "no element type"),
        (lambda: ops.zeros(3, "f32"), "no shape"),
        (lambda: ops.zeros((-1,), "f32"), "negative"),
        (lambda: ops.full((2,), "a", "f32"), "no number"),
        (lambda: ops.arange(0, 5, 0, dtype="i32"), "step of 0"),
        (lambda: ops.arange(float("inf"), dtype="f32"), "finite"),
        (lambda: ops.where(np.array([True]), 1, 2), "no element type"),
        (lambda: ops.where(np.ones(2, bool), np.zeros(2), np.zeros(3)), "do not broadcast"),
    ],
)
def test_mistakes_are_explained(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(ShloError, match=reason):
        built(function)


def test_dtypes_of_tensors_are_numpys() -> None:
    arrays = []
    types = ("2xbf16", "3xui8", "2x!quant.uniform<i8:f32, 0.5>")
    module = Module()
    module.func(*types, name="main")(lambda *tensors: arrays.extend(t.dtype for t in tensors))
    assert arrays == [np.dtype(ml_dtypes.bfloat16), np.dtype(np.uint8), np.dtype(np.int8)]
