"""Programs of a grid, ready to run in all of its processes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from shlo_tools.calling.executable import Executable
from shlo_tools.calling.parallel_results import ParallelResults
from shlo_tools.cpu import watcher
from shlo_tools.errors import ArgumentError
from shlo_tools.grid import ProcessId
from shlo_tools.parallel import mpi
from shlo_tools.processes import Grid, Process, run_processes
from shlo_tools.processes.process import FromHost, ToHost
from shlo_tools.processes.values import described

Transport = Literal["threads", "mpi"]
ReductionOrder = Literal["group", "any"]
Feeds = Sequence[Sequence[tuple[Any, ...]]]
Channels = Sequence[Mapping[int, FromHost]]
Listeners = Sequence[Mapping[int, ToHost]]


_Returned = tuple[Any, Sequence[tuple[Any, ...]], Mapping[int, Sequence[tuple[Any, ...]]]]


def check_rows(arguments: Sequence[Any]) -> None:
    """Refuse an array where a list of a process's arguments is wanted."""
    for number, row in enumerate(arguments):
        if row is not None and (hasattr(row, "dtype") or not isinstance(row, Iterable)):
            raise ArgumentError(
                f"arguments of process {number}: {described(row)} is no list of arguments",
                hint="whole arrays, which a mesh cuts, are run_spmd(program, whole=[x])",
            )


class ParallelExecutable:
    """The functions of a grid's processes, ready to run; call it with the arguments of each.

    Attributes:
        num_replicas, num_partitions: the size of the grid.
        executables: for each process, by its number, what it runs; equal ones are the same.
        transport, gather, reduction_order: see ``compile``.
        digest: tells the program, and how it is compiled, from others; '' where nobody asks.
    """

    def __init__(
        self,
        num_replicas: int,
        num_partitions: int,
        executables: Sequence[Executable],
        transport: Transport = "threads",
        gather: bool = False,
        reduction_order: ReductionOrder = "group",
        digest: str = "",
    ) -> None:
        self.num_replicas, self.num_partitions = num_replicas, num_partitions
        self.executables = executables
        self.transport, self.gather = transport, gather
        self.reduction_order, self.digest = reduction_order, digest

    def __call__(
        self,
        arguments: Sequence[Sequence[Any]],
        *,
        infeed: Feeds | None = None,
        from_host: Channels | None = None,
        to_host: Listeners | None = None,
        timeout: float | None = None,
    ) -> ParallelResults:
        """Run all processes of the grid, once.

        Args:
            arguments: for each process, by its number, those of its function. Those of processes of
                other ranks are not looked at: they may be None.
            infeed: for each process what its ``infeed`` ops read, one tuple of arrays each.
            from_host: for each process and channel what its ``recv`` ops get from the host: a list
                of tuples of arrays, or a function that returns the next one.
            to_host: for each process and channel a function that is called with the arrays of each
                ``send`` to the host, when it happens; the process waits for it.
            timeout: seconds for the whole grid.

        Raises:
            ArgumentError: there are not as many arguments, feeds or channels as processes, those
                of a process do not fit its function, or another one has what is donated to it.
            ExecutionError: a process failed, or all wait for each other.
            ExecutionTimeout: the time is up.
        """
        check_rows(arguments)
        self._check_counts(arguments=arguments, infeed=infeed, from_host=from_host, to_host=to_host)
        self._check_donated(arguments)
        size = self.num_replicas, self.num_partitions
        every = list(ids(*size))
        threads: list[int] = []

        def member(grid: Grid, id: ProcessId) -> Process:
            number = every.index(id)
            return Process(
                id,
                grid,
                infeed[number] if infeed is not None else (),
                from_host[number] if from_host is not None else None,
                to_host[number] if to_host is not None else None,
            )

        def run(process: Process) -> _Returned:
            threads.append(threading.get_ident())
            number = every.index(process.id)
            values = self.executables[number](*arguments[number], timeout=timeout)
            return values, process.outfeed, dict(process.to_host)

        def stop() -> None:
            watcher.cancel(threads)

        if self.transport == "mpi":
            plan = mpi.Plan(size, self.digest, self.gather, self.reduction_order == "any")
            own = mpi.job().run(plan, lambda grid: [member(grid, id) for id in grid.own], run, stop)
            returned = [own.get(id, (None, [], {})) for id in every]
        else:
            grid = Grid(*size)
            returned = run_processes([member(grid, id) for id in every], run, stop)
        return ParallelResults(*zip(*returned, strict=True))

    def _check_counts(self, **listed: Sequence[Any] | None) -> None:
        """Refuse arguments, feeds or channels that are not for as many processes as there are."""
        count = len(self.executables)
        for what, values in listed.items():
            if values is not None and len(values) != count:
                raise ArgumentError(f"{what} for {len(values)} processes, and there are {count}")

    def _check_donated(self, arguments: Sequence[Sequence[Any]]) -> None:
        """Refuse that a process writes what another one of this rank reads."""
        for number in own_numbers(len(self.executables), self.transport):
            for place in self.executables[number].donated:
                array = arguments[number][place] if place < len(arguments[number]) else None
                if isinstance(array, np.ndarray):
                    self._check_alone(array, number, place, arguments)

    def _check_alone(
        self, array: Any, number: int, place: int, arguments: Sequence[Sequence[Any]]
    ) -> None:
        for other in own_numbers(len(self.executables), self.transport):
            if other == number:
                continue
            for each in arguments[other]:
                if isinstance(each, np.ndarray) and np.may_share_memory(array, each):
                    raise ArgumentError(
                        f"argument {place} of process {number} is donated, and shares memory with"
                        f" one of process {other}",
                        hint="donate a copy: numpy.array(x)",
                    )


def own_numbers(count: int, transport: Transport) -> Sequence[int]:
    """The numbers of the processes that run here, of a grid of so many."""
    return mpi.own_numbers(count) if transport == "mpi" else range(count)


def ids(num_replicas: int, num_partitions: int) -> Iterator[ProcessId]:
    """The processes of a grid, by their numbers."""
    return ((r, p) for r in range(num_replicas) for p in range(num_partitions))
