"""Targets that are built in: assertions, annotations, top-k, sparse products."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from custom_calls import Array, X, calling

import shlo_tools
from shlo_tools.errors import ExecutionError, UnsupportedError

pytestmark = pytest.mark.usefixtures("own_registry")


ASSERTION = """func.func @main(%ok: tensor<i1>, %a: tensor<i32>) {
  stablehlo.custom_call @shape_assertion(%ok, %a, %a) {api_version = 2 : i32,
    has_side_effect = true, error_message = "got {0}, want {1} {2}"}
    : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  return
}"""


def test_shape_assertions() -> None:
    executable = shlo_tools.compile(ASSERTION)
    assert executable(np.True_, np.int32(7)) == ()
    with pytest.raises(ExecutionError, match=r"-:2:\d+: error: got 7, want 7 \{2\}"):
        executable(np.False_, np.int32(7))


def test_callbacks_of_another_process_say_so() -> None:
    executable = calling(
        "xla_ffi_python_cpu_callback", attributes="mhlo.backend_config = {index = 3 : ui64}"
    )
    with pytest.raises(UnsupportedError, match="Python function 3 of the JAX process"):
        executable(X)


def test_targets_are_found_without_what_other_programs_need() -> None:
    """Neither a grid of processes nor the package of OpenBLAS is imported."""
    code = """
import sys
from shlo_tools import extend
from shlo_tools.cpu.symbols import blas
assert extend.built_in("shlo.fft") and extend.built_in("nobody.has.it") is None
assert blas().scipy_LAPACKE_spotrf
print(sys.modules.keys() & {"shlo_tools.processes", "concurrent.futures", "scipy_openblas32"})
assert extend.built_in("shlo.process.all_gather")
assert extend.built_in("shlo.process.nothing") is None
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (child.stdout, child.stderr) == ("set()\n", "")


@pytest.mark.parametrize(
    "target", ["Sharding", "SPMDFullToShardShape", "annotate_device_placement", "LayoutConstraint"]
)
def test_annotations_are_identities(target: str) -> None:
    executable = calling(target, attributes='mhlo.sharding = "{devices=[2]<=[2]}"')
    np.testing.assert_array_equal(executable(X), X)


def test_a_shard_of_several_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'SPMDFullToShardShape' for several devices"):
        shlo_tools.compile("""func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
          %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""")


def test_buffers_and_sinks() -> None:
    executable = shlo_tools.compile("""func.func @main() -> tensor<3xbf16> {
      %0 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xbf16>
      stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (tensor<3xbf16>) -> ()
      return %0 : tensor<3xbf16>
    }""")
    assert executable().dtype == ml_dtypes.bfloat16


TOP_K = """
func.func @better(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<i1> {{
  %0 = stablehlo.compare {direction}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}}
func.func public @main(%x: tensor<9x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {{
  %0 = stablehlo.iota dim = 0 : tensor<9x4xi32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %worst = stablehlo.constant dense<0.0> : tensor<f32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %worst, %none) {{
    called_computations = [@better], mhlo.backend_config = {{aggregate_to_topk = true,
    recall_target = 0.95 : f32, reduction_dim = 0 : i64, top_k = 3 : i64}}}}
    : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<f32>, tensor<i32>)
    -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<3x4xf32>, tensor<3x4xi32>
}}"""


@pytest.mark.parametrize(("direction", "sign"), [("GT", -1), ("LT", 1)])
def test_approximate_top_k(direction: str, sign: int) -> None:
    x = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    values, indices = shlo_tools.compile(TOP_K.format(direction=direction))(x)
    order = np.argsort(sign * x, axis=0)[:3]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 0))


def test_approximate_top_k_without_its_comparator_is_refused() -> None:
    text = TOP_K.format(direction="GT").replace("called_computations = [@better],", "")
    with pytest.raises(UnsupportedError, match="needs a called computation"):
        shlo_tools.compile(text)


def _sparse(dense: str, result: str, count: str = "5") -> Any:
    """A product of a matrix of so many values, or of unknown sizes."""
    values, places = (f"tensor<{count}x{element}>" for element in ("f32", "i32"))
    return shlo_tools.compile(f"""
      func.func @main(%v: {values}, %p: {places}, %c: {places}, %d: {dense}) -> {result} {{
        %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%v, %p, %c, %d)
          {{mhlo.backend_config = {{}}}} : ({values}, {places}, {places}, {dense}) -> {result}
        return %0 : {result}
      }}""")


VALUES = np.array([1, 2, 3, 4, 99], np.float32)
ENDS = np.array([0, 2, 2, 3, 4], np.int32)  # the second row is empty, the last value is padding
COLUMNS = np.array([0, 2, 1, 2, 0], np.int32)
MATRIX = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0], [0, 0, 4]], np.float32)


def test_sparse_times_dense() -> None:
    vector = np.array([1, 10, 100], np.float32)
    executable = _sparse("tensor<3xf32>", "tensor<4xf32>")
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, vector), MATRIX @ vector)
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    executable = _sparse("tensor<3x2xf32>", "tensor<4x2xf32>")
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, matrix), MATRIX @ matrix)


def test_sparse_times_dense_of_unknown_sizes() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    executable = _sparse("tensor<?x?xf32>", "tensor<?x?xf32>", "?")
    np.testing.assert_array_equal(executable(VALUES, ENDS, COLUMNS, matrix), MATRIX @ matrix)
    with pytest.raises(ExecutionError, match="an index leaves the matrix"):
        executable(VALUES, ENDS, COLUMNS, matrix[:2])


def test_sparse_values_of_no_row_are_not_read() -> None:
    """Neither those before the first row, nor those behind the last one, nor their columns."""
    values = np.array([np.nan, 2, 3, np.inf, np.nan], np.float32)
    columns = np.array([77, 2, 1, -5, 3], np.int32)
    ends = np.array([1, 1, 2, 2, 3], np.int32)
    result = _sparse("tensor<3xf32>", "tensor<4xf32>")(
        values, ends, columns, np.ones(3, np.float32)
    )
    np.testing.assert_array_equal(result, np.array([0, 2, 0, 3], np.float32))


@pytest.mark.parametrize(
    ("ends", "columns"),
    [
        (np.array([0, 2, 2, 3, 6], np.int32), COLUMNS),
        (np.array([0, 3, 2, 3, 4], np.int32), COLUMNS),
        (np.array([-1, 2, 2, 3, 4], np.int32), COLUMNS),
        (ENDS, np.array([0, 3, 1, 2, 0], np.int32)),
        (ENDS, np.array([0, -1, 1, 2, 0], np.int32)),
    ],
)
def test_sparse_indices_are_checked(ends: Array, columns: Array) -> None:
    executable = _sparse("tensor<3xf32>", "tensor<4xf32>")
    with pytest.raises(ExecutionError, match="an index leaves the matrix"):
        executable(VALUES, ends, columns, np.zeros(3, np.float32))
