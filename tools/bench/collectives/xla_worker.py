"""Benchmark worker: collectives of XLA:CPU, each process one of the host's devices in one process.

``XLA_FLAGS=--xla_force_host_platform_device_count=4`` says how many devices there are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shlo_tools.tools.bench.collectives import cases
from shlo_tools.tools.bench.collectives.cases import Array, Call, Case


def _program(case: Case) -> Callable[..., Any]:
    """What ``cases.text`` says, for jax.shard_map over the axis ``d``."""
    if case.op == "all_reduce":
        return lambda x: lax.psum(x, "d")
    if case.op == "all_gather":
        return lambda x: lax.all_gather(x, "d", tiled=True)
    if case.op == "chain":

        def chain(x: Any) -> Any:
            for _ in range(cases.CHAIN):
                x = lax.psum(x, "d") * np.float32(1 / case.processes)
            return x

        return chain

    def step(x: Any, y: Any, v: Any, w: Any) -> Any:
        h = jnp.tanh(x @ v)
        do = (h @ w - y) * np.float32(2 / (x.shape[0] * case.processes))
        dp = (do @ w.T) * (1 - h * h)
        gv, gw = lax.psum((x.T @ dp, h.T @ do), "d")
        return v - np.float32(cases.RATE) * gv, w - np.float32(cases.RATE) * gw

    return step


def bind(case: Case) -> Call:
    """A call of a compiled case, its arguments on the devices."""
    mesh = Mesh(np.array(jax.devices()[: case.processes]), ("d",))
    rows = cases.arguments(case)
    cut = [P("d")] * 2 + [P()] * 2 if case.op == "training_step" else [P("d")]
    whole = [
        np.concatenate([row[n] for row in rows]) if spec == P("d") else rows[0][n]
        for n, spec in enumerate(cut)
    ]
    placed = [
        jax.device_put(array, NamedSharding(mesh, spec))
        for array, spec in zip(whole, cut, strict=True)
    ]
    mapped = jax.shard_map(
        _program(case), mesh=mesh, in_specs=tuple(cut), out_specs=P(), check_vma=False
    )
    compiled = jax.jit(mapped)
    return lambda: jax.block_until_ready(compiled(*placed))


def _first(results: Any) -> Sequence[Array]:
    listed = results if isinstance(results, tuple) else (results,)
    return [np.asarray(result.addressable_shards[0].data) for result in listed]


if __name__ == "__main__":
    cases.serve(cases.requests_of(sys.stdin), bind, _first, cases.write_answer)
