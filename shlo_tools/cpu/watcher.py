"""The thread that watches running calls: for signals, and for those past their time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from shlo_tools.codegen import frame as layout
from shlo_tools.cpu.frame import Frame

_WATCH_SECONDS = 0.05


class _Watch:
    """A thread that makes running calls poll for signals, and stops those past their time.

    It wakes every 50 ms while calls are running, and sleeps after a while without any.
    """

    def __init__(self) -> None:
        self.running: dict[Frame, list[Any]] = {}  # the deadline, if any, and the thread
        self.is_awake = False  # or will be: it looks at what runs before it sleeps for long
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, frame: Frame, deadline: float | None) -> None:
        self.running[frame] = [deadline, get_ident()]
        if not self.is_awake:
            self.rouse()

    def rouse(self) -> None:
        """Have the thread look at what runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="shlo-watch", daemon=True)
            self._thread.start()
        self.is_awake = True
        self._wake.set()

    def stop(self, frame: Frame) -> None:
        del self.running[frame]

    def _loop(self) -> None:
        idle = 0
        while True:
            time.sleep(_WATCH_SECONDS)
            idle = 0 if self.running else idle + 1
            if idle > 20:
                self._wake.clear()
                self.is_awake = False
                if not self.running:  # a call may have started just before
                    self._wake.wait()
                self.is_awake = True
                idle = 0
            self._ask()

    def _ask(self) -> None:
        """On its own, for the thread would keep the last frame alive while it sleeps."""
        now = time.monotonic()
        for frame, (deadline, _) in list(self.running.items()):
            late = deadline is not None and now > deadline
            frame.ask(layout.POLL_CANCEL if late else layout.POLL_SIGNALS)


_watch = _Watch()


def _after_fork() -> None:
    """The watching thread does not exist in a forked child; a new one starts on demand."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_after_fork)


def started(frame: Frame) -> None:
    """Have ``frame`` polled from now on, for signals."""
    _watch.running[frame] = [None, get_ident()]
    if not _watch.is_awake:
        _watch.rouse()


def ended(frame: Frame) -> None:
    """The call of ``frame`` is over."""
    _watch.running.pop(frame, None)


def cancel(threads: Collection[int]) -> None:
    """Stop the calls that run in some threads now, by their numbers."""
    for frame, call in list(_watch.running.items()):
        if call[1] in threads:
            # It may poll for a signal's sake first, which takes the request away; and it may have
            # ended meanwhile: nothing is to be put back.
            call[0] = 0.0
            frame.ask(layout.POLL_CANCEL)


@contextmanager
def watched(frame: Frame, timeout: float | None) -> Iterator[None]:
    """Have ``frame`` polled while the block runs, and cancelled after ``timeout`` seconds."""
    watch = _watch
    watch.start(frame, None if timeout is None else time.monotonic() + timeout)
    try:
        yield
    finally:
        watch.stop(frame)
