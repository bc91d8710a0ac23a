"""Waiting until all ranks of a group have come for what cannot be called back: MPI's collectives.

The first member on each rank, its leader, says so in a few rounds: in round k each tells who is 2^k
behind it what it knows, and hears from who is 2^k before it. In the end all know of all.

Where a process fails meanwhile, either all leaders go on to MPI, or none does. A leader that came
before it knew of the failure says something in every round, if only that not all come, and waits
for what the others say; one that knows of the failure does not come, and its rank says so when it
is asked. Nobody has heard of all unless all came; then all hear of all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes.meeting import Grid, What
from shlo_tools.processes.values import described


class ComingGrid(Grid):
    """Where leaders come, and hear from those of other ranks.

    Attributes:
        origin: the first process of this rank that failed by itself, and its exception.
    """

    def __init__(
        self, num_replicas: int, num_partitions: int, rank_of: Mapping[ProcessId, int]
    ) -> None:
        super().__init__(num_replicas, num_partitions)
        self._rank_of = rank_of
        self.origin: tuple[ProcessId, BaseException] | None = None
        # What leaders of this rank have come for, and the types that they bring.
        self._coming: dict[Hashable, tuple[ProcessId, str]] = {}
        self._answers: dict[tuple[Hashable, int], bool] = {}  # whether those of others have
        self._questions: deque[tuple[int, tuple[Any, ...]]] = deque()  # to be sent to ranks

    def comes(self, key: Hashable, own: ProcessId, types: str) -> None:
        """The leader of this rank comes, and says something in every round.

        Raises:
            ExecutionError: the grid fails; the leader never comes.
        """
        with self._lock:
            if self._failure is not None:
                raise self.error_of(own)
            self._coming[key] = own, types
            self._check_others(key)

    def _check_others(self, key: Hashable) -> None:
        """Fail where others bring arrays so small that they send them, and come for nothing."""
        meeting = self._meetings.get(key)
        if key in self._coming and meeting is not None and meeting.values:
            own, types = self._coming[key]
            process, value = min(meeting.values.items(), key=itemgetter(0))
            theirs = described(value)
            self._fail(f"process {own} brings {types}, process {process} brings {theirs}")

    def has_come(self, key: Hashable) -> None:
        """The leader of this rank has said everything."""
        with self._lock:
            self._coming.pop(key, None)

    def heard(
        self, key: Hashable, distance: int, own: ProcessId, source: ProcessId, what: What
    ) -> Any:
        """What the leader of another rank says in a round; None if it never comes.

        Who has come cannot leave: others may have heard of all. So this waits though the grid
        fails, or the time is up, until the other rank has said which of both it is.
        """
        rank = self._rank_of[source]
        with self._lock:
            values = self._channels[key, distance, source]

            def is_known() -> bool:
                # An answer that nobody waits for might come when the grid is no more.
                answer = self._answers.get((key, rank))
                return answer is not None and (bool(values) or not answer)

            try:
                self._wait(own, lambda: bool(values), what)
            except ExecutionError as error:
                if self._failure is None:  # the time is up
                    self.origin = own, error
                    self._fail(f"process {own} failed: {error}")
                self._questions.append((rank, ("comes?", key, self._failure)))
                while not is_known():
                    self._sleep(own, is_known, what, None)
            return values.popleft() if values else None

    def error_of(self, process: ProcessId) -> BaseException:
        """What a process raises where the grid fails."""
        if self.origin is not None and self.origin[0] == process:
            return self.origin[1]
        return ExecutionError(str(self._failure))

    def _has_come(self, key: Hashable, failure: str) -> bool:
        """Whether the leader of this rank has come, as a rank asks that knows of a failure."""
        with self._lock:
            Grid._fail(self, failure)  # nobody comes from now on; all hear of it from who failed
            return key in self._coming

    def _answered(self, key: Hashable, rank: int, comes: bool) -> None:
        with self._lock:
            self._answers[key, rank] = comes
            self._call()


def come(
    grid: ComingGrid,
    key: Hashable,
    own: ProcessId,
    leaders: Sequence[ProcessId],
    types: str,
    what: What,
    *,
    may: bool = True,
) -> bool:
    """Wait until all leaders have come; whether all of them may go on.

    Args:
        types: of the arrays that the own rank brings.
        may: whether the own rank may.

    Raises:
        ExecutionError: on all ranks: they bring arrays of different types, or the grid fails.
    """
    grid.comes(key, own, types)
    try:
        brought = _rounds(grid, key, own, leaders, (types, may), what)
    finally:
        grid.has_come(key)
    if brought is None:
        raise grid.error_of(own)
    members = {types: min(p for (t, _), p in brought.items() if t == types) for types, _ in brought}
    if len(members) > 1:
        shown = sorted((process, types) for types, process in members.items())
        raise ExecutionError(", ".join(f"process {p} brings {types}" for p, types in shown))
    return all(may for _, may in brought)


_Brought = tuple[str, bool]  # of which types arrays are, and whether a rank may go on with them


def _rounds(
    grid: ComingGrid,
    key: Hashable,
    own: ProcessId,
    leaders: Sequence[ProcessId],
    brought: _Brought,
    what: What,
) -> Mapping[_Brought, ProcessId] | None:
    """Who brings what, one for each of what there is; None if not all come."""
    place, count, distance = leaders.index(own), len(leaders), 1
    known: dict[_Brought, ProcessId] | None = {brought: own}
    while distance < count:
        target, source = leaders[(place + distance) % count], leaders[(place - distance) % count]
        grid.put((key, distance, own), known, target)
        theirs = grid.heard(key, distance, own, source, what)
        if known is not None and theirs is not None:
            listed = [*known.items(), *theirs.items()]
            known = {t: min(p for other, p in listed if other == t) for t, _ in listed}
        else:
            known = None
        distance *= 2
    return known
