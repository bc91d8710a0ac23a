"""Runs two instrumented programs side by side, one value at a time.

Neither is ever more than a value ahead, so that comparing takes no more memory than running.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from shlo_tools.probes.hits import Hit, probing

_PATIENCE = 0.05  # seconds between looks at whether the other side has ended


class _Stopped(Exception):
    """Raised in the follower: nobody takes its values any more."""


class Follower:
    """A program in a thread of its own, which waits until its values are taken.

    Use it as a context manager: leaving the block stops the program.
    """

    def __init__(self, call: Callable[[], Any]) -> None:
        self._hits: queue.Queue[Hit] = queue.Queue(maxsize=1)
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="shlo-reference")
        context = contextvars.copy_context()  # its warnings go where this thread's go
        self._call = call
        self._future: Future[Any] = self._threads.submit(context.run, self._run)

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._threads.shutdown(wait=True)

    def _run(self) -> Any:
        with probing(self._tell):
            return self._call()

    def _tell(self, hit: Hit) -> None:
        while not self._stop.is_set():
            try:
                return self._hits.put(hit, timeout=_PATIENCE)
            except queue.Full:
                continue
        raise _Stopped

    def next(self) -> Hit | None:
        """The program's next values; None where it has ended, well or not."""
        while True:
            try:
                return self._hits.get(timeout=_PATIENCE)
            except queue.Empty:
                if self._future.done() and self._hits.empty():
                    return None

    def results(self) -> Any:
        """What the program returned, once ``next`` gave None; raises what it raised."""
        return self._future.result()
