"""Where processes meet that are threads of this one.

When every thread that is still running waits, none can go on, and all of them get an error that
says who waits for what.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import time_limit
from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId

_LOOK = 0.1  # seconds after which who waits looks whether its time is up


@dataclass
class _Meeting:
    """Values that processes brought to one rendezvous."""

    values: dict[ProcessId, Any] = field(default_factory=dict)
    leavers: int = 0


class Grid:
    """What the processes of a grid share, as long as all of them are threads of this process."""

    def __init__(self, num_replicas: int, num_partitions: int) -> None:
        self.num_replicas, self.num_partitions = num_replicas, num_partitions
        self._changed = threading.Condition()
        self._running = num_replicas * num_partitions
        self._waiting: dict[int, tuple[ProcessId, str, Callable[[], bool]]] = {}  # by thread
        self._meetings: dict[Hashable, _Meeting] = {}
        self._channels: dict[Hashable, deque[Any]] = defaultdict(deque)
        self._failure: str | None = None

    def meet(
        self, key: Hashable, process: ProcessId, value: Any, group: Sequence[ProcessId], what: str
    ) -> list[Any]:
        """Bring a value to a rendezvous of a group; returns all values in the group's order."""
        with self._changed:
            meeting = self._meeting(key)
            meeting.values[process] = value
            self._changed.notify_all()
            self._wait(process, lambda: len(meeting.values) == len(group), what)
            values = [meeting.values[member] for member in group]
            meeting.leavers += 1
            if meeting.leavers == self._members_here(group):
                del self._meetings[key]
            return values

    def _meeting(self, key: Hashable) -> _Meeting:
        return self._meetings.setdefault(key, _Meeting())

    def _members_here(self, group: Sequence[ProcessId]) -> int:
        """How many members of a group are threads of this process."""
        return len(group)

    def put(self, channel: Hashable, value: Any, target: ProcessId | None = None) -> None:
        """Send a value to a process, or to whoever takes it; the receiver may come later."""
        with self._changed:
            self._channels[channel].append(value)
            self._changed.notify_all()

    def take(
        self, channel: Hashable, process: ProcessId, what: str, *, anybody: bool = False
    ) -> Any:
        """Wait for a value that another process sends; ``anybody`` might take it."""
        with self._changed:
            queue = self._channels[channel]
            self._wait(process, lambda: bool(queue), what)
            return queue.popleft()

    def wait(self, process: ProcessId, ready: Callable[[], bool], what: str) -> None:
        """Wait for what another thread of the grid brings about, and says by ``changed``."""
        with self._changed:
            self._wait(process, ready, what)

    def changed(self) -> None:
        """Have all who wait look again."""
        with self._changed:
            self._changed.notify_all()

    def _wait(self, process: ProcessId, ready: Callable[[], bool], what: str) -> None:
        while not ready():
            if self._failure is not None:
                raise ExecutionError(self._failure)
            self._waiting[threading.get_ident()] = process, what, ready
            self._detect()
            try:
                if self._failure is None:
                    self._changed.wait(_LOOK if time_limit.is_limited() else None)
                time_limit.check()
            finally:
                # Whoever changes something wakes everybody, and each looks again for itself.
                self._waiting.pop(threading.get_ident(), None)

    def _detect(self) -> None:
        """Fail where all threads wait; one whose wait is over may not have woken up yet."""
        if len(self._waiting) < self._running:
            return
        if not any(ready() for _, _, ready in self._waiting.values()):
            rows = sorted((process, what) for process, what, _ in self._waiting.values())
            self._fail(f"deadlock: {'; '.join(f'process {p} waits {w}' for p, w in rows)}")

    def _fail(self, message: str) -> None:
        self._failure = self._failure or message
        self._changed.notify_all()

    def fail(self, message: str) -> None:
        """Have all who wait, now or later, raise an ExecutionError."""
        with self._changed:
            self._fail(message)

    def enter(self) -> None:
        """One more thread runs, on behalf of a process."""
        with self._changed:
            self._running += 1

    def leave(self, process: ProcessId, error: BaseException | None) -> None:
        """A thread of a process has ended."""
        with self._changed:
            self._running -= 1
            if error is not None:
                self._fail(f"process {process} failed: {error or type(error).__name__}")
            elif self._running:
                self._detect()
            self._changed.notify_all()
