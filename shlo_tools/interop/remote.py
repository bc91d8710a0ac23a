"""Compiling and running in a child process, for processes that hold another MLIR (JAX's).

The child is one Python process per parent, started on first use and ended with it. Programs go
there as text, arrays as bytes; errors come back as they were raised. ``worker`` is what it runs.
"""

from __future__ import annotations

import atexit
import functools
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from shlo_tools.calling.arrays import offered
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.errors import ShloError
from shlo_tools.interop.messages import received, send


class RemoteExecutable(Executable):
    """An executable that lives in a child process; its signature is text."""

    def __init__(self, number: int, name: str, signature: Signature[str]) -> None:
        self._number = number
        self.name = name
        self.signature = signature

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        arrays = [offered(argument, index) for index, argument in enumerate(arguments)]
        results: Sequence[Any] = _worker().ask("call", self._number, arrays, cast, timeout)
        return results

    def __del__(self) -> None:
        _forgotten.append(self._number)  # told with the next request: this may run during one


def compile(source: str | bytes, **options: Any) -> RemoteExecutable:
    """Like ``shlo_tools.compile``, in the child process."""
    number, name, signature = _worker().ask("compile", source, options)
    return RemoteExecutable(number, name, signature)


_forgotten: list[int] = []


class _Worker:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "shlo_tools.interop.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        theirs.close()
        self._pipe = Connection(ours.detach())
        self._lock = threading.Lock()
        atexit.register(self._process.terminate)

    def ask(self, *request: Any) -> Any:
        with self._lock:
            try:
                send(self._pipe, (_taken(_forgotten), *request))
                ended, answer = received(self._pipe)
            except (EOFError, OSError) as error:
                status = self._process.wait()
                _worker.cache_clear()
                raise ShloError(f"the compiling process ended with status {status}") from error
        if ended == "raised":
            raise answer
        return answer


def _taken(numbers: list[int]) -> list[int]:
    return [numbers.pop() for _ in range(len(numbers))]


@functools.cache
def _worker() -> _Worker:
    return _Worker()
