"""Numbers in attributes that no loop of the compiler may count up to."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_any_number_of_groups_without_members(backend: str) -> None:
    text = """
    func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_gather"(%a) {
        all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<4294967296x0xi64>
      } : (tensor<2xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    with pytest.raises(ShloError, match="all_gather"):
        shlo_tools.compile(text, backend=backend)(np.ones(2, np.float32))


@pytest.mark.parametrize(
    ("dilation", "stride", "count", "taps"),
    [(100_000_000, 7_000_001, 29, 2), (1_000_000_007, 1_000_000, 2001, 3), (10**6, 10**6, 3, 1)],
)
def test_a_dilation_of_any_size(dilation: int, stride: int, count: int, taps: int) -> None:
    text = f"""
    func.func @main(%x: tensor<1x3x1xf32>, %w: tensor<{taps}x1x1xf32>) -> tensor<1x{count}x1xf32> {{
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {{stride = [{stride}], lhs_dilate = [{dilation}]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : (tensor<1x3x1xf32>, tensor<{taps}x1x1xf32>) -> tensor<1x{count}x1xf32>
      return %0 : tensor<1x{count}x1xf32>
    }}"""
    x, w = np.array([2, 3, 5], np.float32), np.arange(1, taps + 1, dtype=np.float32)
    expected = np.zeros(count, np.float32)
    for window in range(count):
        for tap in range(taps):
            element, rest = divmod(window * stride + tap, dilation)
            expected[window] += x[element] * w[tap] if rest == 0 else 0
    got = shlo_tools.compile(text)(x.reshape(1, 3, 1), w.reshape(taps, 1, 1))
    np.testing.assert_array_equal(got.ravel(), expected)
