"""Functions of ``jax.shard_map`` on a mesh of four devices, beside JAX, by Shardy and by GSPMD."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shlo_tools import run_spmd

pytest.importorskip("jax")

pytestmark = pytest.mark.peer

_EXPORT = """
import os, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax, numpy as np
jax.config.update("jax_use_shardy_partitioner", sys.argv[2] == "shardy")
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
x = np.arange(32, dtype=np.float32).reshape(8, 4)
turn = [(0, 1), (1, 0)]
whole, rows, both = P("x", "y"), P("x", None), P(("x", "y"), None)
functions = {
    "psum": (lambda a: lax.psum(a, "x"), P(None, "y")),
    "psum of all": (lambda a: lax.psum(a, ("x", "y")), P(None, None)),
    "all_gather": (lambda a: lax.all_gather(a, "y", axis=1, tiled=True), rows),
    "ppermute": (lambda a: lax.ppermute(a, "x", turn) + lax.axis_index("y"), whole),
    "all_to_all": (lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True), both),
    "psum_scatter": (lambda a: lax.psum_scatter(a, "x", scatter_dimension=0, tiled=True), whole),
    "loop": (lambda a: lax.fori_loop(0, 3, lambda i, v: lax.ppermute(v, "y", turn) + i, a), whole),
}
mapped = {
    name: jax.shard_map(body, mesh=mesh, in_specs=whole, out_specs=out, check_vma=False)
    for name, (body, out) in functions.items()
}
mapped["turned"] = jax.shard_map(
    lambda a: a[::-1] + lax.axis_index("x"),
    mesh=mesh, in_specs=P(("y", "x")), out_specs=P("y", "x")
)
mapped["one axis"] = jax.shard_map(
    lambda a: lax.psum(a, "y") + a, mesh=mesh, in_specs=P(None, "y"), out_specs=P(None, "y"),
    axis_names={"y"}
)
advice = jax.NamedSharding(mesh, P("y", "x"))
mapped["no shard_map"] = lambda a: lax.with_sharding_constraint(a @ a.T, advice)
for name, f in mapped.items():
    around = jax.jit(lambda a: (f(a), f(2 * a) - 1))
    with open(f"{sys.argv[1]}/{name}.mlir", "w") as file:
        file.write(around.lower(x).as_text())
    np.savez(f"{sys.argv[1]}/{name}.npz", x, *around(x))
"""
NAMES = ["psum", "psum of all", "all_gather", "ppermute", "all_to_all", "psum_scatter", "loop"]
NAMES += ["turned", "one axis", "no shard_map"]


@pytest.fixture(scope="module", params=["shardy", "gspmd"])
def exports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs, and what JAX computes by them."""
    folder = tmp_path_factory.mktemp("exports")
    command = [sys.executable, "-c", _EXPORT, str(folder), request.param]
    subprocess.run(command, check=True, timeout=300)
    return folder


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize("name", NAMES)
def test_beside_jax(exports: Path, name: str, backend: str) -> None:
    with np.load(exports / f"{name}.npz") as arrays:
        x, *expected = (arrays[key] for key in arrays.files)
    results = run_spmd(exports / f"{name}.mlir", whole=[x], backend=backend)
    for result, array in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, array)
