"""Where processes meet that are threads of this one.

When every thread that is still running waits, none can go on, and all of them get an error that
says who waits for what.
"""

from __future__ import annotations

import queue
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import time_limit
from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes.turns import Turn
from shlo_tools.processes.waiting import Inbox, next_of

_LOOK = 0.1  # seconds after which who waits looks whether its time is up

Finish = Callable[[list[Any]], Any]
What = Callable[[], str]  # what somebody waits for: it is asked where that is to be reported


@dataclass
class _Meeting:
    """Values that processes brought to one rendezvous.

    Attributes:
        results: what the last to come made of the values, in a list; nobody did if it is empty.
    """

    values: dict[ProcessId, Any] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    leavers: int = 0


@dataclass
class _Waiter:
    """A thread that waits, and where it hears that it need not."""

    process: ProcessId
    what: What
    ready: Callable[[], bool]
    inbox: Inbox[None] = field(default_factory=Inbox)
    is_called: bool = False


@dataclass(frozen=True)
class Rendezvous:
    """What a process does together with the others of its group.

    Attributes:
        key: what all of them call it.
        name: what they call all that follow one another like this.
        turn: among those of one name, where processes do not begin one after the other's end.
    """

    key: Hashable
    name: Hashable
    process: ProcessId
    group: Sequence[ProcessId]
    what: What
    turn: Turn | None = None


