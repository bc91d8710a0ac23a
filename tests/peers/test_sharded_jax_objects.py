"""What ``jax.shard_map`` makes runs on whole arrays; JAX stays in this process, MLIR in a child."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import pytest

jax = pytest.importorskip("jax")
import numpy as np
from jax import export, lax
from jax.sharding import Mesh, PartitionSpec

import shlo_tools

pytestmark = pytest.mark.peer

X = np.arange(32, dtype=np.float32).reshape(8, 4)


@pytest.fixture
def centred():
    """Columns less their mean, rows on four devices."""
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    rows = PartitionSpec("rows")

    def local(x):
        return x - lax.pmean(x.mean(0), "rows")

    return jax.jit(jax.shard_map(local, mesh=mesh, in_specs=rows, out_specs=rows))


def test_lowered_and_exported_functions_run_on_whole_arrays(centred):
    for program in (centred.lower(X), export.export(centred)(X), shlo_tools.from_jax(centred, X)):
        result = shlo_tools.run_spmd(program, whole=[X])
        np.testing.assert_array_equal(result, centred(X))


@pytest.mark.parametrize("backend", ["native", "reference", "xla"])
def test_they_are_compiled_once_for_many_calls(centred, backend):
    executable = shlo_tools.compile_sharded(centred.lower(X), backend=backend, mesh="4")
    assert str(executable.signature) == "(tensor<8x4xf32>) -> (tensor<8x4xf32>)"
    for array in (X, jax.numpy.asarray(X) * 2):
        np.testing.assert_allclose(executable(array), centred(array), rtol=1e-6)


def test_errors_come_back(centred):
    with pytest.raises(shlo_tools.ShloError, match="the mesh 2x2 is asked for"):
        shlo_tools.run_spmd(centred.lower(X), whole=[X], mesh="2x2")
    with pytest.raises(shlo_tools.errors.ArgumentError, match="shape"):
        shlo_tools.run_spmd(centred.lower(X), whole=[X[:4]])
    with pytest.raises(shlo_tools.ShloError, match="no rank of MPI"):
        shlo_tools.run_spmd(centred.lower(X), whole=[X], transport="mpi")


def test_arguments_of_processes_go_to_the_child_as_well():
    text = """func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    rows = [[jax.numpy.asarray([1.0, 2.0])], [np.array([3, 4], np.float32)]]
    results = shlo_tools.run_spmd(text, rows)
    assert [result.tolist() for result in results] == [[1, 2, 3, 4]] * 2
    with pytest.raises(shlo_tools.errors.ArgumentError, match="no list of arguments"):
        shlo_tools.run_spmd(text, [X[0, :2]] * 2)
    with pytest.raises(shlo_tools.ShloError, match="without channels"):
        shlo_tools.run_spmd(text, rows, to_host=[{}, {}])
