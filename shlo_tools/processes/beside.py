"""Threads of what goes on beside a process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes.meeting import Grid
from shlo_tools.processes.turns import Turn


def run(
    grid: Grid, process: ProcessId, function: Callable[[], Any], turn: Turn | None
) -> Future[Any]:
    """Run something in a thread of its own, as another one that runs for a process.

    Args:
        turn: is over then, unless it is handed on meanwhile.
    """
    was_handed_on = turn is not None and turn.is_handed_on

    def leave(future: Future[Any]) -> None:
        if turn is not None and turn.is_handed_on == was_handed_on:
            turn.over.set()
        grid.leave(process, future.exception())

    grid.enter()
    pool = ThreadPoolExecutor(1, "shlo-async")
    try:
        future = pool.submit(function)
    except RuntimeError as error:  # no thread
        if turn is not None:
            turn.over.set()
        grid.leave(process, error)
        raise ExecutionError(f"nothing can begin beside process {process}: {error}") from error
    # Not before it is done: else who waits for it would seem to wait for nobody.
    future.add_done_callback(leave)
    pool.shutdown(wait=False)  # as soon as that is done
    return future


def hand_on(
    grid: Grid, process: ProcessId, function: Callable[[], Any], turn: Turn | None
) -> Future[Any]:
    """Run something in a thread of its own that takes over the turn of the calling one."""
    if turn is not None:
        turn.is_handed_on = True
    return run(grid, process, function, turn)
