"""The thread that watches running calls: for signals, and for those past their time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shlo_tools.codegen import frame as layout
from shlo_tools.cpu.frame import Frame

_WATCH_SECONDS = 0.05


@dataclass
class _Call:
    """A running call: when it has to end, if it has to, and the thread that it runs in."""

    deadline: float | None
    thread: int


class _Watch:
    """A thread that makes running calls poll for signals, and stops those past their time.

    It wakes every 50 ms while calls are running, and sleeps after a while without any.
    """

    def __init__(self) -> None:
        self.running: dict[Frame, _Call] = {}
        self.wake = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, frame: Frame, deadline: float | None) -> None:
        self.running[frame] = _Call(deadline, threading.get_ident())
        if self.thread is None:
            self.thread = threading.Thread(target=self._loop, name="shlo-watch", daemon=True)
            self.thread.start()
        if not self.wake.is_set():
            self.wake.set()

    def stop(self, frame: Frame) -> None:
        del self.running[frame]

    def _loop(self) -> None:
        idle = 0
        while True:
            time.sleep(_WATCH_SECONDS)
            idle = 0 if self.running else idle + 1
            if idle > 20:
                self.wake.clear()
                if not self.running:  # a call may have started just before the clear
                    self.wake.wait()
                idle = 0
            self._ask()

    def _ask(self) -> None:
        """On its own, for the thread would keep the last frame alive while it sleeps."""
        now = time.monotonic()
        for frame, call in list(self.running.items()):
            late = call.deadline is not None and now > call.deadline
            frame.ask(layout.POLL_CANCEL if late else layout.POLL_SIGNALS)


_watch = _Watch()


def _after_fork() -> None:
    """The watching thread does not exist in a forked child; a new one starts on demand."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_after_fork)


def started(frame: Frame) -> None:
    """Have ``frame`` polled from now on, for signals."""
    _watch.start(frame, None)


def ended(frame: Frame) -> None:
    """The call of ``frame`` is over."""
    _watch.running.pop(frame, None)


def cancel(threads: Collection[int]) -> None:
    """Stop the calls that run in some threads now, by their numbers."""
    for frame, call in list(_watch.running.items()):
        if call.thread in threads:
            # It may poll for a signal's sake first, which takes the request away.
            call.deadline = 0.0
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
