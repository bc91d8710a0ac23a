"""Programs compiled for all processes of a grid."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from shlo_tools import ir, mlir, program, reference
from shlo_tools.calling.executable import Executable
from shlo_tools.cpu import executable
from shlo_tools.errors import ShloError
from shlo_tools.parallel import xla_grid
from shlo_tools.parallel.executable import ParallelExecutable, ReductionOrder, Transport
from shlo_tools.parallel.xla_grid import Functions

Backend = Literal["native", "reference", "xla"]


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
        backend: ``native``: compiled code; ``reference``: the specification, op by op; ``xla``:
            all processes are devices of XLA's, which runs one function and has no feeds.
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
    if backend == "xla":
        return xla_grid.compile(module, function, size, transport, options)
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
