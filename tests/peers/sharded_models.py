"""Functions over a mesh of four devices; the process has to have that many: see the test."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

MESH = Mesh(np.array(jax.devices()).reshape(2, 2), ("rows", "columns"))


def split(*axes: str | None) -> NamedSharding:
    return NamedSharding(MESH, PartitionSpec(*axes))


def _layer(x: Any, weight: Any) -> Any:
    y = lax.with_sharding_constraint(x @ weight, split("rows", None))
    return jnp.tanh(y), y.sum()


layer = jax.jit(
    _layer,
    in_shardings=(split("rows", "columns"), None),
    out_shardings=(split("rows"), None),
)

manual = jax.jit(
    jax.shard_map(
        lambda x: lax.psum(x, "rows"),
        mesh=MESH,
        in_specs=PartitionSpec("rows"),
        out_specs=PartitionSpec(),
    )
)
