"""Grids whose processes are dealt to the ranks of an MPI job.

    mpiexec -n 4 python script.py       # run_spmd(..., transport="mpi") in the script

Every rank makes the same calls. A rank has a block of processes, each a thread; of a grid that is
smaller than the job some ranks have none, and only wait for the others.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from shlo_tools.errors import ExecutionError, UnsupportedError
from shlo_tools.grid import ProcessId
from shlo_tools.parallel.mpi_grid import MpiGrid, by_rank
from shlo_tools.parallel.mpi_groups import Communicators
from shlo_tools.parallel.mpi_messages import Messages
from shlo_tools.processes import Process, run_processes

_LOOK = 0.1  # seconds between looks for Ctrl-C
_PATIENCE = 30.0  # seconds that ranks have to end, after one has failed
_LAST_WORDS = 0.5  # seconds that other ranks have to say why they end


def own_numbers(count: int) -> list[int]:
    """The numbers of the processes of this rank, of a grid of so many."""
    ranks = job()
    return [n for n in range(count) if n * ranks.size // count == ranks.rank]


def end_job(message: str) -> None:
    """End all ranks, which would wait for this one, after a message."""
    print(message, file=sys.stderr, flush=True)
    job().end_with_words()


@dataclass(frozen=True)
class Plan:
    """What all ranks have to agree on.

    Attributes:
        size: replicas and partitions.
        program: a digest of what the processes run.
        gather: whether each rank gets the results of all processes, else of its own.
        reduces_in_any_order: whether reductions need not combine in their group's order.
    """

    size: tuple[int, int]
    program: str = ""
    gather: bool = False
    reduces_in_any_order: bool = False


class Job:
    """The ranks that ``mpiexec`` started, as one of them sees them."""

    def __init__(self, communicator: Any) -> None:
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()
        self._communicator = communicator
        communicator.Barrier()  # all ranks have mapped what they share
        _forget_segments()
        self._communicators = Communicators(communicator)
        self._calls = 0
        self._one_at_a_time = threading.Lock()

    def run(
        self,
        plan: Plan,
        start: Callable[[MpiGrid], Sequence[Process]],
        run: Callable[[Process], Any],
        stop: Callable[[], None],
    ) -> Mapping[ProcessId, Any]:
        """Run a grid, together with all other ranks.

        Args:
            plan: what all ranks have to agree on.
            start: makes the processes of this rank, ``grid.own``.
            run: what each process does.
            stop: ends what the processes of this rank compute.

        Raises:
            BaseException: what the process raised that failed first, on whatever rank; a note says
                which one it was.
        """
        with self._one_at_a_time:
            self._calls += 1
            messages = Messages(self._communicator, self._calls)
            return self._run(plan, start, run, stop, messages)

    def _run(
        self,
        plan: Plan,
        start: Callable[[MpiGrid], Sequence[Process]],
        run: Callable[[Process], Any],
        stop: Callable[[], None],
        messages: Messages,
    ) -> Mapping[ProcessId, Any]:
        size = plan.size
        ids = [(r, p) for r in range(size[0]) for p in range(size[1])]
        mine = messages, self.rank, self.size, plan.program, self._communicators
        grid = MpiGrid(size, ids, *mine, plan.reduces_in_any_order)
        grid.stop = stop
        processes = start(grid)
        endings: list[_Ending] = []
        all_endings: list[_Ending] = []

        def serve() -> None:
            all_endings.extend(grid.serve(lambda: endings[0] if endings else None))

        def end(results: Mapping[ProcessId, Any]) -> None:
            count = self._communicators.count
            endings.append(_Ending(plan, self._failure_here(grid), results, count))
            self._await(server, grid)
            if all_endings:
                self._communicators.free([ending.communicators for ending in all_endings])

        server = threading.Thread(target=serve, name="shlo-mpi", daemon=True)
        server.start()
        try:
            values = run_processes(processes, run, stop) if processes else []
        except BaseException as error:
            end({})
            first = self._first_failure(grid, all_endings)
            if first is None or first is error or not isinstance(error, Exception):
                raise  # Ctrl-C on this rank, or what all ranks raise
            raise first from None
        own = {process.id: value for process, value in zip(processes, values, strict=True)}
        end(own if plan.gather else {})
        if (failure := self._first_failure(grid, all_endings)) is not None:
            raise failure
        for ending in all_endings:
            own |= ending.results
        return own

    def _failure_here(self, grid: MpiGrid) -> _Failure | None:
        """What the others are to know of a failure."""
        if grid.origin is None:
            return None
        _, error = grid.origin
        error.add_note(f"on rank {self.rank} of {self.size}")
        return _Failure(_pickled(error), error.__notes__)

    def _await(self, server: threading.Thread, grid: MpiGrid) -> None:
        """Wait until all ranks have come to their end."""
        patience = None
        while server.is_alive():
            server.join(_LOOK)
            if grid.failure is not None and patience is None:
                patience = time.monotonic() + _PATIENCE
            if patience is not None and time.monotonic() > patience and server.is_alive():
                print(f"error: {grid.failure}; some ranks do not end", file=sys.stderr, flush=True)
                self.abort()

    def _first_failure(self, grid: MpiGrid, all_endings: Sequence[_Ending]) -> BaseException | None:
        """What all ranks raise."""
        if not all_endings:
            return ExecutionError(f"rank {self.rank} could not send or get messages")
        if (others := _other_plans([ending.plan for ending in all_endings])) is not None:
            return ExecutionError(others)
        for rank, ending in enumerate(all_endings):
            if ending.failure is not None:
                if rank == self.rank and grid.origin is not None:
                    return grid.origin[1]
                return ending.failure.error()
        if grid.failure is not None:
            return ExecutionError(grid.failure)
        return None

    def abort(self) -> None:
        """End all ranks at once."""
        self._communicator.Abort(1)

    def end_with_words(self) -> None:
        """End all ranks once they had time to say why."""
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(_LAST_WORDS)
        self.abort()


def _forget_segments() -> None:
    """Take away the names of memory that ranks of MPICH share, which a killed job would leave.

    The memory itself goes with the last rank that has mapped it.
    """
    with suppress(OSError), open("/proc/self/maps") as file:  # other systems have no such file
        for name in set(re.findall(r"/dev/shm/mpich_shm_\w+", file.read())):
            with suppress(OSError):  # another rank was first
                os.unlink(name)


@dataclass(frozen=True)
class _Failure:
    """An exception on its way to other ranks."""

    pickled: bytes
    notes: Sequence[str]

    def error(self) -> BaseException:
        error: BaseException = pickle.loads(self.pickled)
        error.__notes__ = list(self.notes)
        return error


@dataclass(frozen=True)
class _Ending:
    """What a rank tells the others at its end.

    Attributes:
        communicators: how many it has.
    """

    plan: Plan
    failure: _Failure | None
    results: Mapping[ProcessId, Any]
    communicators: int


def _other_plans(plans: Sequence[Plan]) -> str | None:
    """What ranks do not agree on, by rank."""
    shown: Sequence[tuple[str, list[str]]] = (
        ("run grids of other sizes", [f"{r} x {p}" for r, p in (plan.size for plan in plans)]),
        ("run other programs", [plan.program for plan in plans]),
        ("ask for other results", [f"gather={plan.gather}" for plan in plans]),
    )
    for what, each in shown:
        if len(set(each)) > 1:
            return f"the ranks {what}: {by_rank(each)}"
    return None


def _pickled(error: BaseException) -> bytes:
    """An exception as bytes; of one that cannot travel its name and message."""
    try:
        body = pickle.dumps(error)
        pickle.loads(body)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError):
        return pickle.dumps(ExecutionError(f"{type(error).__name__}: {error}"))
    return body


@cache
def job() -> Job:
    """The job that this process is a rank of; all ranks have to ask for it.

    An exception that ends the script of one rank ends all from now on.

    Raises:
        UnsupportedError: mpi4py is not there, or its MPI knows no threads.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        message = f"transport='mpi' needs mpi4py and an MPI library ({error})"
        raise UnsupportedError(message, hint="pip install 'shlo-tools[mpi]'") from error
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise UnsupportedError("this MPI was started without support of threads")
    ranks = Job(MPI.COMM_WORLD.Dup())
    if ranks.size > 1:
        _end_all_with_this_rank(ranks)
    return ranks


def _end_all_with_this_rank(ranks: Job) -> None:
    """Else the others would wait for a rank that is no more."""
    shown = sys.excepthook

    def hook(*error: Any) -> None:
        shown(*error)
        ranks.end_with_words()

    sys.excepthook = hook
