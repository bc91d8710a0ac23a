"""The child process of ``remote``: compiles and runs what it is sent."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import shlo_tools
from shlo_tools import workers
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.calling.profile import Profile

Answer = tuple[int, str, Signature[str]]


def _serve() -> None:
    executables: dict[int, Executable] = {}
    numbers = itertools.count()

    def forget(forgotten: list[int]) -> None:
        for number in forgotten:
            executables.pop(number, None)  # of an earlier child, where that died

    def compile(forgotten: list[int], source: Any, options: dict[str, Any]) -> Answer:
        return keep(forgotten, shlo_tools.compile(source, **options))

    def compile_sharded(forgotten: list[int], source: Any, options: dict[str, Any]) -> Answer:
        return keep(forgotten, shlo_tools.compile_sharded(source, **options))

    def run_spmd(source: Any, arguments: Any, whole: Any, options: dict[str, Any]) -> Any:
        return shlo_tools.run_spmd(source, arguments, whole=whole, **options)

    def keep(forgotten: list[int], executable: Executable) -> Answer:
        forget(forgotten)
        number = next(numbers)
        executables[number] = executable
        inputs, results = executable.signature.inputs, executable.signature.results
        signature = Signature(tuple(map(str, inputs)), tuple(map(str, results)))
        return number, executable.name, signature

    def call(
        forgotten: list[int],
        number: int,
        arguments: list[Any],
        cast: bool,
        timeout: float | None,
    ) -> Sequence[Any]:
        forget(forgotten)
        return executables[number]._run(arguments, cast, timeout)

    def profile(
        number: int,
        arguments: list[Any],
        cast: bool,
        timeout: float | None,
        calls: int | None,
    ) -> Profile:
        return executables[number]._profiled(arguments, cast, timeout, calls)

    def ir(number: int, stage: str) -> str:
        return executables[number].ir(stage)

    def dump_kernels(number: int, folder: str) -> None:
        executables[number].dump_kernels(folder)

    def save_executable(number: int, path: str) -> None:
        executables[number].save(path)

    def save(source: bytes, path: str) -> None:
        shlo_tools.save(shlo_tools.load(source), path)

    functions = (
        *(compile, compile_sharded, run_spmd, call, profile),
        *(ir, dump_kernels, save_executable, save),
    )
    workers.serve({function.__name__: function for function in functions})


if __name__ == "__main__":
    _serve()
