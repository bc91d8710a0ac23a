"""Programs over meshes, from whole arrays to whole arrays, beside numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import Pipeline, load, parallel, run_spmd
from shlo_tools.errors import ArgumentError, ExecutionError, ShloError, UnsupportedError

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
    centred, total = run_spmd(MEAN, whole=[x], backend=backend)
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
    np.testing.assert_array_equal(
        run_spmd(TURNED, whole=[x], backend=backend), blocks.reshape(4, 6)
    )


def test_sources(tmp_path: Path) -> None:
    x = np.ones((6, 4), np.float32)
    path = tmp_path / "model.mlir"
    path.write_text(MEAN)
    for source in (path, load(path, shardings="keep")):
        np.testing.assert_array_equal(run_spmd(source, whole=[x])[1], [6, 6, 6, 6])


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
        run_spmd(MEAN, whole=arrays)


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
        run_spmd(f"module attributes {{mhlo.num_replicas = 2 : i32}} {{ {text} }}", whole=[[1, 1]])


def test_a_program_without_a_mesh() -> None:
    text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    with pytest.raises(ShloError, match="has no mesh"):
        run_spmd(text, whole=[np.ones(2, np.float32)])


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
    assert run_spmd(text, whole=[np.arange(4, dtype=np.int32)]).tolist() == [0, 2, 4, 6]


def test_devices_that_write_donated_arguments_have_parts_of_their_own() -> None:
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    centred, total = run_spmd(MEAN, whole=[x], donate=[0])
    assert x.ravel().tolist() == list(range(24))
    np.testing.assert_array_equal(total, x.sum(0))
    np.testing.assert_array_equal(centred, x - x.sum(0))


def test_a_whole_array_for_all_devices_is_written_by_none() -> None:
    text = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    x = np.arange(4, dtype=np.float32)
    result = run_spmd(text, whole=[x], mesh="4", donate=[0])
    assert (result.tolist(), x.tolist()) == ([0, 2, 4, 6], [0, 1, 2, 3])
    with pytest.raises(ArgumentError, match="donated, and shares memory with one of process 1"):
        parallel.run_spmd(text, [[x], [x]], donate=[0])
    rows = [[x.copy()] for _ in range(3)]
    assert [r.tolist() for r in parallel.run_spmd(text, rows, donate=[0])] == [[0, 2, 4, 6]] * 3


# --- programs of a single process -----------------------------------------------------------------
# What 2 x 3 devices hold are blocks; each returns its own less a number that all are given, and the
# sum of the two that "x" tells apart.
OF_ONE = """
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func public @main(%a: tensor<2x4xi32> {A}, %b: tensor<i32>)
    -> (tensor<2x4xi32> {A}, tensor<2x4xi32> {SUM}) {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
    : (tensor<2x4xi32>) -> tensor<2x4xi32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
  %2 = stablehlo.subtract %a, %1 : tensor<2x4xi32>
  return %2, %0 : tensor<2x4xi32>, tensor<2x4xi32>
}
"""
SHARDY = OF_ONE.replace("{A}", '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}').replace(
    "{SUM}", '{sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}'
)
_FUNCTION = OF_ONE[OF_ONE.index("func.func") :]
GSPMD = (
    "module attributes {mhlo.num_partitions = 6 : i32} {\n"
    + (
        _FUNCTION.replace("{A}", '{mhlo.sharding = "{devices=[2,3]<=[6]}"}').replace(
            "{SUM}", '{mhlo.sharding = "{devices=[1,3,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}'
        )
    )
    + "}"
)


@pytest.mark.parametrize("text", [SHARDY, GSPMD], ids=["shardy", "gspmd"])
def test_types_of_a_single_process_are_those_of_parts(text: str, backend: Any) -> None:
    x = np.arange(4 * 12, dtype=np.int32).reshape(4, 12)
    less, total = run_spmd(text, whole=[x, 7], backend=backend)
    np.testing.assert_array_equal(less, x - 7)
    np.testing.assert_array_equal(total, x[:2] + x[2:])
    executable = parallel.compile_sharded(text)
    assert str(executable.signature) == (
        "(tensor<4x12xi32>, tensor<i32>) -> (tensor<4x12xi32>, tensor<2x12xi32>)"
    )
    with pytest.raises(ArgumentError, match=r"shape \(2, 4\) given, tensor<4x12xi32>"):
        executable(x[:2, :4], 7)


def test_parts_that_devices_should_share_have_to_be_the_same() -> None:
    """What differs along "x" is not one block of a result that only "y" cuts."""
    wrong = SHARDY.replace("return %2, %0", "return %0, %2")
    with pytest.raises(ExecutionError, match="result 1 is not one whole array"):
        run_spmd(wrong, whole=[np.arange(4 * 12, dtype=np.int32).reshape(4, 12), 7])


def test_a_lowered_program_keeps_what_it_says_of_parts(backend: Any) -> None:
    module = load(MEAN, shardings="keep")
    Pipeline("builtin.module(shlo-lower-manual-computations)").run(module)
    assert "@main(%arg0: tensor<3x4xf32>" in str(module)
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    for source in (module, str(module)):
        centred, total = run_spmd(source, whole=[x], backend=backend)
        np.testing.assert_array_equal(centred, x - x.sum(0))
        np.testing.assert_array_equal(total, x.sum(0))


def test_a_sharding_that_does_not_fit_its_type() -> None:
    with pytest.raises(ShloError, match="a sharding of 1 dimensions for tensor<2x4xi32>"):
        run_spmd(SHARDY.replace('[{"x"}, {"y"}]', '[{"x"}]'), whole=[np.zeros((4, 12)), 7])


# --- which of both is given -----------------------------------------------------------------------
PAIR = """func.func @main(%a: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}"""
HALF = np.array([1, 2], np.int32)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arguments": [HALF, HALF]}, "process 0: 2 int32 is no list of arguments"),
        ({"arguments": [[HALF], HALF]}, "process 1: 2 int32 is no list of arguments"),
        ({"arguments": [[HALF]], "whole": [HALF]}, "both arguments of processes and whole arrays"),
        ({}, "neither arguments of processes nor whole arrays"),
        ({"whole": HALF}, "whole= is a list of arguments"),
        ({"whole": [HALF], "num_replicas": 2}, "num_replicas= does not go with whole arrays"),
        ({"whole": [HALF], "infeed": [[], []]}, "infeed= does not go with whole arrays"),
        ({"arguments": [[HALF], [HALF]], "mesh": "2"}, "mesh= goes with whole arrays"),
    ],
)
def test_arguments_of_processes_and_whole_arrays_are_told_apart(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        run_spmd(PAIR, **options)
    assert run_spmd(PAIR, [[HALF], [HALF]])[1].tolist() == [1, 2, 1, 2]


def test_a_program_of_whole_arrays_takes_no_arguments_of_processes() -> None:
    with pytest.raises(UnsupportedError) as caught:
        run_spmd(MEAN, [[np.ones((3, 4), np.float32)]] * 2)
    assert "run_spmd(program, whole=[...]) run it" in caught.value.diagnostics[0].hint
