"""Executables from files, without a pass and without LLVM."""

from __future__ import annotations

import os

from shlo_tools.calling.executable import Executable
from shlo_tools.cpu.process_library.threads import limit_of
from shlo_tools.cpu.saved import files
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable


def load_executable(
    path: str | os.PathLike[str], *, trusted: bool = False, threads: int | None = None
) -> Executable:
    """An executable that ``save`` has written, ready to run; nothing is compiled.

    A file of an executable is code: it runs with all rights of this process. Constants stay in
    the file, which is mapped into memory. Functions of custom calls are found by their names.

    Args:
        trusted: load a file as well that other users own or can write.
        threads: how many threads a call may use at most, as ``compile`` takes it; files know none.

    Raises:
        UnsupportedError: it was made for another machine, or another version of this package.
        ShloError: it cannot be read, is no such file, is damaged, or others can write it; or
            there is no such number of threads.
    """
    limit = limit_of(threads)
    executable = executable_of(files.read(path, trusted=trusted))
    executable.threads = limit
    return executable


def executable_of(contents: ExecutableParts) -> StagedExecutable | SizedExecutable:
    """What runs the contents of a file."""
    if contents.module:
        return building.loaded(contents)
    return StagedExecutable(
        contents.name, contents.signature, contents.program, contents.code, contents.constants
    )
