"""Programs run once in all processes of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from shlo_tools import mlir, program
from shlo_tools.calling.parallel_results import ParallelResults
from shlo_tools.errors import ArgumentError
from shlo_tools.parallel.compiling import compile
from shlo_tools.parallel.executable import (
    Channels,
    Feeds,
    Listeners,
    check_rows,
)
from shlo_tools.parallel.sharded import compile_sharded

_OF_A_CALL = ("infeed", "from_host", "to_host", "timeout")
_OF_PROCESSES = ("num_replicas", "num_partitions", "infeed", "from_host", "to_host")


@overload
def run_spmd(
    source: Any,
    arguments: Sequence[Sequence[Any]],
    *,
    num_replicas: int | None = None,
    num_partitions: int | None = None,
    function: str = "main",
    infeed: Feeds | None = None,
    from_host: Channels | None = None,
    to_host: Listeners | None = None,
    timeout: float | None = None,
    **options: Any,
) -> ParallelResults: ...


@overload
def run_spmd(
    source: Any,
    *,
    whole: Sequence[Any],
    mesh: str | None = None,
    function: str = "main",
    timeout: float | None = None,
    **options: Any,
) -> Any: ...


def run_spmd(
    source: Any,
    arguments: Sequence[Sequence[Any]] | None = None,
    *,
    whole: Sequence[Any] | None = None,
    **options: Any,
) -> Any:
    """Run one program in all processes of a grid, once.

        results = run_spmd(module, [[x0], [x1]], num_replicas=2)    # what each process takes
        y = run_spmd(module, whole=[x])         # the module says how x is cut, and y put together

    Args:
        source: StableHLO as text, bytes, a path, a module of the bindings, or a builder's module.
        arguments: for each process, by its number, a list of what its function takes. Where the
            size of the grid is said neither here nor by the module, there are as many replicas.
        whole: instead of those, the program's arguments as whole arrays: its mesh and shardings say
            which part of them each process gets.
        options: of ``compile`` and of a call of what it returns (``infeed``, ``from_host``,
            ``to_host``, ``timeout``); with ``whole`` those of ``compile_sharded``, and ``timeout``.

    Returns:
        What each process returns; with ``whole`` the whole results, an array or a tuple of such.

    Raises:
        ArgumentError: there are both or neither of ``arguments`` and ``whole``, or an array where a
            list for a process is wanted, or options of the one with the other.
        ShloError: as of ``compile``, ``compile_sharded`` and calls of what they return.
    """
    if whole is not None:
        if arguments is not None:
            raise ArgumentError("both arguments of processes and whole arrays are given")
        return _run_whole(source, whole, options)
    if arguments is None:
        hint = "run_spmd(program, [[x0], [x1]]), or run_spmd(program, whole=[x])"
        raise ArgumentError("neither arguments of processes nor whole arrays are given", hint=hint)
    if options.get("mesh") is not None:
        raise ArgumentError("mesh= goes with whole arrays", hint="run_spmd(program, whole=[x])")
    check_rows(arguments)
    options.pop("mesh", None)
    calling = {name: options.pop(name) for name in _OF_A_CALL if name in options}
    if options.get("num_replicas") is None and options.get("num_partitions") is None:
        options["num_replicas"] = _replicas(source, len(arguments))
    return compile(source, **options)(arguments, **calling)


def _run_whole(source: Any, whole: Sequence[Any], options: dict[str, Any]) -> Any:
    for name in _OF_PROCESSES:
        if options.get(name) is not None:
            hint = "the program's mesh says how many processes there are, or mesh='2x2'"
            raise ArgumentError(f"{name}= does not go with whole arrays", hint=hint)
    if not isinstance(whole, list | tuple):
        raise ArgumentError("whole= is a list of arguments", hint="run_spmd(program, whole=[x])")
    timeout = options.pop("timeout", None)
    return compile_sharded(source, **options)(*whole, timeout=timeout)


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
    calling = {name: options.pop(name) for name in _OF_A_CALL if name in options}
    rows = len(functions), len(functions[0]) if len(functions) else 0
    compiled = compile(
        source, num_replicas=rows[0], num_partitions=rows[1], function=functions, **options
    )
    return compiled(arguments, **calling)
