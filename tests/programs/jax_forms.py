"""Programs that compute little, but whose text has parts that only some exporters write."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import integers
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec
from jax_registry import Built, program

EXACT = "integers only: equal"


@program(rtol=0.0, atol=0.0, reason=EXACT, lowered=True)
def untaken_callback(generator: np.random.Generator) -> Built:
    """A check that calls back into the host, which nobody but this process could resolve."""

    def refuse(x: Any) -> Any:
        raise ValueError(f"too large: {x}")

    def checked(x: jax.Array, limit: jax.Array) -> jax.Array:
        too_large = jnp.max(x) > limit
        kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return lax.cond(too_large, lambda x: jax.pure_callback(refuse, kind, x), lambda x: x * 2, x)

    return checked, (integers(generator, -9, 10, 4), np.int32(100))


def constrained(mesh: Mesh, axes: PartitionSpec, generator: np.random.Generator) -> Built:
    """Doubles and sums a matrix that is constrained to a sharding of one device."""
    sharding = NamedSharding(mesh, axes)

    def double(x: jax.Array) -> Any:
        doubled = lax.with_sharding_constraint(x * 2, sharding)
        return doubled, jnp.sum(doubled, axis=0)

    return double, (jax.device_put(integers(generator, -9, 10, 4, 3), sharding),)


@program(rtol=0.0, atol=0.0, reason=EXACT)
def empty_mesh(generator: np.random.Generator) -> Built:
    """Sdy annotations with a mesh that has no axes."""
    device = np.array(jax.devices()[0])
    return constrained(Mesh(device, ()), PartitionSpec(), generator)


@program(rtol=0.0, atol=0.0, reason=EXACT)
def unit_mesh(generator: np.random.Generator) -> Built:
    """Sdy annotations with a mesh whose only axis has size one."""
    mesh = jax.make_mesh((1,), ("data",), axis_types=(AxisType.Auto,))
    return constrained(mesh, PartitionSpec("data"), generator)
