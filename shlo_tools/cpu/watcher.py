"""The thread that watches running calls: for signals, and for those past their time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import get_ident

from shlo_tools.codegen import frame as layout
from shlo_tools.cpu.frame import Frame

_WATCH_SECONDS = 0.05

Call = tuple[Frame, int, float | None]  # the thread it runs in, and its deadline, if any


class _Watch:
    """A thread that makes running calls poll for signals, and stops those past their time.

    It wakes every 50 ms while calls are running, and sleeps after a while without any.

    Calls have names of their own, for the frame of one that has ended may serve the next. Who takes
    a call out of ``running`` has it: either the call ends, and then nobody stops it any more; or it
    is to be stopped, and its frame, which may be asked at any time from then on, serves no other.
    """

    def __init__(self) -> None:
        self.running: dict[object, Call] = {}
        self.stopped: dict[object, Call] = {}
        self.is_awake = False  # or will be: it looks at what runs before it sleeps for long
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._stopping = threading.RLock()  # a signal's handler may stop calls, too

    def start(self, frame: Frame, deadline: float | None) -> object:
        name = object()
        self.running[name] = frame, get_ident(), deadline
        if not self.is_awake:
            self.rouse()
        return name

    def rouse(self) -> None:
        """Have the thread look at what runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="shlo-watch", daemon=True)
            self._thread.start()
        self.is_awake = True
        self._wake.set()

    def end(self, name: object) -> None:
        if self.running.pop(name, None) is None and (call := self.stopped.pop(name, None)):
            call[0].is_claimed = True

    def stop(self, name: object, call: Call) -> None:
        """Stop a call, unless it has ended."""
        with self._stopping:
            if name in self.stopped:
                return
            self.stopped[name] = call  # before: who ends it looks there
            if self.running.pop(name, None) is None:
                del self.stopped[name]
                return
        call[0].ask(layout.POLL_CANCEL)

    def _loop(self) -> None:
        idle = 0
        while True:
            time.sleep(_WATCH_SECONDS)
            idle = 0 if self.running or self.stopped else idle + 1
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
        for name, call in list(self.running.items()):
            frame, _, deadline = call
            if deadline is not None and now > deadline:
                self.stop(name, call)
            else:
                frame.ask(layout.POLL_SIGNALS)
        for frame, _, _ in list(self.stopped.values()):
            frame.ask(layout.POLL_CANCEL)  # a poll for a signal's sake takes a request away


_watch = _Watch()


def _after_fork() -> None:
    """The watching thread does not exist in a forked child; a new one starts on demand."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_after_fork)


def started(frame: Frame) -> object:
    """Have ``frame`` polled from now on, for signals; returns what ``ended`` is told."""
    watch, name = _watch, object()
    watch.running[name] = frame, get_ident(), None
    if not watch.is_awake:
        watch.rouse()
    return name


def ended(name: object) -> None:
    """A call is over; its frame may serve another one unless it ``is_claimed`` now."""
    if _watch.running.pop(name, None) is None:
        _watch.end(name)


def cancel(threads: Collection[int]) -> None:
    """Stop the calls that run in some threads now, by their numbers."""
    watch = _watch
    for name, call in list(watch.running.items()):
        if call[1] in threads:
            watch.stop(name, call)


@contextmanager
def watched(frame: Frame, timeout: float | None) -> Iterator[None]:
    """Have ``frame`` polled while the block runs, and cancelled after ``timeout`` seconds."""
    watch = _watch
    name = watch.start(frame, None if timeout is None else time.monotonic() + timeout)
    try:
        yield
    finally:
        watch.end(name)
