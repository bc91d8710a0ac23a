"""Programs of many small tensors against the reference, without a read or write outside."""

from __future__ import annotations

import numpy as np
import pytest
from batched_programs import BatchedProgram
from staged_programs import assert_staged, staged

from shlo_tools import compile
from shlo_tools.dtypes import ELEMENT_TYPES

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


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i1"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 4), (5, 6), (2, 7), (11, 2), (2, 2, 5), (4, 1, 8)])
def test_reductions_of_small_matrices(shape: tuple[int, ...], element: str) -> None:
    """Tiles of every width, the last ones of which reach back over others."""
    batch, rng = 1031, np.random.default_rng(0)
    name, start = ("or", "false") if element == "i1" else ("maximum", "1")
    start = f"{start}.0" if element[0] == "f" else start
    x = rng.integers(0, 2 if element == "i1" else 9, (batch, *shape))
    of = f"tensor<{'x'.join(map(str, (batch, *shape)))}x{element}>"
    for dim in range(1, len(shape) + 1):
        kept = [batch, *(size for d, size in enumerate(shape, 1) if d != dim)]
        to = f"tensor<{'x'.join(map(str, kept))}x{element}>"
        text = f"""func.func public @main(%x: {of}) -> {to} {{
          %start = stablehlo.constant dense<{start}> : tensor<{element}>
          %0 = stablehlo.reduce(%x init: %start) applies stablehlo.{name}
            across dimensions = [{dim}] : ({of}, tensor<{element}>) -> {to}
          return %0 : {to}
        }}"""
        if shape[dim - 1] > 1:
            assert 'shlo.stage = "batched"' in staged(text).ir("stages")
        assert_staged(text, x.astype(ELEMENT_TYPES[element].dtype))


@pytest.mark.parametrize("rows, columns", [(3, 3), (4, 4), (5, 5), (2, 7), (6, 3), (1, 9)])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_small_matrices_by_vectors(rows: int, columns: int, element: str) -> None:
    batch, rng = 1031, np.random.default_rng(0)
    a, v, to = (f"tensor<{batch}x{n}x{element}>" for n in (f"{rows}x{columns}", columns, rows))
    text = f"""func.func public @main(%a: {a}, %v: {v}) -> {to} {{
      %0 = stablehlo.dot_general %a, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : ({a}, {v}) -> {to}
      return %0 : {to}
    }}"""
    shapes = (batch, rows, columns), (batch, columns)
    dtype = ELEMENT_TYPES[element].dtype
    assert_staged(text, *(rng.integers(-4, 5, shape).astype(dtype) for shape in shapes))
