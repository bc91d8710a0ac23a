"""Lanes that read a few neighbours, or a short dimension again and again, next to short rows."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import compile

PARTS = """
func.func @main(%a: tensor<{a}xf32>, %b: tensor<{b}xf32>, %c: tensor<{c}xf32>)
    -> tensor<{a}x{b}x{c}x3xf32> {{
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<{a}xf32>) -> tensor<{a}x{b}x{c}x1xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{b}xf32>) -> tensor<{a}x{b}x{c}x1xf32>
  %2 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<{c}xf32>) -> tensor<{a}x{b}x{c}x1xf32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 3
    : (tensor<{a}x{b}x{c}x1xf32>, tensor<{a}x{b}x{c}x1xf32>, tensor<{a}x{b}x{c}x1xf32>)
    -> tensor<{a}x{b}x{c}x3xf32>
  return %3 : tensor<{a}x{b}x{c}x3xf32>
}}"""


@pytest.mark.parametrize(
    "sizes",
    [(5, 4, 30), (7, 3, 33), (3, 50, 17), (2, 9, 11), (40, 2, 13), (1, 31, 31), (6, 5, 64)],
)
def test_grids_of_coordinates(sizes: tuple[int, int, int]) -> None:
    a, b, c = (np.random.default_rng(1).standard_normal(n).astype(np.float32) for n in sizes)
    result = compile(PARTS.format(a=len(a), b=len(b), c=len(c)))(a, b, c)
    np.testing.assert_array_equal(result, np.stack(np.meshgrid(a, b, c, indexing="ij"), -1))


@pytest.mark.parametrize("seed", range(40))
def test_broadcasts_beside_reshapes(seed: int) -> None:
    """Rows that are cut elsewhere than memory is: lanes are divided by what rows are made of."""
    rng = np.random.default_rng(seed)
    a, b, c = (int(n) for n in rng.integers(2, 40, 3))
    low, high = (int(n) for n in rng.integers(0, 3, 2))
    whole, flat = f"tensor<{a}x{b}x{c}xf32>", f"tensor<{a * b * c}xf32>"
    padded = f"tensor<{a * b * c + low + high}xf32>"
    text = f"""
    func.func @main(%x: tensor<{a}xf32>, %y: tensor<{c}xf32>, %z: tensor<{b}x{c}xf32>,
                    %v: {padded}) -> {padded} {{
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<{a}xf32>) -> {whole}
      %1 = stablehlo.broadcast_in_dim %y, dims = [2] : (tensor<{c}xf32>) -> {whole}
      %2 = stablehlo.broadcast_in_dim %z, dims = [1, 2] : (tensor<{b}x{c}xf32>) -> {whole}
      %3 = stablehlo.multiply %0, %1 : {whole}
      %4 = stablehlo.add %3, %2 : {whole}
      %5 = stablehlo.reshape %4 : ({whole}) -> {flat}
      %6 = stablehlo.pad %5, %one, low = [{low}], high = [{high}], interior = [0]
        : ({flat}, tensor<f32>) -> {padded}
      %7 = stablehlo.add %6, %v : {padded}
      return %7 : {padded}
    }}"""
    sizes = ((a,), (c,), (b, c), (a * b * c + low + high,))
    x, y, z, v = (rng.integers(-9, 10, size).astype(np.float32) for size in sizes)
    inner = (x[:, None, None] * y + z).reshape(-1)
    expected = np.pad(inner, (low, high), constant_values=1.0) + v
    np.testing.assert_array_equal(compile(text)(x, y, z, v), expected, err_msg=text)
