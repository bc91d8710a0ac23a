"""Benchmark worker: XLA:CPU through jaxlib. Runs in a process, and an interpreter, of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from shlo_tools.tools.bench.workers.serving import Array, Call, serve
from shlo_tools.xla import client


class Xla:
    """Programs compiled by XLA:CPU, called with arrays on its device."""

    def __init__(self) -> None:
        self.client = client.client()
        self.program: Any = None

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
        self.program = client.compile(self.client, text)
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
            return [shards[0] for shards in client.called(program, buffers)]

        return call

    def arrays(self, results: Any) -> list[Array]:
        return [np.asarray(result) for result in results]


if __name__ == "__main__":
    xla = Xla()
    serve(xla, memory=xla.memory)
