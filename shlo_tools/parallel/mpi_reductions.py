"""Reductions that MPI itself does, in the order that it likes: ``reduction_order="any"``.

What cannot be called back is begun only when every rank has come: first the members on a rank
combine what they have, then ranks tell each other that they are there and what they bring
(``mpi_coming``), and then one thread of each rank calls MPI. So deadlocks and failures are reported
as everywhere, and MPI's part ends on all ranks.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools.grid import ProcessId
from shlo_tools.parallel.mpi_coming import ComingGrid, come
from shlo_tools.processes import values
from shlo_tools.processes.meeting import What
from shlo_tools.processes.values import Combine
from shlo_tools.processes.waiting import give_way

FEW_RANKS = 8  # among which small arrays are sent as they are
_MOST_GROUPS = 64  # whose communicators a rank keeps for later calls; MPICH has 2048 of them
_LOOKS = 100
_PAUSE = 2e-4  # seconds between looks whether MPI is done, after a while

# What combines two arrays, MPI's name for it, and for which kinds of numbers it is the same: MPI's
# largest of numbers with NaN may be any of them.
_OPS = {
    **{"add": ("SUM", "fciu"), "multiply": ("PROD", "fciu")},
    **{"maximum": ("MAX", "iu"), "minimum": ("MIN", "iu")},
    **{"and": ("BAND", "iu"), "or": ("BOR", "iu"), "xor": ("BXOR", "iu")},
}


@dataclass(frozen=True)
class Reduction:
    """What a group does together.

    Attributes:
        places: of members in the group, by their rank.
        rank: the own one.
        is_scattered: what members bring is an array for each of them, which gets that one alone.
    """

    group: tuple[ProcessId, ...]
    places: Mapping[int, Sequence[int]]
    rank: int
    combine: Combine
    what: What
    is_scattered: bool

    @property
    def ranks(self) -> list[int]:
        """The ranks that have members."""
        return sorted(self.places)

    @property
    def leaders(self) -> list[ProcessId]:
        """The first member of each rank."""
        return [self.group[self.places[rank][0]] for rank in self.ranks]

    @property
    def here(self) -> list[ProcessId]:
        """The members on this rank."""
        return [self.group[place] for place in self.places[self.rank]]


class Reductions:
    """What MPI can reduce for the ranks of a job.

    Args:
        communicator: of mpi4py, of all ranks. Several threads use it, and those made from it.
    """

    def __init__(self, communicator: Any) -> None:
        from mpi4py import MPI

        self._mpi, self._communicator = MPI, communicator
        self.is_possible = MPI.Query_thread() == MPI.THREAD_MULTIPLE
        self._of_groups: dict[tuple[tuple[ProcessId, ...], tuple[int, ...]], Any] = {}

    @property
    def group_count(self) -> int:
        """How many groups have a communicator on this rank."""
        return len(self._of_groups)

    def free(self, counts: Sequence[int]) -> None:
        """Free the communicators of groups, on all ranks, where one of them has too many.

        All ranks of a group have its communicator or none has, and all free them in one order.

        Args:
            counts: the ``group_count`` of all ranks. No rank reduces anything now.
        """
        if max(counts) <= _MOST_GROUPS:
            return
        for key in sorted(self._of_groups):
            self._of_groups.pop(key).Free()

    def can(self, arrays: Sequence[Any], combine: Combine) -> bool:
        """Whether MPI knows the op and the element types."""
        _, kinds = _OPS.get(getattr(combine, "kind", ""), ("", ""))
        return self.is_possible and all(
            isinstance(array, np.ndarray)
            and array.dtype.isbuiltin == 1
            and array.dtype.kind in kinds
            and (array.dtype.kind != "f" or array.dtype.char in "fd")
            for array in arrays
        )

    def reduced(
        self,
        grid: ComingGrid,
        key: Hashable,
        process: ProcessId,
        arrays: Sequence[Any],
        reduction: Reduction,
    ) -> list[Any]:
        """What a member of the group gets."""
        here, combine = reduction.here, reduction.combine

        def fold(brought: list[Any]) -> list[Any]:
            values.check_alike(brought, here)
            return [values.fold(shares, combine) for shares in zip(*brought, strict=True)]

        local = grid.meet((key, "here"), process, arrays, here, reduction.what, fold)
        totals = None
        if process == here[0]:
            types = values.described(list(arrays))
            come(grid, key, process, reduction.leaders, types, reduction.what)
            if reduction.is_scattered:
                totals = self._scattered(local, reduction)
            else:
                totals = [self._everywhere(local, reduction)] * len(here)
        shared = grid.meet((key, "there"), process, totals, here, reduction.what)[0]
        own: list[Any] = shared[here.index(process)]
        return own if len(here) == 1 else values.copied(own)

    def _everywhere(self, arrays: Sequence[Any], reduction: Reduction) -> list[Any]:
        """What all ranks have combined, on each of them."""
        communicator, op = self._of(reduction), self._op(reduction.combine)
        totals = [np.empty_like(array) for array in arrays]
        for array, total in zip(arrays, totals, strict=True):
            _await(communicator.Iallreduce(np.ascontiguousarray(array), total, op))
        return totals

    def _scattered(self, parts: Sequence[Any], reduction: Reduction) -> list[list[Any]]:
        """For each member of this rank its part of what all ranks have combined."""
        communicator, op = self._of(reduction), self._op(reduction.combine)
        of_ranks = [reduction.places[rank] for rank in reduction.ranks]
        listed = np.stack([parts[place] for own in of_ranks for place in own])
        counts = [len(own) * parts[0].size for own in of_ranks]
        totals = np.empty((len(reduction.here), *parts[0].shape), listed.dtype)
        _await(communicator.Ireduce_scatter(listed, totals, counts, op))
        return [[total] for total in totals]

    def _op(self, combine: Combine) -> Any:
        return getattr(self._mpi, _OPS[getattr(combine, "kind", "")][0])

    def _of(self, reduction: Reduction) -> Any:
        """The communicator of a group's ranks; two groups of the same ranks may reduce at once."""
        key = reduction.group, tuple(reduction.ranks)  # grids deal the same processes otherwise
        if key not in self._of_groups:
            members = self._communicator.Get_group().Incl(reduction.ranks)
            tag = zlib.crc32(repr(reduction.group).encode()) % 30000
            self._of_groups[key] = self._communicator.Create_group(members, tag)
        return self._of_groups[key]


def _await(request: Any) -> None:
    """Wait until MPI is done; all ranks have come, so it will be."""
    looks = 0
    while not request.Test():
        looks += 1
        if looks < _LOOKS:
            give_way()
        else:
            time.sleep(_PAUSE)
