"""A fork server's process: no threads and no context of MLIR, which forks must not take along.

python -P -m shlo_tools.testing.fork_server ADDRESS      # of the socket that it makes
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import importlib
import importlib.util
import marshal
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO, cast

from shlo_tools import mlir
from shlo_tools.testing import substitutions
from shlo_tools.testing.fork_server import client

# Variables that are read when Python, or a library that is loaded by now, begins.
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "DYLD_", "OPENBLAS_", "OMP_")


class Request(NamedTuple):
    """A module to run, and what it is given."""

    module: str
    arguments: list[str]
    folder: str
    environment: dict[str, str]
    descriptors: list[int]


def main() -> None:
    """Serve until standard input ends; in a fork, run what was asked for."""
    atexit.register(_leave)  # before what modules register, which so is called before it
    _load()
    gc.collect()
    gc.freeze()  # or each fork would copy what its collector looks at
    address = Path(sys.argv[1])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(f"{address}.bound")
        listener.listen(64)
        os.rename(f"{address}.bound", address)  # who finds it is heard
        request = _serve(listener)
    if request is None:
        shutil.rmtree(address.parent, ignore_errors=True)
        return
    sys.argv = [request.module, *request.arguments]
    try:
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)
        _statuses.append(0)
    except SystemExit as end:
        if isinstance(end.code, int):
            _statuses.append(end.code)
        raise


def _load() -> None:
    """Import what tools do, and what passes, backends and FileCheck are."""
    tools = {*substitutions.TOOLS.values()} - {"bench"}  # which has modules that want JAX
    packages = ["shlo_tools.passes", *(f"shlo_tools.tools.{name}" for name in sorted(tools))]
    for package in map(importlib.import_module, packages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    others = ["numpy.random", *(f"{mlir.PROVIDER}.dialects.{name}" for name in ("builtin", "func"))]
    others += [f"shlo_tools.{name}" for name in ("cpu.executable", "reference.executable")]
    others += ["filecheck.main"] if importlib.util.find_spec("filecheck") else []
    for name in others:
        importlib.import_module(name)


_statuses: list[int] = []  # of this process, where it ends by itself
_UNTIL_THE_END = "mpi4py.MPI"  # a module that leaves MPI when Python ends


def _leave() -> None:
    """End at once: to take all modules down takes longer than a short program."""
    if _statuses and _UNTIL_THE_END not in sys.modules:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(_statuses[0])


def _serve(listener: socket.socket) -> Request | None:
    """What a program's process is to run; nothing in the server's own, when its time is over."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how attendants end
    while True:
        ready, _, _ = select.select([listener, sys.stdin.fileno()], [], [])
        if listener not in ready:
            return None
        connection, _ = listener.accept()
        with connection:
            if os.fork() == 0:
                listener.close()
                return _attend(connection)


def _attend(connection: socket.socket) -> Request:
    """Fork the process of a program and tell its end; only that process comes back from here."""
    request, received = _received(connection)
    if _read_at_start(request.environment) != _read_at_start(os.environ):
        _end(connection, client.DECLINED)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    child = os.fork()
    if child:
        for number in received:
            os.close(number)
        ready, _, _ = select.select([connection.fileno(), woken], [], [])
        if woken not in ready:  # whoever waited for it is gone
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        _end(connection, str(os.waitstatus_to_exitcode(status)).encode())
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in (woken, waker, connection.detach()):
        os.close(number)
    _take_over(request, received)
    return request


def _received(connection: socket.socket) -> tuple[Request, list[int]]:
    """A request, and the descriptors that came with it."""
    head, received, _, _ = socket.recv_fds(connection, 8, client.MOST)
    with connection.makefile("rb") as stream:
        request = stream.read(int.from_bytes(head, "big"))
    return Request(*marshal.loads(request)), received


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in environment.items() if name.startswith(_READ_AT_START)}


def _take_over(request: Request, received: Sequence[int]) -> None:
    """Have the descriptors, the folder and the variables of whoever asked."""
    first = max(*request.descriptors, *received) + 1
    moved = [fcntl.fcntl(number, fcntl.F_DUPFD, first) for number in received]
    for number in received:
        os.close(number)
    for number, source in zip(request.descriptors, moved, strict=True):
        os.dup2(source, number)
        os.close(source)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = _opened(getattr(sys, name), mode)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)


def _opened(stream: TextIO, mode: str) -> TextIO:
    """A standard stream as Python opens it; the one before knows whether the server's can seek."""
    number = stream.fileno()
    by_lines = mode == "w" and (stream is sys.stderr or os.isatty(number))
    return cast(
        TextIO,
        open(
            number,
            mode,
            1 if by_lines else -1,
            encoding=stream.encoding,
            errors=stream.errors,
            closefd=False,
        ),
    )


def _end(connection: socket.socket, answer: bytes) -> NoReturn:
    """End an attendant, which owns nothing that has to be taken down."""
    with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
        connection.sendall(answer)
    os._exit(0)


if __name__ == "__main__":
    main()
