"""Compiling and running in a child process, for processes that hold another MLIR, such as JAX's.

Programs go there as text, arrays as bytes. One child serves a process; it starts with the first
program and ends with the process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from shlo_tools import workers
from shlo_tools.calling.arrays import offered
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.calling.profile import Profile
from shlo_tools.errors import UnsupportedError
from shlo_tools.workers import Worker


class RemoteExecutable(Executable):
    """An executable that lives in a child process; its signature is text."""

    def __init__(
        self,
        worker: Worker,
        number: int,
        name: str,
        signature: Signature[str],
        threads: int | None = None,
    ) -> None:
        self._worker = worker
        self._number = number
        self.name = name
        self.signature = signature
        self.texts = partial(worker.ask, "ir", number)
        self.threads = threads
        self.dumps = lambda folder: worker.ask("dump_kernels", number, os.path.abspath(folder))

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        arrays = [offered(argument, index) for index, argument in enumerate(arguments)]
        forgotten = _taken(_forgotten)
        results: Sequence[Any] = self._worker.ask(
            "call", forgotten, self._number, arrays, cast, timeout
        )
        return results

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        arrays = [offered(argument, index) for index, argument in enumerate(arguments)]
        profile: Profile = self._worker.ask("profile", self._number, arrays, cast, timeout, calls)
        return profile

    def save(self, path: str | os.PathLike[str]) -> None:
        self._worker.ask("save_executable", self._number, os.path.abspath(path))

    def __del__(self) -> None:
        _forgotten.append((self._worker, self._number))  # told later: this may run in a request


def compile(
    source: str | bytes | os.PathLike[str],
    *,
    action: Literal["compile", "compile_sharded"] = "compile",
    **options: Any,
) -> RemoteExecutable:
    """Like ``shlo_tools.compile``, in the child process; or ``compile_sharded``."""
    source, options = _for_child(source, options)
    worker = workers.worker_of("shlo_tools.interop.worker")
    number, name, signature = worker.ask(action, _taken(_forgotten), source, options)
    return RemoteExecutable(worker, number, name, signature, options.get("threads"))


def run_spmd(
    source: str | bytes | os.PathLike[str],
    arguments: Sequence[Sequence[Any]] | None,
    whole: Sequence[Any] | None,
    options: dict[str, Any],
) -> Any:
    """Like ``shlo_tools.run_spmd``, in the child process.

    Raises:
        UnsupportedError: functions of the host are to be called, which cannot be sent there.
    """
    if any(options.get(name) is not None for name in ("from_host", "to_host")):
        raise UnsupportedError("where JAX is loaded, programs run in a child, without channels")
    source, options = _for_child(source, options)
    if options.get("infeed") is not None:
        options["infeed"] = [[_sent(fed) for fed in feeds] for feeds in options["infeed"]]
    rows = None if arguments is None else [_sent(row) for row in arguments]
    worker = workers.worker_of("shlo_tools.interop.worker")
    return worker.ask("run_spmd", source, rows, _sent(whole), options)


def _sent(row: Any) -> Any:
    """Arrays of a list as numpy's, which the child can read; what else there is, it refuses."""
    if isinstance(row, list | tuple):
        return [offered(each, index) for index, each in enumerate(row)]
    return row if row is None else offered(row, 0)


def _for_child(
    source: str | bytes | os.PathLike[str], options: dict[str, Any]
) -> tuple[str | bytes | os.PathLike[str], dict[str, Any]]:
    """A program and options as the child takes them, whose working directory may be another one."""
    if options.get("transport") == "mpi":
        raise UnsupportedError("where JAX is loaded, programs run in a child: it is no rank of MPI")
    if isinstance(source, os.PathLike):
        source = Path(os.path.abspath(source))
    if isinstance(options.get("cache"), str | os.PathLike):
        options = options | {"cache": os.path.abspath(options["cache"])}
    return source, options


def save(source: bytes, path: str) -> None:
    """Like ``shlo_tools.save``, in the child process."""
    workers.worker_of("shlo_tools.interop.worker").ask("save", source, path)


_forgotten: list[tuple[Worker, int]] = []


def _taken(forgotten: list[tuple[Worker, int]]) -> list[int]:
    numbers = [forgotten.pop() for _ in range(len(forgotten))]
    return [number for worker, number in numbers if worker.is_alive]
