"""One process of a grid: who it is, and what it does with others."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes import beside, values
from shlo_tools.processes.meeting import Finish, Grid, Rendezvous, What
from shlo_tools.processes.turns import Turn
from shlo_tools.processes.values import Combine

FromHost = Sequence[tuple[Any, ...]] | Callable[[], tuple[Any, ...]]
ToHost = Callable[..., Any]


class Process:
    """One process of a grid: who it is, whom it talks to, what the host feeds it.

    Attributes:
        id: (replica, partition).
        infeed: one tuple of arrays per ``infeed`` to come.
        outfeed: what ``outfeed`` wrote.
        host: per channel what the host sends, for ``recv`` from the host; or a function that gives
            the next tuple of arrays.
        to_host: per channel what was sent to the host.
        listeners: per channel the function that is given the arrays of such a ``send`` instead.
    """

    def __init__(
        self,
        id: ProcessId,
        grid: Grid,
        infeed: Sequence[tuple[Any, ...]] = (),
        host: Mapping[int, FromHost] | None = None,
        listeners: Mapping[int, ToHost] | None = None,
    ) -> None:
        self.id, self.grid = id, grid
        self.infeed = deque(infeed)
        self.outfeed: list[tuple[Any, ...]] = []
        self.host: dict[int, deque[tuple[Any, ...]] | Callable[[], tuple[Any, ...]]] = {
            channel: values if callable(values) else deque(values)
            for channel, values in (host or {}).items()
        }
        self.listeners = dict(listeners or {})
        self.to_host: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self._times: dict[Hashable, int] = defaultdict(int)
        self._begun: dict[int, Future[Any]] = {}
        self._prefix: tuple[Hashable, ...] = ()  # of what is met for beside the process
        self._labels: tuple[Hashable, ...] = ()  # the same each time that it is begun
        self._turn: Turn | None = None  # of what goes on beside the process
        self._latest: dict[Hashable, threading.Event] = {}  # by label, whether it is over

    @property
    def replica_id(self) -> int:
        return self.id[0]

    @property
    def partition_id(self) -> int:
        return self.id[1]

    def exchange(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        value: Any,
        reader: Callable[[list[Any]], Any] = list,
    ) -> Any:
        """What ``reader`` makes of the values of all members of the process group, in its order.

        Who brought something may write it from then on.

        Raises:
            ExecutionError: the members bring arrays of different types, or wait for ever.
        """
        moved = self._gathered(op, channel_id, group, value, value, [value] * len(group))
        if moved is not None:
            return reader(moved)
        is_small = values.is_small(value)
        brought = self._meet(op, channel_id, group, values.copied(value) if is_small else value)
        values.check_alike(brought, group)
        computed = reader(brought)
        del brought  # before others free it
        if not is_small:
            self._meet(f"{op} (read)", channel_id, group, None)
        return computed

    def deal(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        value: Any,
        parts: Sequence[Any],
        reader: Callable[[list[Any]], Any] = list,
    ) -> Any:
        """What ``reader`` makes of the parts that all members have for this one.

        Args:
            parts: of ``value``, one for each member.

        Raises:
            ExecutionError: as of ``exchange``.
        """
        moved = self._moved(op, channel_id, group, value, parts)
        if moved is not None:
            return reader(moved)
        is_small = values.is_small(value)
        kept = [values.copied(part) for part in parts] if is_small else parts
        computed = reader(self._dealt(op, channel_id, group, value, kept))
        if not is_small:
            self._meet(f"{op} (read)", channel_id, group, None)
        return computed

    def _dealt(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        value: Any,
        parts: Sequence[Any],
    ) -> list[Any]:
        hands = values.Hands(values.described(value), dict(enumerate(parts)))
        brought = self._meet(op, channel_id, group, hands)
        values.check_alike(brought, group)
        own = group.index(self.id)
        return [hands.values[own] for hands in brought]

    def _meet(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        value: Any,
        finish: Finish | None = None,
    ) -> Any:
        key, what = self._key(op, channel_id, group), self._what(op, group)
        return self.grid.meet(key, self.id, value, group, what, finish)

    def _key(self, op: str, channel_id: int, group: Sequence[ProcessId]) -> tuple[Hashable, ...]:
        """What all members of the group call the meeting that is next."""
        if self.id not in group:
            raise ExecutionError(f"process {self.id} is in none of the groups")
        meeting = (op, channel_id, tuple(group))
        self._times[meeting] += 1
        return (*self._prefix, *meeting, self._times[meeting])

    def _what(self, op: str, group: Sequence[ProcessId]) -> What:
        return lambda: f"in {op} for {sorted(set(group) - {self.id})}"

    def _at(self, op: str, channel_id: int, group: Sequence[ProcessId]) -> Rendezvous:
        """Where the transport does in its own way what members of the group do next."""
        key, what = self._key(op, channel_id, group), self._what(op, group)
        name = tuple(group) if self._turn is None else (*self._labels, op, channel_id, tuple(group))
        return Rendezvous(key, name, self.id, group, what, self._turn)

    def _may_move(self, group: Sequence[ProcessId], value: Any) -> bool:
        """Nobody writes what goes on beside a process reads."""
        return self._turn is not None and self.grid.can_move(group, value)

    def _gathered(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        whole: Any,
        value: Any,
        alike: Sequence[Any],
    ) -> list[Any] | None:
        """Values of all members where the transport gathers them, which are of ``whole`` arrays."""
        if not self._may_move(group, whole):
            return None
        at = self._at(op, channel_id, group)
        return self.grid.gathered(at, values.described(whole), value, alike)

    def _moved(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        value: Any,
        parts: Sequence[Any],
    ) -> list[Any] | None:
        """What all members have for this one where the transport deals it out."""
        if not self._may_move(group, value):
            return None
        return self.grid.dealt(self._at(op, channel_id, group), values.described(value), parts)

    def combined(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        arrays: Sequence[Any],
        combine: Combine,
    ) -> list[Any]:
        """Arrays of all members combined, from left to right in the group's order.

        Small ones are combined by the last to come. Of large ones each member combines a part,
        which the others get from it. Where the grid's order is any, it may do so in its own way.

        Raises:
            ExecutionError: as of ``exchange``.
        """

        def fold(brought: list[Any]) -> list[Any]:
            values.check_alike(brought, group)
            return [values.fold(shares, combine) for shares in zip(*brought, strict=True)]

        if self.grid.can_reduce(group, arrays, combine, in_order=self._turn is not None):
            reduced = self.grid.reduced(self._at(op, channel_id, group), arrays, combine)
            if reduced is not None:
                return reduced
        if values.is_small(arrays):
            moved = self._gathered(op, channel_id, group, arrays, arrays, [arrays] * len(group))
            if moved is not None:
                return fold(moved)
            kept = values.copied(arrays) if self.grid.reads_late else arrays
            totals: list[Any] = values.copied(self._meet(op, channel_id, group, kept, fold))
            return totals
        count = len(group)
        parts = [
            [array.reshape(-1)[values.share(array.size, place, count)] for array in arrays]
            for place in range(count)
        ]
        shares = self._moved(op, channel_id, group, arrays, parts)
        own = fold(self._dealt(op, channel_id, group, arrays, parts) if shares is None else shares)
        del shares
        pieces = self._gathered(f"{op} (2)", channel_id, group, arrays, own, parts)
        if pieces is None:
            # When all meet again nobody reads what others brought.
            pieces = self._meet(f"{op} (2)", channel_id, group, own)
        return [values.joined(pieces, k, 0).reshape(each.shape) for k, each in enumerate(arrays)]

    def combined_part(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        array: Any,
        parts: Sequence[Any],
        combine: Combine,
    ) -> Any:
        """The own one of an array's parts, combined as by ``combined``; others are not sent here.

        Args:
            parts: one for each member.
        """

        def fold(shares: list[Any]) -> Any:
            return values.fold(shares, combine) if len(group) > 1 else values.copied(shares[0])

        if self.grid.can_reduce(group, parts, combine, in_order=False):
            at = self._at(op, channel_id, group)
            reduced = self.grid.reduced(at, parts, combine, is_scattered=True)
            if reduced is not None:
                return reduced[0]
        return self.deal(op, channel_id, group, array, parts, fold)

    def broadcast(self, op: str, channel_id: int, group: Sequence[ProcessId], value: Any) -> Any:
        """The value of the first member of the group, for all; it may be handed on as it is.

        Raises:
            ExecutionError: as of ``exchange``.
        """
        root, *others = group
        may = self._turn is not None and self.grid.can_broadcast(group, value)
        at = self._at(op, channel_id, group) if may else None

        def send() -> None:
            if at is None or self.grid.broadcast(at, value) is None:
                for other in others:
                    self.give(op, channel_id, other, value)

        if self.id == root:  # who has the value waits for nobody
            if at is None:
                send()
            else:
                beside.hand_on(self.grid, self.id, send, at.turn)
            return value
        first = None if at is None else self.grid.broadcast(at, value)
        if first is None:
            first = self.get(op, channel_id, root)
            values.check_alike([first, value], [root, self.id])
        return first

    def give(self, op: str, channel_id: int, target: ProcessId, value: Any) -> None:
        """Hand a value to another process, which gets it in order."""
        self.grid.put((*self._prefix, op, channel_id, self.id, target), value, target)

    def get(self, op: str, channel_id: int, source: ProcessId) -> Any:
        """Wait for the next value that another process gives."""
        key = (*self._prefix, op, channel_id, source, self.id)
        return self.grid.take(key, self.id, lambda: f"in {op} for process {source}")

    def send(self, channel_id: int, target: int | None, value: Any) -> None:
        """Send on a channel, to the process of a flattened id or to whoever receives."""
        own = self._flat if target is not None else None
        receiver = None if target is None else divmod(target, self.grid.num_partitions)
        self.grid.put(("channel", channel_id, own, target), value, receiver)

    def receive(self, channel_id: int, source: int | None) -> Any:
        """Wait for the next value on a channel."""
        own = self._flat if source is not None else None
        key = ("channel", channel_id, source, own)
        anybody = source is None
        return self.grid.take(
            key, self.id, lambda: f"in recv on channel {channel_id}", anybody=anybody
        )

    def receive_from_host(self, channel_id: int) -> tuple[Any, ...]:
        """What the host sends next on a channel.

        Raises:
            ExecutionError: nothing; and whatever a function of the host raises.
        """
        source = self.host.get(channel_id)
        if callable(source):
            return tuple(source())
        if not source:
            raise ExecutionError(f"the host sends nothing on channel {channel_id}")
        return source.popleft()

    def send_to_host(self, channel_id: int, values: tuple[Any, ...]) -> None:
        """Give arrays to the function that listens on a channel, or keep them."""
        if channel_id in self.listeners:
            self.listeners[channel_id](*values)
        else:
            self.to_host[channel_id].append(values)

    def begin(self, label: Hashable, run: Callable[[], Any]) -> int:
        """Run something while the process goes on; a number by which ``finish`` gives its results.

        Args:
            label: what other members of its groups call the same thing.
        """
        self._times[label] += 1
        branch = Process(self.id, self.grid)
        branch._prefix = (*self._prefix, label, self._times[label])
        branch._labels = (*self._labels, label)
        branch._turn = turn = Turn(self._latest.get(label))
        self._latest[label] = turn.over

        def main() -> Any:
            with entered(branch):
                return run()

        number = next(_numbers)
        self._begun[number] = beside.run(self.grid, self.id, main, turn)
        return number

    def finish(self, number: int) -> Any:
        """Wait for what ``begin`` began; its results."""
        future = self._begun.pop(number)
        self.grid.wait(self.id, future.done, lambda: "in async_done")
        return future.result()

    @property
    def _flat(self) -> int:
        return self.replica_id * self.grid.num_partitions + self.partition_id


_numbers = itertools.count(1)


ALONE = Process((0, 0), Grid(1, 1))


class _Entered(threading.local):
    """The process that a thread runs."""

    process = ALONE


_entered = _Entered()


def current() -> Process:
    """The process that this thread runs; the one of a grid of 1 x 1 where nobody said which."""
    return _entered.process


@contextmanager
def entered(process: Process) -> Iterator[None]:
    """Have this thread run a process: compiled code asks ``current`` which one it is."""
    outer, _entered.process = _entered.process, process
    try:
        yield
    finally:
        _entered.process = outer
