"""Targets of ``shlo-lower-collectives``: what a process does with others, or with the host.

The reference has the functions; they are the process's that runs in the calling thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from shlo_tools import processes, time_limit
from shlo_tools.cpu import watcher
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import Diagnostic, ExecutionError, Place, ShloError
from shlo_tools.extend import CustomCall
from shlo_tools.extend.targets import PROCESS

_OPS = (
    *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute"),
    *("collective_reduce", "infeed", "outfeed", "partition_id", "recv", "reduce_scatter"),
    *("replica_id", "send"),
)
# Nobody goes on before all have read what it brings.
_MEETING = ("all_gather", "all_reduce", "all_to_all", "collective_reduce", "reduce_scatter")
_GROUPS = ("replica_groups", "source_target_pairs")


def _target(name: str) -> CustomCall:
    def call(
        *operands: Array,
        attributes: Mapping[str, Any],
        place: Place | None,
        result_types: Sequence[TensorType],
    ) -> Sequence[Array]:
        process = processes.current()
        try:
            prepared = _prepared(name, _Same(attributes), _Same(result_types))
            _check_grid(process, prepared.grid)
            kept = operands if name in _MEETING else [operand.copy() for operand in operands]
            computed = prepared(process, kept)
        except ShloError as error:
            first = error.diagnostics[0]
            if first.place is not None or place is None:
                raise
            message = f"stablehlo.{name}: {first.message}"
            raise type(error)(
                [Diagnostic("error", message, place, first.notes, first.hint)]
            ) from error
        return tuple(value for value in computed if isinstance(value, np.ndarray))  # no token

    return call


class _Same:
    """An object by what it is, not by what it says: what a call site offers are the same ones."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)


def _check_grid(process: processes.Process, size: Sequence[int] | None) -> None:
    """Refuse a program whose grid is another than that of the process."""
    own = (process.grid.num_replicas, process.grid.num_partitions)
    if size is not None and tuple(size) != own:
        replicas, partitions = size
        raise ExecutionError(
            f"compiled for {replicas} replicas of {partitions} partitions, and this process is of"
            f" {own[0]} of {own[1]}",
            hint="shlo_tools.run_spmd runs a program in all processes of a grid",
        )


@dataclass(frozen=True)
class _Prepared:
    """The reference's function for an op, with what is the same at each of its calls.

    Attributes:
        grid: for which it was compiled, if that matters.
        arguments: of the function, besides operands and the process.
        keywords: which of those the function has.
    """

    grid: Sequence[int] | None
    evaluate: Callable[..., Any]
    arguments: Mapping[str, Any]
    keywords: frozenset[str]

    def __call__(self, process: processes.Process, operands: Sequence[Array]) -> Sequence[Any]:
        """What the function gives."""
        arguments = dict(self.arguments)
        if "process" in self.keywords:
            arguments["process"] = process
        for keyword in self.keywords & {"operands", "inputs"}:
            arguments[keyword] = operands
        if "operand" in self.keywords:
            arguments["operand"] = operands[0]
        computed = self.evaluate(**arguments)
        return computed if isinstance(computed, tuple | list) else [computed]


@lru_cache(1024)
def _prepared(name: str, attributes: _Same, result_types: _Same) -> _Prepared:
    from shlo_tools.reference._evaluates import EVALUATORS, keywords_of
    from shlo_tools.reference.grouping import TOKEN

    evaluate = EVALUATORS[f"stablehlo.{name}"]
    keywords = keywords_of(evaluate)
    offered: dict[str, Any] = {n: _plain(value) for n, value in attributes.it.items()}
    offered |= {"token": TOKEN, "result_types": [*result_types.it, TOKEN]}
    if "computation" in keywords:
        offered["computation"] = _combining(attributes.it["computation"], attributes.it["kind"])
    arguments = {n: value for n, value in offered.items() if n in keywords}
    return _Prepared(attributes.it.get("grid"), evaluate, arguments, keywords)


def _plain(value: Any) -> Any:
    """Groups as tuples, by which they are known again."""
    return tuple(map(tuple, value.tolist())) if isinstance(value, np.ndarray) else value


@cache
def _combining(text: str, kind: str) -> Any:
    """The compiled computation of a collective, on arrays of any shape."""
    from shlo_tools.cpu.executable import compile

    combine = compile(text)

    def on_arrays(left: Array, right: Array) -> Array:
        flat: Array = combine(left.reshape(-1), right.reshape(-1))
        return flat.reshape(left.shape)

    return processes.NamedCombine(on_arrays, kind)


# --- beside the process ---------------------------------------------------------------------------
def async_start(
    *operands: Array,
    attributes: Mapping[str, Any],
    place: Place | None,
) -> Array:
    """Begin a collective, whose operands may change meanwhile; a number for ``async_done``."""
    process = processes.current()
    name = attributes["op"]
    copies = [operand.copy() for operand in operands]
    label = (name, *(str(attributes.get(key)) for key in ("channel_id", *_GROUPS)))
    call = _target(name)
    number = process.begin(
        label, lambda: call(*copies, attributes=attributes, place=place, result_types=())
    )
    return np.asarray(number, np.int64)


def async_done(number: Array) -> Sequence[Array]:
    """Wait for what ``async_start`` began."""
    results: Sequence[Array] = processes.current().finish(int(number))
    return results


# --- grids in programs ----------------------------------------------------------------------------
def run_parallel(
    *operands: Array, attributes: Mapping[str, Any], place: Place | None
) -> Sequence[Array]:
    """``interpreter.run_parallel``: a grid of processes, each with its function and arguments."""
    programs: Sequence[Sequence[str]] = attributes["programs"]
    size = len(programs), len(programs[0])
    names = [name for row in programs for name in row]
    feeds: Sequence[str] = attributes["infeed"]
    own = {name: _function(attributes["module"], name, size) for name in (*names, *feeds)}
    grid = processes.Grid(*size)
    ids = [(r, p) for r in range(size[0]) for p in range(size[1])]
    members = [processes.Process(id, grid) for id in ids]
    queue = deque(_several(own[name]()) for name in feeds)
    rest, threads, timeout = iter(operands), list[int](), time_limit.left()
    arguments = {
        id: [next(rest) for _ in own[name].signature.inputs]
        for id, name in zip(ids, names, strict=True)
    }
    for member in members:
        member.infeed = queue  # whoever asks first gets what comes first

    def run(process: processes.Process) -> Sequence[Array]:
        threads.append(threading.get_ident())
        function = own[names[ids.index(process.id)]]
        return _several(function(*arguments[process.id], timeout=timeout))

    results = processes.run_processes(members, run, lambda: watcher.cancel(threads))
    return tuple(value for values in results for value in values)


def _several(results: Any) -> tuple[Array, ...]:
    return results if isinstance(results, tuple) else (results,)


@cache
def _function(text: str, name: str, size: tuple[int, int]) -> Any:
    from shlo_tools.cpu.executable import compile

    return compile(text, function=name, grid=size)


TARGETS: dict[str, CustomCall] = {
    **{PROCESS + name: _target(name) for name in _OPS},
    PROCESS + "async_start": async_start,
    PROCESS + "async_done": async_done,
    PROCESS + "run_parallel": run_parallel,
}
