"""Collectives of two to eight devices, of ``shard_map``, ``pmap`` and ``jit``, beside JAX."""

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
count = int(sys.argv[2])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
import jax, numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))
x = np.random.default_rng(count).integers(-9, 9, (2 * count, count * 3)).astype(np.float32)
ring = [(k, (k + 1) % count) for k in range(count)]
bodies = {
    "psum": lambda a: lax.psum(a * lax.axis_index("i"), "i"),
    "pmax": lambda a: lax.pmax(a, "i"),
    "pmin": lambda a: a - lax.pmin(a, "i"),
    "all_gather": lambda a: lax.all_gather(a, "i").sum(0),
    "ppermute": lambda a: lax.ppermute(a, "i", ring),
    "all_to_all": lambda a: lax.all_to_all(a, "i", 1, 1, tiled=True),
    "psum_scatter": lambda a: lax.psum_scatter(a, "i", scatter_dimension=1, tiled=True),
    "halves": lambda a: lax.psum(a, "i", axis_index_groups=[
        [k for k in range(count) if k % 2 == rest] for rest in range(2)
    ]) if count % 2 == 0 else a,
}
functions = {
    f"shard_map {name}": jax.jit(jax.shard_map(
        body, mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False
    ))
    for name, body in bodies.items()
}
rows, columns = NamedSharding(mesh, P("i")), NamedSharding(mesh, P(None, "i"))
functions["jit"] = jax.jit(
    lambda a: (a @ a.T, a.sum(0)), in_shardings=columns, out_shardings=(rows, None)
)
inputs = dict.fromkeys(functions, x)
for name in ("psum", "ppermute", "all_gather"):
    functions[f"pmap {name}"] = jax.pmap(bodies[name], axis_name="i")
    inputs[f"pmap {name}"] = x.reshape(count, 2, -1)
for name, f in functions.items():
    one = inputs[name]
    with open(f"{sys.argv[1]}/{name}.mlir", "w") as file:
        file.write(f.lower(one).as_text())
    np.savez(f"{sys.argv[1]}/{name}.npz", one, *jax.tree.leaves(f(one)))
"""


@pytest.mark.parametrize("count", [2, 3, 8])
def test_as_many_devices(count: int, tmp_path: Path) -> None:
    """Sums of whole numbers are exact in any order."""
    subprocess.run([sys.executable, "-c", _EXPORT, str(tmp_path), str(count)], check=True)
    programs = sorted(tmp_path.glob("*.mlir"))
    assert len(programs) == 12
    for path in programs:
        with np.load(path.with_suffix(".npz")) as arrays:
            x, *expected = (arrays[key] for key in arrays.files)
        for backend in ("native", "reference"):
            results = run_spmd(path, whole=[x], backend=backend)
            results = results if isinstance(results, tuple) else (results,)
            for result, array in zip(results, expected, strict=True):
                np.testing.assert_array_equal(result, array, err_msg=f"{path.stem} {backend}")
