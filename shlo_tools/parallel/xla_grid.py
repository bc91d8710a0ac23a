"""Grids whose processes are devices of XLA's, in one child process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.calling.parallel_results import ParallelResults
from shlo_tools.errors import UnsupportedError
from shlo_tools.parallel.executable import (
    Channels,
    Feeds,
    Listeners,
    ParallelExecutable,
    Transport,
    check_rows,
)
from shlo_tools.xla import executable
from shlo_tools.xla.executable import XlaExecutable

Functions = str | Sequence[Sequence[str]]  # one of all processes, or a row of them per replica


class XlaGrid(ParallelExecutable):
    """One function in all processes of a grid, called as others are."""

    def __init__(self, program: XlaExecutable) -> None:
        size = program.num_replicas, program.num_partitions
        super().__init__(*size, [program] * (size[0] * size[1]))
        self._program = program

    def __call__(
        self,
        arguments: Sequence[Sequence[Any]],
        *,
        infeed: Feeds | None = None,
        from_host: Channels | None = None,
        to_host: Listeners | None = None,
        timeout: float | None = None,
    ) -> ParallelResults:
        """Run all processes of the grid, once; there are no feeds and channels of the host."""
        if any(each is not None for each in (infeed, from_host, to_host)):
            raise UnsupportedError("with backend='xla' programs are given arguments alone")
        check_rows(arguments)
        self._check_counts(arguments=arguments)
        rows = self._program.run_all(arguments, timeout=timeout)
        values = [row[0] if len(row) == 1 else tuple(row) for row in rows]
        return ParallelResults(values, [[] for _ in rows], [{} for _ in rows])


def compile(
    module: mlir.Module,
    function: Functions,
    size: tuple[int, int],
    transport: Transport,
    options: Mapping[str, Any],
) -> XlaGrid:
    """Compile a function for all processes of a grid.

    Raises:
        UnsupportedError: processes run several functions or go over MPI, or XLA refuses it.
        ShloError: jaxlib is not installed.
    """
    if transport == "mpi":
        raise UnsupportedError("with backend='xla' a grid is in one process, not over MPI")
    names = {function} if isinstance(function, str) else {name for row in function for name in row}
    if len(names) != 1:
        listed = ", ".join(f"@{name}" for name in sorted(names))
        raise UnsupportedError(f"with backend='xla' a grid runs one function, not {listed}")
    return XlaGrid(executable.compile(module, function=names.pop(), grid=size, **options))