class Grid:
    """What the processes of a grid share, as long as all of them are threads of this process.

    Attributes:
        reads_late: whether what is brought may be read after a meeting; else the last to come reads
            all, while the others wait.
    """

    reads_late = False

    def __init__(self, num_replicas: int, num_partitions: int) -> None:
        self.num_replicas, self.num_partitions = num_replicas, num_partitions
        self._lock = threading.RLock()
        self._running = num_replicas * num_partitions
        self._waiting: dict[int, _Waiter] = {}  # by thread
        self._meetings: dict[Hashable, _Meeting] = {}
        self._channels: dict[Hashable, deque[Any]] = defaultdict(deque)
        self._failure: str | None = None

    def meet(
        self,
        key: Hashable,
        process: ProcessId,
        value: Any,
        group: Sequence[ProcessId],
        what: What,
        finish: Finish | None = None,
    ) -> Any:
        """Bring a value to a rendezvous of a group; returns all values in the group's order.

        Args:
            finish: makes of all values what is returned instead. The last to come does so for all:
                they get the same objects.
        """
        with self._lock:
            meeting = self._meeting(key)
            values = meeting.values
            values[process] = value
            if len(values) < len(group):
                self._wait(
                    process, lambda: len(values) == len(group) or bool(meeting.results), what
                )
            else:
                if finish is not None:
                    meeting.results.append(finish([values[member] for member in group]))
                    values.clear()  # whose they are may go on first
                self._call()
            meeting.leavers += 1
            if meeting.leavers == self._members_here(group):
                del self._meetings[key]
            if meeting.results:
                return meeting.results[0]
        listed = [values[member] for member in group]
        return listed if finish is None else finish(listed)  # the last one came from elsewhere

    def _meeting(self, key: Hashable) -> _Meeting:
        return self._meetings.setdefault(key, _Meeting())

    def _members_here(self, group: Sequence[ProcessId]) -> int:
        """How many members of a group are threads of this process."""
        return len(group)

    # What another transport may do better than by meetings; the outcome is None for all members
    # where it cannot after all.
    def can_reduce(
        self, group: Sequence[ProcessId], arrays: Sequence[Any], combine: Any, *, in_order: bool
    ) -> bool:
        """Whether ``reduced`` does better, where its order will do.

        Args:
            in_order: also where that is the group's, as far as every order gives the same.
        """
        return False

    def reduced(
        self, at: Rendezvous, arrays: Sequence[Any], combine: Any, *, is_scattered: bool = False
    ) -> list[Any] | None:
        """Arrays of all members combined in any order.

        Args:
            is_scattered: the arrays are one for each member, which gets that one alone.
        """
        raise NotImplementedError

    def can_move(self, group: Sequence[ProcessId], value: Any) -> bool:
        """Whether ``gathered`` and ``dealt`` do better, for what nobody writes meanwhile.

        Args:
            value: an array, or a list of such.
        """
        return False

    def can_broadcast(self, group: Sequence[ProcessId], value: Any) -> bool:
        """Whether ``broadcast`` does better, for what nobody writes meanwhile."""
        return False

    def gathered(
        self, at: Rendezvous, types: str, value: Any, alike: Sequence[Any]
    ) -> list[Any] | None:
        """The values of all members, in the group's order.

        Args:
            types: what all members have to bring alike.
            alike: for each member arrays of the shapes and types of its value.
        """
        raise NotImplementedError

    def dealt(self, at: Rendezvous, types: str, parts: Sequence[Any]) -> list[Any] | None:
        """What all members have for this one, in the group's order.

        Args:
            types: as of ``gathered``.
            parts: for each member what this one has for it; all have the same shapes for it.
        """
        raise NotImplementedError

    def broadcast(self, at: Rendezvous, value: Any) -> Any:
        """The value of the group's first member, for all; each brings one of its type."""
        raise NotImplementedError

    def put(self, channel: Hashable, value: Any, target: ProcessId | None = None) -> None:
        """Send a value to a process, or to whoever takes it; the receiver may come later."""
        with self._lock:
            self._channels[channel].append(value)
            self._call()

    def take(
        self, channel: Hashable, process: ProcessId, what: What, *, anybody: bool = False
    ) -> Any:
        """Wait for a value that another process sends; ``anybody`` might take it."""
        with self._lock:
            values = self._channels[channel]
            self._wait(process, lambda: bool(values), what)
            return values.popleft()

    def wait(self, process: ProcessId, ready: Callable[[], bool], what: What) -> None:
        """Wait for what another thread of the grid brings about before it leaves."""
        with self._lock:
            self._wait(process, ready, what)

    def _call(self) -> None:
        """Call those whose wait is over; each looks again for itself."""
        for waiter in self._waiting.values():
            if not waiter.is_called and (self._failure is not None or waiter.ready()):
                waiter.is_called = True
                waiter.inbox.put(None)

    def _wait(self, process: ProcessId, ready: Callable[[], bool], what: What) -> None:
        """Wait without the lock, which is held once."""
        while not ready():
            if self._failure is not None:
                raise ExecutionError(self._failure)
            self._sleep(process, ready, what, _LOOK if time_limit.is_limited() else None)
            time_limit.check()

    def _sleep(
        self, process: ProcessId, ready: Callable[[], bool], what: What, seconds: float | None
    ) -> None:
        """Sleep without the lock until this thread is called; it has to look for itself."""
        thread = threading.get_ident()
        waiter = self._waiting[thread] = _Waiter(process, what, ready)
        self._detect()
        self._lock.release()
        try:
            with suppress(queue.Empty):
                next_of(waiter.inbox, seconds)
        finally:
            self._lock.acquire()
            del self._waiting[thread]

    def _detect(self) -> None:
        """Fail where all threads wait; one whose wait is over may not have woken up yet."""
        if len(self._waiting) < self._running:
            return
        if not any(waiter.ready() for waiter in self._waiting.values()):
            rows = sorted((waiter.process, waiter.what()) for waiter in self._waiting.values())
            self._fail(f"deadlock: {'; '.join(f'process {p} waits {w}' for p, w in rows)}")

    def _fail(self, message: str) -> None:
        self._failure = self._failure or message
        self._call()

    def fail(self, message: str) -> None:
        """Have all who wait, now or later, raise an ExecutionError."""
        with self._lock:
            self._fail(message)

    def enter(self) -> None:
        """One more thread runs, on behalf of a process."""
        with self._lock:
            self._running += 1

    def leave(self, process: ProcessId, error: BaseException | None) -> None:
        """A thread of a process has ended."""
        with self._lock:
            self._running -= 1
            if error is not None:
                self._fail(f"process {process} failed: {error or type(error).__name__}")
            elif self._running:
                self._call()  # whoever waits for what this thread did
                self._detect()
