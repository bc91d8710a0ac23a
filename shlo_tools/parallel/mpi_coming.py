"""Waiting until all ranks of a group have come for what cannot be called back: MPI's reductions.

The first member on each rank, its leader, says so in a few rounds: in round k each tells who is 2^k
behind it what it knows, and hears from who is 2^k before it. In the end all know of all.

Where a process fails meanwhile, either all leaders go on to MPI, or none does. A leader that came
before it knew of the failure says something in every round, if only that not all come, and waits
for what the others say; one that knows of the failure does not come, and its rank says so when it
is asked. Nobody has heard of all unless all came; then all hear of all.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId
from shlo_tools.processes.meeting import What

if TYPE_CHECKING:
    from shlo_tools.parallel.mpi_grid import MpiGrid


def come(
    grid: MpiGrid,
    key: Hashable,
    own: ProcessId,
    leaders: Sequence[ProcessId],
    types: str,
    what: What,
) -> None:
    """Wait until all leaders have come.

    Args:
        types: of the arrays that the own rank brings.

    Raises:
        ExecutionError: on all ranks: they bring arrays of different types, or the grid fails.
    """
    grid.comes(key, own)
    try:
        brought = _rounds(grid, key, own, leaders, types, what)
    finally:
        grid.has_come(key)
    if brought is None:
        raise grid.error_of(own)
    if len(brought) > 1:
        shown = sorted((process, types) for types, process in brought.items())
        raise ExecutionError(", ".join(f"process {p} brings {types}" for p, types in shown))


def _rounds(
    grid: MpiGrid,
    key: Hashable,
    own: ProcessId,
    leaders: Sequence[ProcessId],
    types: str,
    what: What,
) -> Mapping[str, ProcessId] | None:
    """Who brings what, one for each of the types that there are; None if not all come."""
    place, count, distance = leaders.index(own), len(leaders), 1
    known: dict[str, ProcessId] | None = {types: own}
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
