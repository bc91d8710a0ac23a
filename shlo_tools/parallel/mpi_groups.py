"""What ranks do together by MPI's own collectives, which cannot be called back once begun.

First the members on a rank bring what they have, then the ranks tell each other that they are there
and what they bring (``mpi_coming``), and then one thread of each rank calls MPI. So deadlocks and
failures are reported as everywhere, and MPI's part ends on all ranks.

MPI tells collectives of a communicator apart by their order alone. So there is one communicator for
each of the things that processes do one after the other: what a group does, and what a group begins
beside its processes under one label, in the order in which they begin it.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.parallel.mpi_coming import ComingGrid, come
from shlo_tools.processes.meeting import Rendezvous
from shlo_tools.processes.waiting import give_way

FEW_RANKS = 8  # among which small arrays are sent as they are
_KEPT = 64  # communicators that a rank keeps for later calls
_MOST = 1024  # that it has at once; MPICH has 2048 of them
_LOOKS = 100
_PAUSE = 2e-4  # seconds between looks whether MPI is done, after a while


@dataclass(frozen=True)
class RankGroup:
    """A group of processes on their ranks.

    Attributes:
        places: of members in the group, by their rank.
        rank: the own one.
    """

    communicators: Communicators
    grid: ComingGrid
    at: Rendezvous
    places: Mapping[int, Sequence[int]]
    rank: int

    @property
    def ranks(self) -> list[int]:
        """The ranks that have members."""
        return sorted(self.places)

    @property
    def leaders(self) -> list[ProcessId]:
        """The first member of each rank."""
        return [self.at.group[self.places[rank][0]] for rank in self.ranks]

    @property
    def here(self) -> list[ProcessId]:
        """The members on this rank."""
        return [self.at.group[place] for place in self.places[self.rank]]

    @property
    def order(self) -> list[int]:
        """The places of all members, rank by rank."""
        return [place for rank in self.ranks for place in self.places[rank]]

    def in_order(self, listed: Sequence[Any]) -> list[Any]:
        """What is listed rank by rank, as the group has its members."""
        by_place = dict(zip(self.order, listed, strict=True))
        return [by_place[place] for place in range(len(listed))]


class Communicators:
    """Those of the groups of a job's ranks; all ranks of a group have its communicator or none has.

    Args:
        communicator: of mpi4py, of all ranks. Several threads use it, and those made from it.
    """

    def __init__(self, communicator: Any) -> None:
        from mpi4py import MPI

        self._communicator = communicator
        self.are_possible = MPI.Query_thread() == MPI.THREAD_MULTIPLE
        self._tags = min(communicator.Get_attr(MPI.TAG_UB), (1 << 31) - 1)
        self._of_groups: dict[tuple[Hashable, tuple[int, ...]], Any] = {}

    @property
    def count(self) -> int:
        """How many this rank has."""
        return len(self._of_groups)

    def free(self, counts: Sequence[int]) -> None:
        """Free all of them, on all ranks, where one rank has too many.

        Args:
            counts: those of all ranks. No rank uses any now.
        """
        if max(counts) > _KEPT:
            for key in sorted(self._of_groups, key=repr):  # in one order on all ranks
                self._of_groups.pop(key).Free()

    def may_have(self, group: RankGroup) -> bool:
        """Whether there is one for a group, or room for it."""
        return self._key(group) in self._of_groups or self.count < _MOST

    def of(self, group: RankGroup) -> Any:
        """The communicator of a group's ranks, all of which ask for it now."""
        key = self._key(group)
        if key not in self._of_groups:
            members = self._communicator.Get_group().Incl(group.ranks)
            tag = zlib.crc32(repr(key).encode()) % self._tags
            self._of_groups[key] = self._communicator.Create_group(members, tag)
        return self._of_groups[key]

    def _key(self, group: RankGroup) -> tuple[Hashable, tuple[int, ...]]:
        return group.at.name, tuple(group.ranks)  # grids deal the same processes otherwise


Act = Callable[[Any, Any], Sequence[Any]]


def together(group: RankGroup, types: str, value: Any, act: Act) -> Any:
    """What a member of a group gets; None where MPI cannot do it after all.

    Args:
        types: what all members have to bring alike.
        act: given the values of the members on this rank, and the communicator, what each of them
            gets. One of them calls it, when all ranks have come.

    Raises:
        ExecutionError: on all ranks: members bring arrays of different types, or the grid fails.
    """
    communicators, grid, at, here = group.communicators, group.grid, group.at, group.here
    brought = grid.meet((at.key, "here"), at.process, (types, value), here, at.what)
    outcome = None
    if at.process == here[0]:
        _check_types(here, [types for types, _ in brought])
        may = communicators.may_have(group)
        may = come(grid, at.key, at.process, group.leaders, types, at.what, may=may)
        if at.turn is not None:
            at.turn.wait()
        if may:
            outcome = act([value for _, value in brought], communicators.of(group))
    del brought  # before others go on: what they brought may be theirs until then alone
    shared = grid.meet((at.key, "there"), at.process, outcome, here, at.what)[0]
    return None if shared is None else shared[here.index(at.process)]


def _check_types(members: Sequence[ProcessId], listed: Sequence[str]) -> None:
    for member, types in zip(members, listed, strict=True):
        if types != listed[0]:
            raise ExecutionError(
                f"process {members[0]} brings {listed[0]}, process {member} {types}"
            )


def complete(requests: Sequence[Any]) -> None:
    """Wait until MPI is done; all ranks have come, so it will be."""
    from mpi4py import MPI

    looks = 0
    while not MPI.Request.Testall(requests):
        looks += 1
        if looks < _LOOKS:
            give_way()
        else:
            time.sleep(_PAUSE)
