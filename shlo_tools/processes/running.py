"""Running a grid: a thread for each process."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from shlo_tools.processes import threads
from shlo_tools.processes.process import Process, entered
from shlo_tools.processes.waiting import Inbox, next_of

_LOOK = 0.1  # seconds between looks at threads that are to end


def run_processes(
    processes: Sequence[Process],
    run: Callable[[Process], Any],
    stop: Callable[[], None] = lambda: None,
) -> list[Any]:
    """Run a function for every process of a grid, each in a thread; returns the results.

    Args:
        stop: called when a process fails or the caller is interrupted, and again until all have
            ended: it ends what the others compute.

    Raises:
        BaseException: what the first process to fail raised; a deadlock is an ExecutionError.
    """
    results: list[Any] = [None] * len(processes)
    failures: list[BaseException] = []
    ended: list[Process] = []
    ends: Inbox[None] = Inbox()

    def main(number: int, process: Process) -> None:
        error: BaseException | None = None
        try:
            with entered(process):
                results[number] = run(process)
        except BaseException as raised:
            if process.grid.num_replicas * process.grid.num_partitions > 1:
                raised.add_note(f"in process {process.id} of the grid")
            failures.append(raised)
            error = raised
        process.grid.leave(process.id, error)
        ended.append(process)
        ends.put(None)

    crew = threads.take(len(processes))
    begun = 0
    try:
        for number, (thread, process) in enumerate(zip(crew, processes, strict=True)):
            thread.run(partial(main, number, process))
            begun += 1
        while len(ended) < begun and not failures:
            next_of(ends)
        _end(ends, lambda: len(ended) < begun, stop)
    except BaseException:  # Ctrl-C, or what a signal handler raises
        for process in processes:
            process.grid.fail("the grid was interrupted")
        try:
            _end(ends, lambda: len(ended) < begun, stop)
        finally:
            threads.dismiss(crew)
        raise
    # Not before: what stops threads of this grid would stop another one's that run in them.
    threads.give_back(crew)
    if failures:
        raise failures[0]
    return results


def _end(
    ends: queue.SimpleQueue[None], some_run: Callable[[], bool], stop: Callable[[], None]
) -> None:
    """Have those end that run still, whatever they have begun."""
    while some_run():
        stop()
        with suppress(queue.Empty):
            next_of(ends, _LOOK)
