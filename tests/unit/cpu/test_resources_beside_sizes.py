"""Constants as resources, or in a file, in programs of unknown sizes: PyTorch exports have both.

One resource is a large weight that two ops use, the others are small and say sizes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, program

W = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
SIZES = np.array([-1, 20], np.int64)
EDGES = np.array([[1, 0], [2, 0]], np.int64)
X = np.linspace(-1, 1, 120, dtype=np.float32).reshape(3, 40)
ROWS = np.array([3, 0, 39, 3])


def _resources(**arrays: Any) -> str:
    rows = [f'{n}: "0x{a.itemsize:02x}000000{a.tobytes().hex()}"' for n, a in arrays.items()]
    return f"{{-# dialect_resources: {{ builtin: {{ {', '.join(rows)} }} }} #-}}"


TEXT = """
func.func @main(%x: tensor<?x40xf32>, %i: tensor<?xi64>)
    -> (tensor<?x?xf32>, tensor<?x40xf32>, tensor<?x?xf32>) {
  %w = stablehlo.constant dense_resource<w> : tensor<40x40xf32>
  %a = arith.constant dense_resource<w> : tensor<40x40xf32>
  %s = stablehlo.constant dense_resource<sizes> : tensor<2xi64>
  %k = stablehlo.constant dense_resource<edges> : tensor<2x2xi64>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<?x40xf32>, tensor<40x40xf32>) -> tensor<?x40xf32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x40xf32>) -> tensor<i32>
  %n64 = stablehlo.convert %n : (tensor<i32>) -> tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %n2 = stablehlo.multiply %n64, %two : tensor<i64>
  %n1 = stablehlo.reshape %n2 : (tensor<i64>) -> tensor<1xi64>
  %last = stablehlo.slice %s [1:2] : (tensor<2xi64>) -> tensor<1xi64>
  %shape = stablehlo.concatenate %n1, %last, dim = 0
    : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = stablehlo.dynamic_reshape %y, %shape
    : (tensor<?x40xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %g = "stablehlo.gather"(%a, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 40>
  }> : (tensor<40x40xf32>, tensor<?xi64>) -> tensor<?x40xf32>
  %low2 = stablehlo.slice %k [0:1, 0:2] : (tensor<2x2xi64>) -> tensor<1x2xi64>
  %low = stablehlo.reshape %low2 : (tensor<1x2xi64>) -> tensor<2xi64>
  %high2 = stablehlo.slice %k [1:2, 0:2] : (tensor<2x2xi64>) -> tensor<1x2xi64>
  %high = stablehlo.reshape %high2 : (tensor<1x2xi64>) -> tensor<2xi64>
  %none = stablehlo.constant dense<0> : tensor<2xi64>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dynamic_pad %y, %z, %low, %high, %none
    : (tensor<?x40xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    -> tensor<?x?xf32>
  return %r, %g, %p : tensor<?x?xf32>, tensor<?x40xf32>, tensor<?x?xf32>
}
""" + _resources(w=W, sizes=SIZES, edges=EDGES)

PRODUCT = X @ W
EXPECTED = (PRODUCT.reshape(6, 20), W[ROWS], np.pad(PRODUCT, ((1, 2), (0, 0))))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"specialize": True},
    {"check_sizes": False},
    {"check_nans": True},
    {"backend": "reference"},
]


@pytest.fixture(params=["resources", "file", "all in a file"])
def module(request: pytest.FixtureRequest, tmp_path: Path) -> mlir.Module:
    """The program with its resources, with the large one in a file, and with all there."""
    module = shlo_tools.load(TEXT)
    least = {"file": 4096, "all in a file": 1}.get(request.param)
    if least is not None:
        count = shlo_tools.externalize(module, tmp_path / "w.safetensors", min_bytes=least)
        assert count == (1 if least > 1 else 3)
    return module


def _check(source: Any, **options: Any) -> None:
    results = shlo_tools.compile(source, **options)(X, ROWS)
    for result, expected in zip(results, EXPECTED, strict=True):
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_they_are_compiled_together(module: mlir.Module, options: dict[str, Any]) -> None:
    _check(module, **options)


def test_text_and_bytecode_carry_both(module: mlir.Module) -> None:
    _check(str(module))
    _check(program.to_bytecode(module))


@pytest.mark.parametrize(
    "passes",
    [
        "shlo-refine-arguments{types=tensor<3x40xf32>,tensor<4xi64>},shlo-refine-shapes",
        "stablehlo-refine-arguments{types=tensor<3x40xf32>,tensor<4xi64>},stablehlo-refine-shapes",
        "shlo-refine-shapes,shlo-canonicalize-dynamism",
        "shlo-simplify",
        "shlo-fold",
        "shlo-normalize",
        "canonicalize,cse",
    ],
)
@pytest.mark.parametrize("module", ["resources", "file"], indirect=True)
def test_passes_leave_what_runs(module: mlir.Module, passes: str) -> None:
    shlo_tools.Pipeline(f"builtin.module({passes})").run(module)
    _check(module)


def test_refinement_finds_the_sizes_that_resources_say() -> None:
    module = shlo_tools.load(TEXT)
    passes = "shlo-refine-arguments{types=tensor<3x40xf32>,tensor<4xi64>},shlo-refine-shapes"
    shlo_tools.Pipeline(f"builtin.module({passes})").run(module)
    assert "-> (tensor<6x20xf32>, tensor<4x40xf32>, tensor<6x40xf32>)" in str(module)
