"""Running a grid: a thread for each process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any

from shlo_tools.processes.process import Process, entered

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
    failures: list[BaseException] = []

    def main(process: Process) -> Any:
        error: BaseException | None = None
        try:
            with entered(process):
                return run(process)
        except BaseException as raised:
            if process.grid.num_replicas * process.grid.num_partitions > 1:
                raised.add_note(f"in process {process.id} of the grid")
            failures.append(raised)
            error = raised
            raise
        finally:
            process.grid.leave(process.id, error)

    with ThreadPoolExecutor(len(processes), "shlo-process") as pool:
        futures = [pool.submit(main, process) for process in processes]
        try:
            _wait(futures, stop)
        except BaseException:  # Ctrl-C, or what a signal handler raises
            for process in processes:
                process.grid.fail("the grid was interrupted")
            _wait(futures, stop, ending=True)
            raise
    if failures:
        raise failures[0]
    return [future.result() for future in futures]


def _wait(futures: Sequence[Future[Any]], stop: Callable[[], None], ending: bool = False) -> None:
    """Wait for threads; as soon as one fails the others are to end, whatever they have begun."""
    left = set(futures)
    while left:
        if ending:
            stop()
        done, left = wait(left, _LOOK if ending else None, FIRST_EXCEPTION)
        ending = ending or any(future.exception() for future in done)
