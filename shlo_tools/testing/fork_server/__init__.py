"""Programs that start in some milliseconds: forks of a process that has loaded what they need.

    server = fork_server.start({**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    subprocess.run([*server.command("shlo_tools.tools.opt"), "model.mlir", "--cse"])

Most of what a short test takes is the start of its tools: MLIR, numpy and some hundred modules.
Here one process (``__main__``) loads them, and forks for each program. So a program is a process as
any other, with the open files, the folder and the variables of whoever starts it (``client``), and
its end is seen there, a crash as well. A program whose variables ask for another Python
(``PYTHONPATH``, ``LD_PRELOAD``, ...) starts the usual way.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from shlo_tools.testing.fork_server import client


def start(environment: Mapping[str, str]) -> ForkServer | None:
    """A server, where processes can be forked.

    Args:
        environment: what it sees; programs that are to be served have the same of ``PYTHONPATH``
            and the like. It has to keep numpy's BLAS to one thread, as a fork has no others.
    """
    return ForkServer(environment) if hasattr(os, "fork") else None


def write_command(file: Path, words: Sequence[str]) -> None:
    """Write a command of the shell that stands for words; what it is given comes behind them."""
    file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    file.chmod(0o755)


class ForkServer:
    """A server that ends with this process, or when it is closed.

    Attributes:
        address: of a socket that is there as soon as all is loaded; until then programs start the
            usual way.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.address = Path(tempfile.mkdtemp(prefix="shlo-fork-server-")) / "socket"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(self.address)],
            env=dict(environment),
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self._owner = os.getpid()
        atexit.register(self.close)

    def command(self, module: str) -> list[str]:
        """The words that do what ``python -P -m module`` does."""
        return [sys.executable, "-I", "-S", client.__file__, str(self.address), module]

    def path(self, modules: Mapping[str, str]) -> str:
        """PATH, and in front of it a folder of commands: their names, and the modules they run."""
        folder = self.address.parent / "bin"
        folder.mkdir()
        for name, module in modules.items():
            write_command(folder / name, self.command(module))
        return os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])

    def close(self) -> None:
        """End it; programs that still run go on. In a fork of who started it, nothing happens."""
        atexit.unregister(self.close)
        if os.getpid() != self._owner:
            return
        self._process.kill()
        self._process.communicate()
        shutil.rmtree(self.address.parent, ignore_errors=True)
