"""Benchmark worker: IREE's CPU backend. Runs in a process, and an interpreter, of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from iree import runtime
from iree.compiler import api

from shlo_tools.tools.bench.workers.serving import Array, Call, serve

_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
    "--iree-input-demote-f64-to-f32=false",
)


@dataclass(frozen=True)
class Program:
    """A loaded module and its function."""

    context: Any
    function: Any


class Iree:
    """Programs compiled and called in process, with arrays on IREE's device."""

    def __init__(self) -> None:
        self.config = runtime.Config("local-task")

    def prepare(self, text: str) -> str:
        return text

    def compile(self, text: str) -> Program:
        session = api.Session()
        session.set_flags(*_FLAGS)
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        if not invocation.parse_source(api.Source.wrap_buffer(session, text.encode() + b"\0")):
            raise ValueError("IREE cannot read the program")
        if not invocation.execute():
            raise ValueError("IREE cannot compile the program")
        output = api.Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        instance = self.config.vm_instance
        module = runtime.VmModule.copy_buffer(instance, bytes(output.map_memory()))
        device_module = runtime.create_hal_module(instance, self.config.device)
        context = runtime.VmContext(instance, [device_module, module])
        return Program(context, module.lookup_function("main"))

    def bind(self, program: Program, arguments: Sequence[Array]) -> Call:
        device = self.config.device
        buffers = [runtime.asdevicearray(device, argument) for argument in arguments]

        def call() -> Any:
            inputs, results = runtime.VmVariantList(len(buffers)), runtime.VmVariantList(1)
            for buffer in buffers:
                inputs.push_ref(buffer._buffer_view)
            program.context.invoke(program.function, inputs, results)
            return results

        return call

    def arrays(self, results: Any) -> list[Array]:
        views = [results.get_as_object(i, runtime.HalBufferView) for i in range(len(results))]
        arrays = [runtime.DeviceArray(self.config.device, view).to_host() for view in views]
        return [np.asarray(array) for array in arrays]


if __name__ == "__main__":
    serve(Iree())
