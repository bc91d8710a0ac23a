"""Programs over meshes, from whole arrays to whole arrays, beside numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import load, parallel, run_sharded
from shlo_tools.errors import ArgumentError, ShloError

MEAN = """
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>]
      out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>] manual_axes={"x"} (%b: tensor<3x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = "stablehlo.all_reduce"(%1) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %4 = stablehlo.subtract %b, %3 : tensor<3x4xf32>
    sdy.return %4, %2 : tensor<3x4xf32>, tensor<4xf32>
  } : (tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<6x4xf32>, tensor<4xf32>
}
"""
# Each device turns its own block around; whole arrays are computed with on both sides.
TURNED = """
sdy.mesh @mesh = <["x"=2, "y"=3], device_ids=[5, 4, 3, 2, 1, 0]>
func.func public @main(%a: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = stablehlo.add %a, %a : tensor<4x6xi32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
      out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xi32>) {
    %2 = stablehlo.reverse %b, dims = [0, 1] : tensor<2x2xi32>
    sdy.return %2 : tensor<2x2xi32>
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %3 = stablehlo.negate %1 : tensor<4x6xi32>
  return %3 : tensor<4x6xi32>
}
"""


@pytest.fixture(params=["native", "reference"])
def backend(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_sum_over_a_mesh(backend: str) -> None:
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    centred, total = run_sharded(MEAN, x, backend=backend)
    np.testing.assert_array_equal(total, x.sum(0))
    np.testing.assert_array_equal(centred, x - x.sum(0))


def test_arguments_are_cut_before_processes_see_them() -> None:
    """Where they go into computations of one device alone."""
    executable = parallel.compile_sharded(MEAN)
    (first, *_) = executable.grid.executables
    assert [argument.shape for argument in first.signature.inputs] == [(3, 4)]
    assert executable.mesh.axes == (("x", 2),)


def test_whole_arrays_around_a_computation(backend: str) -> None:
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    blocks = (-2 * x).reshape(2, 2, 3, 2)[:, ::-1, :, ::-1]
    np.testing.assert_array_equal(run_sharded(TURNED, x, backend=backend), blocks.reshape(4, 6))


def test_sources(tmp_path: Path) -> None:
    x = np.ones((6, 4), np.float32)
    path = tmp_path / "model.mlir"
    path.write_text(MEAN)
    for source in (path, load(path, shardings="keep")):
        np.testing.assert_array_equal(run_sharded(source, x)[1], [6, 6, 6, 6])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([], "@main takes 1 argument, 0 given"),
        ([np.ones((5, 4), np.float32)], r"argument 0: shape \(5, 4\) given, tensor<6x4xf32>"),
        ([np.ones((6,), np.float32)], r"argument 0: shape \(6\) given"),
        ([np.ones((8, 4), np.float32)], r"argument 0: shape \(8, 4\) given"),
        ([np.ones((6, 4))], "float64 given, float32 .* wanted"),
    ],
)
def test_arrays_that_do_not_fit(arrays: list[Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        run_sharded(MEAN, *arrays)


def test_whole_arrays_are_called_as_any_executable_is(backend: Any) -> None:
    executable = parallel.compile_sharded(MEAN, backend=backend)
    assert str(executable.signature) == "(tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>)"
    np.testing.assert_array_equal(executable(np.ones((6, 4)), cast=True)[1], [6, 6, 6, 6])


@pytest.mark.parametrize("mesh", ["2", "x=2"])
def test_a_mesh_may_be_said_twice(mesh: str) -> None:
    assert parallel.compile_sharded(MEAN, mesh=mesh).mesh.axes == (("x", 2),)


def test_a_mesh_cannot_be_contradicted() -> None:
    with pytest.raises(ShloError, match=r"mesh x=4 is asked for, and the program's is <.\"x\"=2.>"):
        parallel.compile_sharded(MEAN, mesh="x=4")


def test_replicas_are_not_devices_of_a_mesh() -> None:
    text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    with pytest.raises(ShloError, match="for 2 replicas, not for a mesh"):
        run_sharded(f"module attributes {{mhlo.num_replicas = 2 : i32}} {{ {text} }}", np.ones(2))


def test_a_program_without_a_mesh() -> None:
    text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    with pytest.raises(ShloError, match="has no mesh"):
        run_sharded(text, np.ones(2, np.float32))


def test_a_computation_that_calls_functions() -> None:
    """As JAX writes loops and what it has traced once."""
    text = """
    sdy.mesh @mesh = <["x"=2]>
    func.func public @main(%a: tensor<4xi32>) -> tensor<4xi32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
          out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xi32>) {
        %1 = func.call @twice(%b) : (tensor<2xi32>) -> tensor<2xi32>
        sdy.return %1 : tensor<2xi32>
      } : (tensor<4xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32>
    }
    func.func private @twice(%a: tensor<2xi32>) -> tensor<2xi32> {
      %0 = stablehlo.add %a, %a : tensor<2xi32>
      return %0 : tensor<2xi32>
    }"""
    assert run_sharded(text, np.arange(4, dtype=np.int32)).tolist() == [0, 2, 4, 6]


def test_devices_that_write_donated_arguments_have_parts_of_their_own() -> None:
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    centred, total = run_sharded(MEAN, x, donate=[0])
    assert x.ravel().tolist() == list(range(24))
    np.testing.assert_array_equal(total, x.sum(0))
    np.testing.assert_array_equal(centred, x - x.sum(0))


def test_a_whole_array_for_all_devices_is_written_by_none() -> None:
    text = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    x = np.arange(4, dtype=np.float32)
    result = run_sharded(text, x, mesh="4", donate=[0])
    assert (result.tolist(), x.tolist()) == ([0, 2, 4, 6], [0, 1, 2, 3])
    with pytest.raises(ArgumentError, match="donated, and shares memory with one of process 1"):
        parallel.run_spmd(text, [[x], [x]], donate=[0])
    rows = [[x.copy()] for _ in range(3)]
    assert [r.tolist() for r in parallel.run_spmd(text, rows, donate=[0])] == [[0, 2, 4, 6]] * 3
