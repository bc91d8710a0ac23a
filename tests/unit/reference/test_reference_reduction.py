"""Reductions and windows of the reference, against their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reference_arrays import INF, NAN, Array, array, run, same

from shlo_tools.ops.elementwise import ComparisonDirection
from shlo_tools.reference import data_movement, elementwise, reduction, windows

REDUCE = """
  %r = "stablehlo.reduce"(%x, %init) ({{
  ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):
    {body}
    stablehlo.return %s : tensor<{e}>
  }}) {{dimensions = array<i64: 2, 0>}} : (tensor<3x4x5x{e}>, tensor<{e}>) -> tensor<4x{e}>
  return %r : tensor<4x{e}>"""


def reduced(element: str, body: str, x: Array, init: Any) -> Array:
    signature = f"(%x: tensor<3x4x5x{element}>, %init: tensor<{element}>) -> tensor<4x{element}>"
    result: Array = run(REDUCE.format(e=element, body=body), x, init, signature=signature)
    return result


def test_reductions_by_the_usual_operations() -> None:
    x = np.random.default_rng(0).integers(-9, 9, (3, 4, 5)).astype(np.int32)
    for name, function in (("add", np.add), ("maximum", np.maximum), ("multiply", np.multiply)):
        result = reduced("i32", f"%s = stablehlo.{name} %a, %b : tensor<i32>", x, 2)
        expected = function(function.reduce(x.astype(np.int64), axis=(0, 2)), 2)
        same(result, expected.astype(np.int32))


def test_any_body_meets_elements_in_order() -> None:
    """The second argument wins: what is left is the last element."""
    body = "%z = stablehlo.subtract %a, %a : tensor<i32>\n%s = stablehlo.add %z, %b : tensor<i32>"
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    same(reduced("i32", body, x, 7), x[2, :, 4])


def test_reduce_sums_exactly_enough() -> None:
    x = np.random.default_rng(1).standard_normal((3, 4, 5)).astype(np.float32) * 1e6
    x[0, :, 0] -= x.sum(axis=(0, 2), dtype=np.float64).astype(np.float32)  # it cancels
    result = reduced("f32", "%s = stablehlo.add %a, %b : tensor<f32>", x, np.float32(0))
    exact = [math.fsum(x[:, j].reshape(-1).tolist()) for j in range(4)]
    same(result, np.array(exact, np.float32))


def test_reduce_of_nothing_and_without_dimensions() -> None:
    add = elementwise.add
    (empty,) = reduction.reduce([np.zeros((0, 3), np.float32)], [np.float32(5)], [0], add)
    same(empty, np.full(3, 5, np.float32))
    (kept,) = reduction.reduce([np.array([1, 2])], [np.asarray(7)], [], add)
    same(kept, np.array([8, 9]))


def test_reduce_extrema_keep_nan_and_zero() -> None:
    body = "%s = stablehlo.maximum %a, %b : tensor<f32>"
    x = np.full((3, 4, 5), -0.0, np.float32)
    x[1, 1, 3], x[2, 2, 2] = 0.0, NAN
    same(reduced("f32", body, x, -INF), array("f32", -0.0, 0.0, NAN, -0.0))


def test_promotion() -> None:
    """The body may accumulate in a wider type than that of the inputs."""
    body = """
      %r = "stablehlo.reduce"(%x, %init) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
      return %r : tensor<i32>"""
    signature = "(%x: tensor<3xi8>, %init: tensor<i8>) -> tensor<i32>"
    same(run(body, [100, 100, 100], 0, signature=signature), np.asarray(300, np.int32))


@pytest.mark.parametrize("seed", range(6))
def test_reduce_window_against_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 9, (5, 6))
    window, strides = rng.integers(1, 4, 2).tolist(), rng.integers(1, 3, 2).tolist()
    base, apart = rng.integers(1, 3, 2).tolist(), rng.integers(1, 3, 2).tolist()
    padding = rng.integers(-1, 3, (2, 2)).tolist()
    (result,) = windows.reduce_window(
        [x], [np.asarray(1)], window, strides, base, apart, padding, body=elementwise.add
    )
    low, high = zip(*padding, strict=True)
    spread = data_movement.pad(x, np.asarray(1), low, high, [step - 1 for step in base])
    expected = np.zeros(result.shape, np.int64)
    for index in np.ndindex(*result.shape):
        cells = [
            spread[
                tuple(
                    i * s + o * a for i, s, o, a in zip(index, strides, offset, apart, strict=True)
                )
            ]
            for offset in np.ndindex(*window)
        ]
        expected[index] = 1 + sum(int(cell) for cell in cells)
    same(result, expected)
    sizes = [
        max(0, (n - (w - 1) * a - 1) // s + 1) if n > 0 else 0
        for n, w, a, s in zip(spread.shape, window, apart, strides, strict=True)
    ]
    assert list(result.shape) == sizes


def test_select_and_scatter_ignores_padding() -> None:
    operand, source = array("f32", -5, -1, -7, -2), array("f32", 10, 20, 30)
    result = windows.select_and_scatter(
        operand,
        source,
        np.float32(0),
        [2],
        [2],
        [(1, 1)],
        select=lambda a, b: elementwise.compare(a, b, ComparisonDirection.GE),
        scatter=elementwise.add,
    )
    # windows: (pad, -5), (-1, -7), (-2, pad)
    same(result, array("f32", 10, 20, 0, 30))
