"""XLA:CPU as a judge: programs come in as pickles, results go out. No other MLIR is loaded here."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

from runs.serving import serve


def answer(text: str, inputs: list[Any]) -> tuple[str, Any]:
    client = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    try:
        with jax_mlir.make_ir_context():
            loaded = client.compile_and_load(
                ir.Module.parse(text), devices, xla_client.CompileOptions()
            )
        with jax.enable_x64(True):
            buffers = [jax.device_put(array) for array in inputs]
            results = loaded.execute_sharded(buffers).disassemble_into_single_device_arrays()
            return "done", [np.asarray(shards[0]) for shards in results]
    except (ir.MLIRError, jax.errors.JaxRuntimeError, ValueError, TypeError) as error:
        return "refused", str(error).partition("\n")[0]


if __name__ == "__main__":
    serve(answer)
