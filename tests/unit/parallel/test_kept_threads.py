"""Threads that run processes are kept for the next grid, in bounds, and end with their process."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from shlo_tools.errors import ExecutionError
from shlo_tools.processes import Grid, Process, run_processes, threads


def grid(count: int) -> list[Process]:
    shared = Grid(count, 1)
    return [Process((replica, 0), shared) for replica in range(count)]


def numbers(count: int) -> set[Any]:
    return set(run_processes(grid(count), lambda _: threading.get_ident()))


def test_the_next_grid_has_the_same_threads() -> None:
    first = numbers(3)
    assert len(first) == 3
    assert numbers(3) == first
    assert numbers(2) < first


def test_as_many_are_kept_as_there_is_use_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_MOST", 2)
    numbers(6)
    kept = [t for t in threading.enumerate() if t.name.startswith("shlo-process")]
    patience = time.monotonic() + 10
    while sum(thread.is_alive() for thread in kept) > max(2, len(threads._idle)):
        assert time.monotonic() < patience
        time.sleep(0.01)


def test_a_grid_for_which_there_are_no_threads_keeps_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "_idle", [])
    start, started = threading.Thread.start, list[threading.Thread]()

    def start_three(thread: threading.Thread) -> None:
        if len(started) == 3:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start_three)
        with pytest.raises(ExecutionError, match="grid of 5 processes: the system gives no thread"):
            numbers(5)
    assert threads.busy_count() == 0
    assert numbers(3) == {thread.ident for thread in started}
    threads.dismiss(threads._idle)


def test_a_grid_in_a_process_of_a_grid_has_threads_of_its_own() -> None:
    def outer(process: Process) -> Any:
        return process.id, run_processes(grid(2), lambda inner: inner.id)

    inner = [(0, 0), (1, 0)]
    assert run_processes(grid(2), outer) == [((0, 0), inner), ((1, 0), inner)]


def test_grids_of_many_threads_do_not_disturb_each_other() -> None:
    """One fails, and is stopped, while others meet on threads that failing grids had."""

    def fails(process: Process) -> None:
        raise ValueError(process.id)

    def meets(process: Process) -> Any:
        group = [(0, 0), (1, 0)]
        return [sum(process.exchange("sum", 0, group, n)) for n in range(20)]

    wrong: list[Any] = []

    def repeat(body: Callable[[], None]) -> None:
        for _ in range(20):
            try:
                body()
            except BaseException as error:
                wrong.append(error)

    def failing() -> None:
        with pytest.raises(ValueError, match=r"0, 0|1, 0"):
            run_processes(grid(2), fails)

    def meeting() -> None:
        assert run_processes(grid(2), meets) == [[2 * n for n in range(20)]] * 2

    callers = [threading.Thread(target=repeat, args=[body]) for body in (failing, meeting) * 3]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert not wrong
    assert threads.busy_count() == 0


SCRIPT = """
import os, threading
from shlo_tools.processes import Grid, Process, run_processes
def numbers():
    shared = Grid(2, 1)
    return run_processes([Process((n, 0), shared) for n in range(2)], lambda p: p.id)
assert numbers() == [(0, 0), (1, 0)]
child = os.fork()
if child == 0:
    os._exit(0 if numbers() == [(0, 0), (1, 0)] else 1)
assert os.waitpid(child, 0)[1] == 0
print("ended")
"""


def test_a_forked_child_starts_its_own_and_the_process_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
