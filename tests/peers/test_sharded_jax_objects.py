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
        result = shlo_tools.run_sharded(program, X)
        np.testing.assert_array_equal(result, centred(X))


@pytest.mark.parametrize("backend", ["native", "reference", "xla"])
def test_they_are_compiled_once_for_many_calls(centred, backend):
    executable = shlo_tools.compile_sharded(centred.lower(X), backend=backend, mesh="4")
    assert str(executable.signature) == "(tensor<8x4xf32>) -> (tensor<8x4xf32>)"
    for array in (X, jax.numpy.asarray(X) * 2):
        np.testing.assert_allclose(executable(array), centred(array), rtol=1e-6)


def test_errors_come_back(centred):
    with pytest.raises(shlo_tools.ShloError, match="the mesh 2x2 is asked for"):
        shlo_tools.run_sharded(centred.lower(X), X, mesh="2x2")
    with pytest.raises(shlo_tools.errors.ArgumentError, match="shape"):
        shlo_tools.run_sharded(centred.lower(X), X[:4])
    with pytest.raises(shlo_tools.ShloError, match="no rank of MPI"):
        shlo_tools.run_sharded(centred.lower(X), X, transport="mpi")
