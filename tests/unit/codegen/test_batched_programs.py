"""Programs of many small tensors against the reference, without a read or write outside."""

from __future__ import annotations

import numpy as np
import pytest
from batched_programs import BatchedProgram
from staged_programs import assert_staged

from shlo_tools import compile

LORENZ = """func.func public @main(%s: tensor<BATCHx3xf32>) -> tensor<BATCHx3xf32> {
  %x = stablehlo.slice %s [0:BATCH, 0:1] : (tensor<BATCHx3xf32>) -> tensor<BATCHx1xf32>
  %y = stablehlo.slice %s [0:BATCH, 1:2] : (tensor<BATCHx3xf32>) -> tensor<BATCHx1xf32>
  %z = stablehlo.slice %s [0:BATCH, 2:3] : (tensor<BATCHx3xf32>) -> tensor<BATCHx1xf32>
  %0 = stablehlo.subtract %y, %x : tensor<BATCHx1xf32>
  %1 = stablehlo.multiply %x, %z : tensor<BATCHx1xf32>
  %2 = stablehlo.multiply %x, %y : tensor<BATCHx1xf32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 1
    : (tensor<BATCHx1xf32>, tensor<BATCHx1xf32>, tensor<BATCHx1xf32>) -> tensor<BATCHx3xf32>
  %4 = stablehlo.add %s, %3 : tensor<BATCHx3xf32>
  return %4 : tensor<BATCHx3xf32>
}"""


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i64", "ui32"])
@pytest.mark.parametrize("batch", [65, 96, 333])
def test_random_programs(element: str, batch: int) -> None:
    for seed in range(4):
        program = BatchedProgram(seed, element, batch, 24)
        assert_staged(program.text(), *program.arrays())


@pytest.mark.parametrize("batch", [256, 1001, 20_000])
def test_chunks_of_a_batch(batch: int) -> None:
    text = LORENZ.replace("BATCH", str(batch))
    s = np.random.default_rng(0).integers(-9, 9, (batch, 3)).astype(np.float32)
    x, y, z = s.T
    expected = s + np.stack([y - x, x * z, x * y], axis=1)
    np.testing.assert_array_equal(compile(text)(s), expected)
    assert_staged(text, s)
