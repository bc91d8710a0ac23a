"""What goes wrong on one rank ends the call on all of them, with one error; no job hangs."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from mpi_jobs import ended, mpi, run, started

pytestmark = mpi

START = """
import os, sys, threading, time
import numpy as np
import shlo_tools
from shlo_tools import errors, parallel
from shlo_tools.parallel import mpi
from shlo_tools.processes import threads
from test_failures import ENDLESS, NOTHING, ONE, TWO, broadcast, gather

@shlo_tools.custom_call("tests.raises")
def raises(x):
    time.sleep(0.1)
    raise KeyError("mine")

RAISES = '''
  func.func @raises(%a: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.custom_call @tests.raises(%a) {has_side_effect = true}
      : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }'''
THREADS = set(threading.enumerate())
rank = mpi.job().rank

def fails(error, text, arguments, names, **options):
    try:
        parallel.run_mpmd(text, arguments, [[name] for name in names], transport="mpi", **options)
    except error as raised:
        report = f"{rank} raised {raised} {getattr(raised, '__notes__', '')}\\n"
        print(report, end="", flush=True)  # in one piece: ranks share the output
        kept = ("shlo-watch", "shlo-process")
        started = set(threading.enumerate()) - THREADS
        left = [t for t in started if not t.name.startswith(kept)] or threads.busy_count()
        assert not left, left
    # The next call knows nothing of it.
    whole = parallel.run_spmd(gather("main"), TWO, transport="mpi", gather=True, timeout=60)
    assert [x.tolist() for x in whole] == [[1, 2, 1, 2]] * 2
"""


def lines(script: str, ranks: int) -> list[str]:
    """What the ranks print, by their numbers."""
    status, output, errors = run(START + script, ranks)
    assert status == 0, errors
    return sorted(output.splitlines())


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_all_ranks_raise_what_a_process_raises(ranks: int) -> None:
    """Those whose processes wait for it, those that compute, and such as have none."""
    for other in ("waits", "endless"):
        text, first = ("gather('waits')", "TWO[0]") if other == "waits" else ("ENDLESS", "ONE[0]")
        script = f"fails(KeyError, {text} + RAISES, [{first}, TWO[1]], [{other!r}, 'raises'])"
        report = lines(script, ranks)
        assert len(report) == ranks
        for rank, line in enumerate(report):
            assert line.startswith(f"{rank} raised 'mine'")
            assert "in process (1, 0) of the grid" in line
            assert f"on rank {min(ranks - 1, ranks // 2)} of {ranks}" in line


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("broadcast('q')", r"deadlock: process \(0, 0\) waits in all_gather .*broadcast.*rank 1"),
        ("NOTHING", r"deadlock: process \(0, 0\) waits in all_gather for \[\(1, 0\)\]"),
        ("gather('q', '2x3xi32')", r"\(0, 0\) brings .*2 int32.*\(1, 0\).*2x3 int32"),
        ("gather('q', '2xf32')", r"\(0, 0\) brings .*2 int32.*\(1, 0\).*2 float32"),
    ],
)
def test_what_does_not_fit_together_is_told_on_all_ranks(other: str, message: str) -> None:
    """Another op, nothing at all, another shape, another type."""
    second = {"gather('q', '2x3xi32')": "[np.zeros((2, 3), np.int32)]"}.get(other, "TWO[1]")
    if "f32" in other:
        second = "[np.zeros(2, np.float32)]"
    script = f"fails(errors.ExecutionError, gather('p') + {other}, [TWO[0], {second}], ['p', 'q'])"
    report = lines(script, 2)
    assert len(report) == 2
    for line in report:
        assert re.search(message, line), line


def test_other_groups_are_a_deadlock() -> None:
    """One process gathers from all, the others in pairs."""
    script = """
pairs = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
every = "replica_groups = dense<[[3, 2], [1, 0]]> : tensor<2x2xi64>"
text = gather("p", groups=pairs) + gather("q", groups=every)
fails(errors.ExecutionError, text, TWO * 2, ["p", "q", "p", "p"])
"""
    report = lines(script, 2)
    assert len(report) == 2
    for line in report:
        assert "process (0, 0) waits in all_gather for [(1, 0)] (on rank 0)" in line


def test_timeout_ends_all_ranks() -> None:
    script = """
text = ENDLESS + gather("waits")
rows = [ONE[0], TWO[0]]
fails(errors.ExecutionTimeout, text, rows, ["endless", "waits"], timeout=0.3)
"""
    report = lines(script, 3)
    assert [line.split()[:2] for line in report] == [[str(rank), "raised"] for rank in range(3)]


def test_who_raises_outside_of_a_call_ends_the_job() -> None:
    script = """
if rank == 1:
    raise ValueError("this rank does not come")
parallel.run_spmd(gather("main"), TWO, transport="mpi")
"""
    status, _, report = run(START + script, 2)
    assert status != 0
    assert "ValueError: this rank does not come" in report


RUNNING = """
print(f"rank {rank} {os.getpid()}\\n", end="", flush=True)
text = ENDLESS + gather("waits")
rows = [["endless"], ["waits"]]
parallel.run_mpmd(text, [ONE[0], TWO[0]], rows, transport="mpi")
"""


@pytest.mark.parametrize("how", ["kill", "interrupt"])
def test_nothing_is_left_of_a_job_that_is_ended(how: str) -> None:
    """A rank that dies, computing or waiting, and Ctrl-C."""
    for victim in (0, 1):
        before = _segments()
        job = started([sys.executable, "-c", START + RUNNING], 2)
        assert job.stdout is not None
        numbers = {}
        for _ in range(2):
            _, rank, number = job.stdout.readline().split()
            numbers[int(rank)] = int(number)
        time.sleep(1)
        os.kill(*(numbers[victim], signal.SIGKILL) if how == "kill" else (job.pid, signal.SIGINT))
        status, output, _ = ended(job, 60)
        assert status != 0
        assert how != "kill" or "BAD TERMINATION" in output, output
        patience = time.monotonic() + 10
        while left := [*filter(_is_running, numbers.values()), *(_segments() - before)]:
            assert time.monotonic() < patience, left
            time.sleep(0.1)


def _segments() -> set[Path]:
    """Memory that MPI's ranks share."""
    return set(Path("/dev/shm").glob("mpich_shm_*"))


def _is_running(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
