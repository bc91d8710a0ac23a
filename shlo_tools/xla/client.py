"""XLA:CPU through jaxlib: text to what can be called. For processes that hold no other MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jaxlib.cpu_sparse
import jaxlib.lapack
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

Array = np.ndarray[Any, Any]

# What XLA and its parser raise about programs and calls.
ERRORS = (RuntimeError, ValueError, TypeError, NotImplementedError, ir.MLIRError)


def client() -> Any:
    """XLA's client for this process's CPU, with LAPACK and sparse products as custom calls."""
    jax.numpy.linalg.cholesky(np.eye(2, dtype=np.float32))
    jaxlib.lapack._lapack.initialize()
    for platform, targets in jaxlib.cpu_sparse.registrations().items():
        for name, handler, version in targets:
            jax.ffi.register_ffi_target(name, handler, platform=platform, api_version=version)
    return xla_bridge.get_backend("cpu")


def compile(client: Any, text: str, num_replicas: int = 1) -> Any:
    """Compile a program for the first devices, which are its replicas."""
    options = xla_client.CompileOptions()
    options.num_replicas = num_replicas
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        devices = xla_client.DeviceList(tuple(client.local_devices()[:num_replicas]))
        return client.compile_and_load(module, devices, options)


def placed(client: Any, rows: Sequence[Sequence[Array]]) -> list[Any]:
    """The arguments of all processes, each on its device, as a call takes them."""
    devices = client.local_devices()[: len(rows)]
    if len(rows) == 1:
        return [jax.device_put(array, devices[0]) for array in rows[0]]
    # XLA looks at the buffers alone: as if they were copies of one array.
    mesh = jax.sharding.Mesh(np.array(devices), ("process",))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    columns = zip(*rows, strict=True)
    return [
        jax.make_array_from_single_device_arrays(
            column[0].shape,
            everywhere,
            [jax.device_put(array, device) for array, device in zip(column, devices, strict=True)],
        )
        for column in columns
    ]


def called(program: Any, buffers: Sequence[Any]) -> list[Any]:
    """The results of a call when they are complete: for each, one array per process."""
    results = program.execute_sharded(buffers).disassemble_into_single_device_arrays()
    for shards in results:
        for array in shards:
            array.block_until_ready()
    return list(results)
