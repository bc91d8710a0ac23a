"""Programs that XLA runs in its child process: what they compute, beside numpy and native code."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionTimeout, UnsupportedError

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs jax"),
]

TYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "i64": np.int64,
    "i4": ml_dtypes.int4,
    "ui8": np.uint8,
    "complex<f64>": np.complex128,
}


@pytest.mark.parametrize("type", TYPES)
def test_values_of_all_widths_go_there_and_back(type: str) -> None:
    text = f"""func.func @main(%x: tensor<2x3x{type}>) -> tensor<3x2x{type}> {{
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x{type}>) -> tensor<3x2x{type}>
      return %0 : tensor<3x2x{type}>
    }}"""
    x = np.arange(6).astype(TYPES[type]).reshape(2, 3)
    result = shlo_tools.compile(text, backend="xla")(x)
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result.astype(np.complex128), x.T.astype(np.complex128))
    assert result.flags.writeable


def test_a_function_beside_main_and_chlo() -> None:
    text = """
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.constant dense<1.0> : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @other(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0 = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
      return %x, %0 : tensor<3xf32>, tensor<3xf32>
    }"""
    x = np.array([0.1, 0.2, 0.3], np.float32)
    first, second = shlo_tools.compile(text, backend="xla", function="other")(x)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_allclose(second, np.tan(x), rtol=1e-6)


GRID = """
func.func @main(%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<ui32>, tensor<ui32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
    : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64,
    split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}>
    : (tensor<2xf32>) -> tensor<2xf32>
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2, %r, %p
    : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<ui32>, tensor<ui32>
}"""


def test_grids_meet_as_the_specification_says() -> None:
    rows = [[np.array([k, 10 * k], np.float32)] for k in range(4)]
    by_xla, by_the_reference = (
        shlo_tools.run_spmd(GRID, rows, num_replicas=2, num_partitions=2, backend=backend)
        for backend in ("xla", "reference")
    )
    for theirs, expected in zip(by_xla, by_the_reference, strict=True):
        for array, other in zip(theirs, expected, strict=True):
            np.testing.assert_array_equal(array, other)


def test_replicas_alone() -> None:
    text = """func.func @main(%x: tensor<1xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64,
        replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<1xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    rows = [[np.ones(1, np.float32)], [np.zeros(1, np.float32)]]
    results = shlo_tools.run_spmd(text, rows, num_replicas=2, backend="xla")
    assert [result.tolist() for result in results] == [[0, 1], [0, 1]]


def test_a_mesh() -> None:
    text = """
    sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func public @main(%a: tensor<4x4xi32>) -> tensor<4x4xi32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
          out_shardings=[<@mesh, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xi32>) {
        %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
        sdy.return %1 : tensor<2x2xi32>
      } : (tensor<4x4xi32>) -> tensor<4x4xi32>
      %2 = stablehlo.negate %0 : tensor<4x4xi32>
      return %2 : tensor<4x4xi32>
    }"""
    x = np.arange(16, dtype=np.int32).reshape(4, 4)
    np.testing.assert_array_equal(shlo_tools.run_spmd(text, whole=[x], backend="xla"), -x.T)


def test_constants_of_resources() -> None:
    """As torch exports weights."""
    text = """func.func @main() -> tensor<3xi8> {
      %0 = stablehlo.constant dense_resource<weights> : tensor<3xi8>
      return %0 : tensor<3xi8>
    }
    {-# dialect_resources: {builtin: {weights: "0x01000000010203"}} #-}"""
    assert shlo_tools.compile(text, backend="xla")().tolist() == [1, 2, 3]


def test_what_xla_refuses_is_an_error_with_its_words() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(UnsupportedError, match=r"XLA refuses the program.*nobody_knows"):
        shlo_tools.compile(text, backend="xla")


ENDLESS = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %even = stablehlo.remainder %i, %two : tensor<i32>
      %more = stablehlo.compare EQ, %even, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  return %0 : tensor<i32>
}"""


def test_an_endless_loop_is_stopped() -> None:
    compiled = shlo_tools.compile(ENDLESS, backend="xla")
    with pytest.raises(ExecutionTimeout):
        compiled(0, timeout=0.5)
    assert compiled(1) == 1


def test_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text(ENDLESS)
    command = [sys.executable, "-m", "shlo_tools.tools.run", str(tmp_path / "model.mlir")]
    options = ["--backend=xla", "--timeout=20"]
    done = subprocess.run([*command, *options, "--input=3"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "result0: tensor<i32>\n3\n", "")
    options = ["--backend=xla", "--timeout=2"]
    done = subprocess.run([*command, *options, "--input=2"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: stopped after 2 seconds" in done.stderr
