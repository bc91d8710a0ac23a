"""Scripts that run on the ranks of an MPI job, in child processes that do not outlive a test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from shlo_tools.testing import fork_server, substitutions
from shlo_tools.testing.fork_server import ForkServer

HERE = Path(__file__).resolve().parent
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join([str(HERE.parents[2]), str(HERE)]),
    "OPENBLAS_NUM_THREADS": "1",
}
_BESIDE = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
MPIEXEC = _BESIDE or shutil.which("mpiexec")

mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or MPIEXEC is None,
    reason="needs mpi4py and mpiexec: pip install -e '.[mpi]'",
)


def started(words: list[str], ranks: int) -> subprocess.Popen[str]:
    """A job in a session of its own."""
    return subprocess.Popen(
        [str(MPIEXEC), "-n", str(ranks), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def ended(job: subprocess.Popen[str], timeout: float = 100) -> tuple[int, str, str]:
    """The exit status of a job and what it wrote; a job that hangs fails the test."""
    try:
        output, errors = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        output, errors = job.communicate()
        pytest.fail(f"the job hangs:\n{output}\n{errors}")
    return job.returncode, output, errors


def run(script: str, ranks: int) -> tuple[int, str, str]:
    """Run a script on all ranks; its exit status and what it wrote."""
    return ended(started([*module("rank_script"), script], ranks))


def module(name: str) -> list[str]:
    """The words that do what ``python -m name`` does, on a rank."""
    return substitutions.command(name, _server())


@cache
def _server() -> ForkServer | None:
    """Ranks are its forks, since most of what they take is the start of Python and its modules."""
    return fork_server.start(ENVIRONMENT)
