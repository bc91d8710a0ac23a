"""Threads that run processes of grids, kept from one grid to the next.

Starting a thread takes as long as a small collective. So threads wait for another task, as many as
a machine has use for; the others end. All are joined before the process ends, since they may be
inside compiled code; a forked child has none of them.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from collections.abc import Callable, Sequence

from shlo_tools.errors import ExecutionError
from shlo_tools.processes.waiting import Inbox, next_of

Task = Callable[[], None]

_MOST = 4 * (os.cpu_count() or 1) + 12  # threads that wait for something to do

_idle: list[Thread] = []
_busy: set[Thread] = set()
_numbers = itertools.count(1)


class Thread:
    """A thread that runs one task after the other. What a task raises is the task's to keep."""

    def __init__(self) -> None:
        self._tasks: Inbox[Task | None] = Inbox()
        name = f"shlo-process-{next(_numbers)}"
        # The interpreter would wait for others before it lets us end them.
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def run(self, task: Task) -> None:
        """Have it run a task after those that it has."""
        self._tasks.put(task)

    def end(self) -> None:
        """Have it end after the tasks that it has."""
        self._tasks.put(None)

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def _loop(self) -> None:
        while (task := next_of(self._tasks)) is not None:
            task()
            del task  # it may hold arrays, and the next one may come late


def take(count: int) -> list[Thread]:
    """Threads that have nothing to do; who takes them gives them back.

    Raises:
        ExecutionError: the system has not so many.
    """
    threads: list[Thread] = []
    try:
        while len(threads) < count:
            thread = _next()
            _busy.add(thread)
            threads.append(thread)
    except RuntimeError as error:  # what Python says of it
        give_back(threads)
        message = f"a grid of {count} processes: the system gives no thread after {len(threads)}"
        raise ExecutionError(message) from error
    return threads


def _next() -> Thread:
    try:
        return _idle.pop()
    except IndexError:
        return Thread()


def give_back(threads: Sequence[Thread]) -> None:
    """Keep threads for others; their tasks are done but for what is behind the last statement."""
    for thread in threads:
        _busy.discard(thread)
        if len(_idle) < _MOST:
            _idle.append(thread)
        else:
            thread.end()


def dismiss(threads: Sequence[Thread]) -> None:
    """Have threads end when they have done what they do."""
    for thread in threads:
        _busy.discard(thread)
        thread.end()


def busy_count() -> int:
    """How many threads have something to do."""
    return len(_busy)


def _end() -> None:
    threads = [*_idle, *_busy]
    for thread in threads:
        thread.end()
    for thread in threads:
        thread.join()


def _after_fork() -> None:
    """The threads are not in a forked child."""
    _idle.clear()
    _busy.clear()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
