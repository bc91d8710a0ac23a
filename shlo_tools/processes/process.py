"""One process of a grid: who it is, and what it does with others."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes.meeting import Grid

Combine = Callable[[Any, Any], Any]

_SMALL = 1 << 16  # bytes that each process of a group combines for itself


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
        self._begun: dict[int, Future[Any]] = {}
        self._prefix: tuple[Hashable, ...] = ()  # of what is met for beside the process

    @property
    def replica_id(self) -> int:
        return self.id[0]

    @property
    def partition_id(self) -> int:
        return self.id[1]

    def exchange(
        self, op: str, channel_id: int, group: Sequence[ProcessId], value: Any
    ) -> list[Any]:
        """Values of all members of the process group, in its order.

        Raises:
            ExecutionError: the members bring arrays of different types, or wait for ever.
        """
        if self.id not in group:
            raise ExecutionError(f"process {self.id} is in none of the groups")
        meeting = (op, channel_id, tuple(group))
        self._times[meeting] += 1
        what = f"in {op} for {sorted(set(group) - {self.id})}"
        key = (*self._prefix, *meeting, self._times[meeting])
        brought = self.grid.meet(key, self.id, (_described(value), value), group, what)
        for member, (description, _) in zip(group, brought, strict=True):
            if description != brought[0][0]:
                raise ExecutionError(
                    f"process {group[0]} brings {brought[0][0]}, process {member} {description}"
                )
        return [value for _, value in brought]

    def combined(
        self,
        op: str,
        channel_id: int,
        group: Sequence[ProcessId],
        arrays: Sequence[Any],
        combine: Combine,
    ) -> list[Any]:
        """Arrays of all members combined, from left to right in the group's order.

        Of large arrays each member combines a part, which the others get from it.
        """
        own = group.index(self.id)
        # When all meet again nobody knows what others brought: it may be written from then on.
        parts = [
            _combined_part(shares, own, combine)
            for shares in zip(
                *self.exchange(op, channel_id, group, [_kept(array) for array in arrays]),
                strict=True,
            )
        ]
        if all(is_whole for _, is_whole in parts):
            return [part for part, _ in parts]
        pieces = self.exchange(f"{op} (2)", channel_id, group, [part for part, _ in parts])
        return [
            part if is_whole else np.concatenate(others).reshape(np.shape(array))
            for (part, is_whole), others, array in zip(
                parts, zip(*pieces, strict=True), arrays, strict=True
            )
        ]

    def give(self, op: str, channel_id: int, target: ProcessId, value: Any) -> None:
        """Hand a value to another process, which gets it in order."""
        self.grid.put((op, channel_id, self.id, target), value, target)

    def get(self, op: str, channel_id: int, source: ProcessId) -> Any:
        """Wait for the next value that another process gives."""
        what = f"in {op} for process {source}"
        return self.grid.take((op, channel_id, source, self.id), self.id, what)

    def send(self, channel_id: int, target: int | None, value: Any) -> None:
        """Send on a channel, to the process of a flattened id or to whoever receives."""
        own = self._flat if target is not None else None
        receiver = None if target is None else divmod(target, self.grid.num_partitions)
        self.grid.put(("channel", channel_id, own, target), value, receiver)

    def receive(self, channel_id: int, source: int | None) -> Any:
        """Wait for the next value on a channel."""
        own = self._flat if source is not None else None
        key = ("channel", channel_id, source, own)
        what = f"in recv on channel {channel_id}"
        return self.grid.take(key, self.id, what, anybody=source is None)

    def begin(self, label: Hashable, run: Callable[[], Any]) -> int:
        """Run something while the process goes on; a number by which ``finish`` gives its results.

        Args:
            label: what other members of its groups call the same thing.
        """
        self._times[label] += 1
        branch = Process(self.id, self.grid)
        branch._prefix = (*self._prefix, label, self._times[label])

        def main() -> Any:
            error: BaseException | None = None
            try:
                with entered(branch):
                    return run()
            except BaseException as raised:
                error = raised
                raise
            finally:
                self.grid.leave(self.id, error)

        self.grid.enter()
        pool = ThreadPoolExecutor(1, "shlo-async")
        number = next(_numbers)
        self._begun[number] = pool.submit(main)
        pool.shutdown(wait=False)  # as soon as that is done
        return number

    def finish(self, number: int) -> Any:
        """Wait for what ``begin`` began; its results."""
        future = self._begun.pop(number)
        future.add_done_callback(lambda _: self.grid.changed())
        self.grid.wait(self.id, future.done, "in async_done")
        return future.result()

    @property
    def _flat(self) -> int:
        return self.replica_id * self.grid.num_partitions + self.partition_id


_numbers = itertools.count(1)


def _described(value: Any) -> str:
    """The types of the arrays in a value, as far as it has such."""
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_described, value))})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{'x'.join(map(str, value.shape)) or 'a scalar of'} {value.dtype}"
    return type(value).__name__


def _kept(array: Any) -> Any:
    """A small array's copy: who brings it may go on before all others have read it."""
    return array.copy() if isinstance(array, np.ndarray) and array.nbytes <= _SMALL else array


def _combined_part(shares: Sequence[Any], own: int, combine: Combine) -> tuple[Any, bool]:
    """All of small arrays combined, or the own part of large ones; and whether that is all."""
    if not isinstance(shares[0], np.ndarray) or shares[0].nbytes <= _SMALL:
        return _fold(shares, combine), True
    size, count = shares[0].size, len(shares)
    place = slice(size * own // count, size * (own + 1) // count)
    return _fold([share.reshape(-1)[place] for share in shares], combine), False


def _fold(parts: Sequence[Any], combine: Combine) -> Any:
    total, *others = parts
    for other in others:
        total = combine(total, other)
    return total


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
