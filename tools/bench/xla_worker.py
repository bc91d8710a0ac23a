"""Benchmark worker: XLA:CPU through jaxlib. Runs in a process, and an interpreter, of its own."""

from __future__ import annotations

import re
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

from shlo_tools.tools.bench.worker import Array, Call, serve


class Xla:
    """Programs compiled by XLA:CPU, called with arrays on its device."""

    def __init__(self) -> None:
        jax.numpy.linalg.cholesky(np.eye(2, dtype=np.float32))
        jaxlib.lapack._lapack.initialize()
        for platform, targets in jaxlib.cpu_sparse.registrations().items():
            for name, handler, version in targets:
                jax.ffi.register_ffi_target(name, handler, platform=platform, api_version=version)
        self.client = xla_bridge.get_backend("cpu")
        self.program: Any = None
        self.devices = xla_client.DeviceList(tuple(self.client.local_devices()[:1]))

    def prepare(self, text: str) -> str:
        """Resources inlined and arith.constant renamed, which XLA's importer refuses."""
        if "dense_resource" in text:
            blobs = dict(re.findall(r'(\S+): "0x([0-9A-F]+)"', text))
            text = text[: text.index("{-#")]
            text = re.sub(
                r"dense_resource<([^>]*)>", lambda name: f'dense<"0x{blobs[name[1]][8:]}">', text
            )
        return text.replace("arith.constant", "stablehlo.constant")

    def compile(self, text: str) -> Any:
        with jax_mlir.make_ir_context():
            module = ir.Module.parse(text)
            options = xla_client.CompileOptions()
            self.program = self.client.compile_and_load(module, self.devices, options)
            return self.program

    def memory(self) -> dict[str, int]:
        """What XLA's analysis says of the last program, in bytes."""
        stats = self.program.get_compiled_memory_stats()
        results = stats.output_size_in_bytes - stats.alias_size_in_bytes
        return {"temporaries": stats.temp_size_in_bytes, "results": results}

    def bind(self, program: Any, arguments: Sequence[Array]) -> Call:
        with jax.enable_x64(True):
            buffers = [jax.device_put(argument) for argument in arguments]

        def call() -> list[Any]:
            results = program.execute_sharded(buffers)
            arrays = [shard[0] for shard in results.disassemble_into_single_device_arrays()]
            for array in arrays:
                array.block_until_ready()
            return arrays

        return call

    def arrays(self, results: Any) -> list[Array]:
        return [np.asarray(result) for result in results]


if __name__ == "__main__":
    xla = Xla()
    serve(xla, memory=xla.memory)
