"""What the processes of a grid returned; known where MLIR is not loaded, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ParallelResults(Sequence[Any]):
    """What the processes of a grid returned, in the order of their numbers.

    The number of a process is ``replica * num_partitions + partition``.

    Attributes:
        values: as calling an ``Executable`` returns them: an array, or a tuple of such; None where
            the process is one of another rank of an MPI job.
        outfeeds: for each process the tuples of arrays that its ``outfeed`` ops wrote.
        to_host: for each process and channel what its ``send`` ops sent to the host, where no
            function took it.
    """

    values: Sequence[Any]
    outfeeds: Sequence[Sequence[tuple[Any, ...]]]
    to_host: Sequence[Mapping[int, Sequence[tuple[Any, ...]]]]

    def __getitem__(self, number: Any) -> Any:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)
