"""Processes of a grid: how they meet in collectives, and how a grid of them is simulated.

Each process runs in a thread. They meet at rendezvous points; when every process that is still
running waits, none can go on, and all of them get an error that says who waits for what.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools.errors import ExecutionError, ShloError
from shlo_tools.grid import ProcessId

Value = Any


@dataclass
class _Meeting:
    """Values that processes brought to one rendezvous."""

    values: dict[ProcessId, Any] = field(default_factory=dict)
    leavers: int = 0


class Grid:
    """What the processes of a simulated grid share."""

    def __init__(self, num_replicas: int, num_partitions: int) -> None:
        self.num_replicas, self.num_partitions = num_replicas, num_partitions
        self._changed = threading.Condition()
        self._running = num_replicas * num_partitions
        self._waiting: dict[ProcessId, tuple[str, Callable[[], bool]]] = {}
        self._meetings: dict[Hashable, _Meeting] = {}
        self._channels: dict[Hashable, deque[Any]] = defaultdict(deque)
        self._failure: str | None = None

    def meet(
        self, key: Hashable, process: ProcessId, value: Any, group: Sequence[ProcessId], what: str
    ) -> list[Any]:
        """Bring a value to a rendezvous of a group; returns all values in the group's order."""
        with self._changed:
            meeting = self._meetings.setdefault(key, _Meeting())
            meeting.values[process] = value
            self._changed.notify_all()
            self._wait(process, lambda: len(meeting.values) == len(group), what)
            values = [meeting.values[member] for member in group]
            meeting.leavers += 1
            if meeting.leavers == len(group):
                del self._meetings[key]
            return values

    def put(self, channel: Hashable, value: Any) -> None:
        """Send a value; the receiver may come later."""
        with self._changed:
            self._channels[channel].append(value)
            self._changed.notify_all()

    def take(self, channel: Hashable, process: ProcessId, what: str) -> Any:
        """Wait for a value that another process sends."""
        with self._changed:
            queue = self._channels[channel]
            self._wait(process, lambda: bool(queue), what)
            return queue.popleft()

    def _wait(self, process: ProcessId, ready: Callable[[], bool], what: str) -> None:
        while not ready():
            if self._failure is not None:
                raise ExecutionError(self._failure)
            self._waiting[process] = what, ready
            self._detect()
            if self._failure is None:
                self._changed.wait()
            # Whoever changes something wakes everybody, and each looks again for itself.
            self._waiting.pop(process, None)

    def _detect(self) -> None:
        """Fail where all processes wait; one whose wait is over may not have woken up yet."""
        if len(self._waiting) < self._running:
            return
        if not any(ready() for _, ready in self._waiting.values()):
            rows = sorted((process, what) for process, (what, _) in self._waiting.items())
            self._fail(f"deadlock: {'; '.join(f'process {p} waits {w}' for p, w in rows)}")

    def _fail(self, message: str) -> None:
        self._failure = self._failure or message
        self._changed.notify_all()

    def leave(self, error: BaseException | None) -> None:
        """A process has ended."""
        with self._changed:
            self._running -= 1
            if error is not None:
                self._fail(f"another process failed: {error}")
            elif self._running:
                self._detect()


class Process:
    """One process of a grid: who it is, whom it talks to, what the host feeds it.

    Attributes:
        id: (replica, partition).
        infeed: one tuple of arrays per ``infeed`` to come.
        outfeed: what ``outfeed`` wrote.
        host: per channel what the host sends, for ``recv`` from the host.
        to_host: per channel what was sent to the host.
    """

    def __init__(
        self,
        id: ProcessId,
        grid: Grid,
        infeed: Sequence[tuple[Any, ...]] = (),
        host: dict[int, Sequence[tuple[Any, ...]]] | None = None,
    ) -> None:
        self.id, self.grid = id, grid
        self.infeed = deque(infeed)
        self.outfeed: list[tuple[Any, ...]] = []
        self.host = {channel: deque(values) for channel, values in (host or {}).items()}
        self.to_host: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self._times: dict[Hashable, int] = defaultdict(int)

    @property
    def replica_id(self) -> int:
        return self.id[0]

    @property
    def partition_id(self) -> int:
        return self.id[1]

    def exchange(
        self, op: str, channel_id: int, group: Sequence[ProcessId], value: Any
    ) -> list[Any]:
        """Values of all members of the process group, in its order."""
        if self.id not in group:
            raise ExecutionError(f"process {self.id} is in none of the groups")
        meeting = (op, channel_id, tuple(group))
        self._times[meeting] += 1
        what = f"in {op} for {sorted(set(group) - {self.id})}"
        return self.grid.meet((*meeting, self._times[meeting]), self.id, value, group, what)

    def give(self, op: str, channel_id: int, target: ProcessId, value: Any) -> None:
        """Hand a value to another process, which gets it in order."""
        self.grid.put((op, channel_id, self.id, target), value)

    def get(self, op: str, channel_id: int, source: ProcessId) -> Any:
        """Wait for the next value that another process gives."""
        what = f"in {op} for process {source}"
        return self.grid.take((op, channel_id, source, self.id), self.id, what)

    def send(self, channel_id: int, target: int | None, value: Any) -> None:
        """Send on a channel, to the process of a flattened id or to whoever receives."""
        self.grid.put(
            ("channel", channel_id, self._flat if target is not None else None, target), value
        )

    def receive(self, channel_id: int, source: int | None) -> Any:
        """Wait for the next value on a channel."""
        own = self._flat if source is not None else None
        key = ("channel", channel_id, source, own)
        return self.grid.take(key, self.id, f"in recv on channel {channel_id}")

    @property
    def _flat(self) -> int:
        return self.replica_id * self.grid.num_partitions + self.partition_id


ALONE = Process((0, 0), Grid(1, 1))


def simulate(processes: Sequence[Process], run: Callable[[Process], Any]) -> list[Any]:
    """Run a function for every process of a grid, each in a thread; returns the results.

    Raises:
        ShloError: what the first process to fail raised, or a deadlock.
    """
    results: list[Any] = [None] * len(processes)
    failures: list[BaseException] = []

    def main(number: int, process: Process) -> None:
        error: BaseException | None = None
        try:
            results[number] = run(process)
        except BaseException as raised:
            error = raised
            failures.append(raised)
            if not isinstance(raised, ShloError):
                raise
        finally:
            process.grid.leave(error)

    threads = [
        threading.Thread(target=main, args=(number, process), daemon=True)
        for number, process in enumerate(processes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results
