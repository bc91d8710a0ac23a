"""Writes the artifacts beside it: programs that ``jax.export`` serialized with Shardy annotations.

XLA_FLAGS=--xla_force_host_platform_device_count=2 python tests/unit/text/artifacts/export.py
"""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MATRIX = jax.ShapeDtypeStruct((4, 4), np.float32)


def save(name: str, function: Any) -> None:
    exported = export.export(jax.jit(function), platforms=["cpu"])(MATRIX)
    path = Path(__file__).with_name(f"{name}.mlirbc")
    path.write_bytes(exported.mlir_module_serialized)


def constrained(devices: int) -> Any:
    mesh = jax.make_mesh((devices,), ("data",), axis_types=(AxisType.Auto,))
    sharding = NamedSharding(mesh, PartitionSpec("data"))
    return lambda x: jax.lax.with_sharding_constraint(x * 2, sharding)


save("cholesky", jnp.linalg.cholesky)
save("one_device", constrained(1))
save("two_devices", constrained(2))
