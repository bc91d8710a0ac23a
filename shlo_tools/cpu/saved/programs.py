"""Compiled programs on disk: what a second process finds by the bytes of the program.

A program whose meaning is not in its bytes alone is compiled in each process: custom calls mean
what is registered there, and constants may be in a file beside it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from shlo_tools import files, mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.codegen import target
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.saved import contents, loading
from shlo_tools.cpu.saved.container import Bytes, DamagedContainer
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.errors import UnsupportedError
from shlo_tools.program.external_constants import file_of

_PART = 4  # a program that takes more than a fourth of the folder's limit is not kept


@dataclass(frozen=True)
class Known:
    """A program's place on disk.

    Attributes:
        key: its path.
        data: its bytes, as text or bytecode.
        path: where they were read; '' for a program that is in no file.
    """

    key: str
    data: bytes
    path: str

    def found(self) -> StagedExecutable | SizedExecutable | None:
        """What runs the program, if disk has it whole."""
        image = store.read(self.key)
        if image is None:
            return None
        try:
            return loading.executable_of(contents.unpacked(memoryview(image)))
        except (DamagedContainer, UnsupportedError):
            return None

    def keep(self, compiled: Executable) -> None:
        """Keep what was compiled, where it can be and is not too large."""
        if not isinstance(compiled, StagedExecutable | SizedExecutable):
            return
        if self._has_changed():
            return
        try:
            pieces = contents.packed(compiled.contents(), with_library=False)
        except UnsupportedError:
            return
        size = sum(memoryview(piece).nbytes for piece in pieces)
        if size <= store.limit() // _PART:
            store.write([self.key], partial(_write, pieces))

    def _has_changed(self) -> bool:
        """Whether the program's file is another one than when compiling began."""
        try:
            return bool(self.path) and Path(self.path).read_bytes() != self.data
        except OSError:
            return True


def _write(pieces: Sequence[Bytes], path: str) -> None:
    with open(path, "wb") as file:
        file.writelines(pieces)


def known(source: Any, options: list[Any]) -> Known | None:
    """Where a program would be on disk; None where nothing is kept.

    Args:
        source: see ``program.module_of``.
        options: what compiling depends on beside it.
    """
    if not store.keeps("program"):
        return None
    source, path = getattr(source, "module", source), ""
    if program.is_path(source):
        path = os.fspath(source)
        data = files.read_file(path)
    elif isinstance(source, str):
        data = source.encode(errors="surrogatepass")
    elif isinstance(source, bytes):
        data = source
    elif hasattr(source, "operation"):
        data = program.to_bytecode(source)
    else:
        return None
    described = repr([*options, path, target.host().name, _sources()]).encode()
    return Known(store.key("program", described + b"\0" + data), data, path)


def is_whole(module: mlir.Module, ops: list[mlir.Operation]) -> bool:
    """Whether a program's bytes say all that it means."""
    return not file_of(module.operation) and not any(
        op.name == "stablehlo.custom_call" for op in ops
    )


@cache
def _sources() -> str:
    """What changes whenever a file of this package changes that compiling depends on."""
    folder = str(Path(__file__).parents[2])
    passes = os.path.realpath(f"{folder}/passes")  # in a checkout it lies elsewhere
    return store.sources(folder, passes)
