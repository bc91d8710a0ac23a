"""Programs of a grid, compiled once and run in all of its processes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from shlo_tools import ir, mlir, program, reference
from shlo_tools.calling.executable import Executable
from shlo_tools.cpu import executable, watcher
from shlo_tools.errors import ArgumentError, ShloError
from shlo_tools.grid import ProcessId
from shlo_tools.parallel import mpi
from shlo_tools.processes import Grid, Process, run_processes

Backend = Literal["native", "reference"]
Transport = Literal["threads", "mpi"]
ReductionOrder = Literal["group", "any"]
Functions = str | Sequence[Sequence[str]]
Feeds = Sequence[Sequence[tuple[Any, ...]]]
Channels = Sequence[Mapping[int, Sequence[tuple[Any, ...]]]]


@dataclass(frozen=True)
class ParallelResults(Sequence[Any]):
    """What the processes of a grid returned, in the order of their numbers.

    The number of a process is ``replica * num_partitions + partition``.

    Attributes:
        values: as calling an ``Executable`` returns them: an array, or a tuple of such; None where
            the process is one of another rank of an MPI job.
        outfeeds: for each process the tuples of arrays that its ``outfeed`` ops wrote.
        to_host: for each process and channel what its ``send`` ops sent to the host.
    """

    values: Sequence[Any]
    outfeeds: Sequence[Sequence[tuple[Any, ...]]]
    to_host: Sequence[Mapping[int, Sequence[tuple[Any, ...]]]]

    def __getitem__(self, number: Any) -> Any:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)


_Returned = tuple[Any, Sequence[tuple[Any, ...]], Mapping[int, Sequence[tuple[Any, ...]]]]


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
        timeout: float | None = None,
    ) -> ParallelResults:
        """Run all processes of the grid, once.

        Args:
            arguments: for each process, by its number, those of its function. Those of processes of
                other ranks are not looked at: they may be None.
            infeed: for each process what its ``infeed`` ops read, one tuple of arrays each.
            from_host: for each process and channel what its ``recv`` ops get from the host.
            timeout: seconds for the whole grid.

        Raises:
            ArgumentError: there are not as many arguments, feeds or channels as processes, or
                those of a process do not fit its function.
            ExecutionError: a process failed, or all wait for each other.
            ExecutionTimeout: the time is up.
        """
        count = len(self.executables)
        for values, what in (
            (arguments, "arguments"),
            (infeed, "infeed"),
            (from_host, "from_host"),
        ):
            if values is not None and len(values) != count:
                raise ArgumentError(f"{what} for {len(values)} processes, and there are {count}")
        size = self.num_replicas, self.num_partitions
        every = list(ids(*size))
        threads: list[int] = []

        def member(grid: Grid, id: ProcessId) -> Process:
            number = every.index(id)
            sent = dict(from_host[number]) if from_host is not None else {}
            return Process(id, grid, infeed[number] if infeed is not None else (), sent)

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


def own_numbers(count: int, transport: Transport) -> Sequence[int]:
    """The numbers of the processes that run here, of a grid of so many."""
    return mpi.own_numbers(count) if transport == "mpi" else range(count)


def ids(num_replicas: int, num_partitions: int) -> Iterator[ProcessId]:
    """The processes of a grid, by their numbers."""
    return ((r, p) for r in range(num_replicas) for p in range(num_partitions))


def compile(
    source: Any,
    *,
    num_replicas: int | None = None,
    num_partitions: int | None = None,
    function: Functions = "main",
    backend: Backend = "native",
    transport: Transport = "threads",
    gather: bool = False,
    reduction_order: ReductionOrder = "group",
    **options: Any,
) -> ParallelExecutable:
    """Compile a program for all processes of a grid.

    Args:
        source: StableHLO as text, bytes, a path, a module of the bindings, or a builder's module.
        num_replicas, num_partitions: the size of the grid; by default what the module says
            (``mhlo.num_replicas``, ``mhlo.num_partitions``), else 1.
        function: the function that all run, or one for each process: a row of names per replica.
        backend: ``native``: compiled code; ``reference``: the specification, op by op.
        transport: ``threads``: all processes are threads of this one; ``mpi``: they are dealt to
            the ranks of an MPI job, all of which have to make the same calls.
        gather: whether every rank of an MPI job gets the results of all processes, else of its own.
        reduction_order: ``group``: reductions combine what the members of a group have from left
            to right in its order, so that results are the same bits over every transport; ``any``:
            they may combine it as they like. Over MPI sums of large arrays are MPI's own then.
        options: those of ``shlo_tools.compile``.

    Raises:
        ParseError, VerifyError: the source is no valid module, or its groups do not fit the grid.
        UnsupportedError: it holds something that cannot be compiled.
        ShloError: there is no such function, or the grid has another size.
    """
    _check_choice("transport", transport, get_args(Transport))
    _check_choice("reduction_order", reduction_order, get_args(ReductionOrder))
    with mlir.library_context():
        module = program.module_of(source)
        size = (
            _size(module, "num_replicas", num_replicas),
            _size(module, "num_partitions", num_partitions),
        )
    names = _names(function, *size)
    executables = {
        name: _compiled(module, name, size, backend, options) for name in dict.fromkeys(names)
    }
    digest = _digest(module, names, backend, reduction_order) if transport == "mpi" else ""
    listed = [executables[name] for name in names]
    return ParallelExecutable(*size, listed, transport, gather, reduction_order, digest)


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ShloError(f"{name}={value!r}: there are {', '.join(choices)}")


def _digest(module: mlir.Module, *others: Any) -> str:
    """What tells a program from others, wherever it was read from."""
    with mlir.library_context():
        text = ir.printed(module.operation)
    return hashlib.sha256(f"{text}{others}".encode()).hexdigest()[:12]


def _size(module: mlir.Module, name: str, size: int | None) -> int:
    if size is None:
        size = ir.integer_of(module.operation, f"mhlo.{name}", 1)
    if size < 1:
        raise ShloError(f"{name}={size}: a grid has at least one")
    return size


def _names(function: Functions, num_replicas: int, num_partitions: int) -> list[str]:
    """The function of each process."""
    if isinstance(function, str):
        return [function] * (num_replicas * num_partitions)
    if [len(row) for row in function] != [num_partitions] * num_replicas:
        size = f"{num_replicas} rows of {num_partitions}"
        raise ShloError(
            f"functions for {[len(row) for row in function]} processes; the grid has {size}"
        )
    return [name for row in function for name in row]


def _compiled(
    module: mlir.Module, name: str, size: tuple[int, int], backend: str, options: Mapping[str, Any]
) -> Executable:
    if backend == "reference":
        return reference.compile(module, function=name, **options)
    return executable.compile(module, function=name, grid=size, **options)


def run_spmd(
    source: Any,
    arguments: Sequence[Sequence[Any]],
    *,
    num_replicas: int | None = None,
    num_partitions: int | None = None,
    function: str = "main",
    infeed: Feeds | None = None,
    from_host: Channels | None = None,
    timeout: float | None = None,
    **options: Any,
) -> ParallelResults:
    """Run one program in all processes of a grid, once; see ``compile`` and its executable.

    Where the size of the grid is said neither here nor by the module, there are as many replicas
    as arguments are given for.
    """
    if num_replicas is None and num_partitions is None:
        num_replicas = _replicas(source, len(arguments))
    compiled = compile(
        source,
        num_replicas=num_replicas,
        num_partitions=num_partitions,
        function=function,
        **options,
    )
    return compiled(arguments, infeed=infeed, from_host=from_host, timeout=timeout)


def _replicas(source: Any, count: int) -> int | None:
    with mlir.library_context():
        attributes = program.module_of(source).operation.attributes
        says = "mhlo.num_replicas" in attributes or "mhlo.num_partitions" in attributes
    return None if says else count


def run_mpmd(
    source: Any,
    arguments: Sequence[Sequence[Any]],
    functions: Sequence[Sequence[str]],
    **options: Any,
) -> ParallelResults:
    """Run a function of its own in each process of a grid, once.

    Args:
        functions: a row of names per replica, one per partition.
        options: those of ``compile``, and of a call of what it returns.
    """
    calling = {n: options.pop(n) for n in ("infeed", "from_host", "timeout") if n in options}
    rows = len(functions), len(functions[0]) if len(functions) else 0
    compiled = compile(
        source, num_replicas=rows[0], num_partitions=rows[1], function=functions, **options
    )
    return compiled(arguments, **calling)
