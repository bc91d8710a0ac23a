"""Benchmark worker: XLA:CPU through jaxlib. Runs in a process, and an interpreter, of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jaxlib.cpu_sparse
import jaxlib.lapack
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir
from worker import Array, serve


def portable(text: str) -> str:
    """Resources inlined and arith.constant renamed, which XLA's importer refuses."""
    if "dense_resource" in text:
        blobs = dict(re.findall(r'(\S+): "0x([0-9A-F]+)"', text))
        text = text[: text.index("{-#")]
        text = re.sub(
            r"dense_resource<([^>]*)>", lambda name: f'dense<"0x{blobs[name[1]][8:]}">', text
        )
    return text.replace("arith.constant", "stablehlo.constant")


def compile(text: str, arguments: Sequence[Array]) -> tuple[float, Callable[[], Any]]:
    client = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(portable(text))
        start = time.perf_counter()
        loaded = client.compile_and_load(module, devices, xla_client.CompileOptions())
        seconds = time.perf_counter() - start
    with jax.enable_x64(True):
        buffers = [jax.device_put(argument) for argument in arguments]

    def run() -> None:
        for shards in loaded.execute_sharded(buffers).disassemble_into_single_device_arrays():
            shards[0].block_until_ready()

    return seconds, run


if __name__ == "__main__":
    jax.numpy.linalg.cholesky(np.eye(2, dtype=np.float32))
    jaxlib.lapack._lapack.initialize()
    for platform, targets in jaxlib.cpu_sparse.registrations().items():
        for name, handler, version in targets:
            jax.ffi.register_ffi_target(name, handler, platform=platform, api_version=version)
    serve(compile)
