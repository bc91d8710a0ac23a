"""The reference behind the interface of a compiled program."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import mlir, program, time_limit
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.dialects import shape_names
from shlo_tools.dtypes import QuantizedElementType, TensorType
from shlo_tools.errors import (
    ArgumentError,
    ExecutionError,
    ExecutionTimeout,
    ShloError,
    did_you_mean,
)
from shlo_tools.extend import CustomCall
from shlo_tools.pipeline import runner
from shlo_tools.pipeline.stage_texts import StageTexts
from shlo_tools.processes import Grid, Process, current, run_processes
from shlo_tools.program.donation import Donate, donated
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.interpreter import Run
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Function, Observer, Program
from shlo_tools.reference.translate import function_names, translate
from shlo_tools.types import TokenType, ValueType


class Reference(Executable):
    """A function of a program, executed by the reference semantics; call it with arrays."""

    def __init__(
        self,
        program: Program,
        name: str,
        custom_calls: Mapping[str, CustomCall] | None = None,
        observe: Observer | None = None,
    ) -> None:
        self.name = name
        self.program = program
        self.custom_calls = custom_calls or {}
        self._observe = observe
        function = program.functions[name]
        self.signature = Signature(function.inputs, function.results)

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        function = self.program.functions[self.name]
        values = bind(function, arguments, cast=cast, donated=self.donated)
        deadline = None if timeout is None else time.monotonic() + timeout
        run = Run(self.program, current(), self._observe, deadline, self.custom_calls)
        try:
            with time_limit.limited(timeout):
                results = run.call(self.name, values)
        except ExecutionTimeout as error:
            raise ExecutionTimeout(f"stopped after {timeout} seconds") from error
        try:
            return [_own(value) for value in results]
        except MemoryError:
            raise ExecutionError(
                f"@{self.name}: the memory does not suffice for its results"
            ) from None


def _own(value: Any) -> Any:
    """A result as an array that shares memory with no other."""
    if isinstance(value, QuantizedArray):
        return np.array(value.storage)
    return np.array(value) if isinstance(value, np.ndarray) else value


def compile(
    source: Any,
    *,
    function: str = "main",
    custom_calls: Mapping[str, CustomCall] | None = None,
    observe: Observer | None = None,
    donate: Donate = (),
) -> Reference:
    """Prepare a program for the reference interpreter.

    Args:
        source: StableHLO as text, bytes, a path, a module of the bindings, or a builder's
            module. It is not changed.
        function: the function to run.
        custom_calls: functions for custom_call targets, beside the registered ones.
        observe: called with every step, its operands and its results.
        donate: as for native code, see ``cpu.executable.compile``; nothing is written.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: the program's functions call each other in a circle.
        ShloError: there is no such function, or no such argument.
    """
    with mlir.library_context():
        module = program.module_of(source)
        translated = _translated(module, [function])
        reference = Reference(translated, function, custom_calls, observe=observe)
        reference.donated = donated(module, function, donate)
        reference.texts = StageTexts(module, ("stablehlo",))  # that is what it runs
    return reference


def _translated(module: mlir.Module, functions: Sequence[str]) -> Program:
    program.internalize(module)
    program.verify_further(module)
    known = function_names(module)
    for name in functions:
        if name not in known:
            listed = ", ".join(f"@{other}" for other in known[:10]) or "none"
            hint = did_you_mean(name, known) or f"functions: {listed}"
            raise ShloError(f"there is no function @{name} with a body", hint=hint)
    if any(shape_names.concerns(op) for op in mlir.walk(module.operation)):
        # The shape dialect as StableHLO: that is what has semantics here.
        runner.run("builtin.module(shlo-legalize-shape)", module)
    try:
        return translate(module, functions)
    except MemoryError:
        raise ExecutionError("the memory does not suffice for the constants") from None


def interpret(
    source: Any,
    *arguments: Any,
    function: str = "main",
    observe: Observer | None = None,
    **options: Any,
) -> Any:
    """Run a program once by the reference semantics; see ``compile`` and ``Executable``."""
    return compile(source, function=function, observe=observe)(*arguments, **options)


def interpret_grid(
    source: Any,
    arguments: Sequence[Sequence[Sequence[Any]]],
    *,
    function: str | Sequence[Sequence[str]] = "main",
    infeed: Mapping[tuple[int, int], Sequence[tuple[Any, ...]]] | None = None,
    host: Mapping[tuple[int, int], Mapping[int, Sequence[tuple[Any, ...]]]] | None = None,
    timeout: float | None = None,
) -> GridResults:
    """Run a program on a simulated grid of processes.

    Args:
        source: as for ``compile``.
        arguments: ``arguments[replica][partition]`` are those of one process.
        function: the function that all run, or one for each process, nested alike.
        infeed: per process what its ``infeed`` ops read, one tuple of arrays each.
        host: per process and channel what its ``recv`` ops read from the host.
        timeout: seconds for the whole grid.

    Raises:
        ExecutionError: a process failed, or all wait for each other.
    """
    num_replicas, num_partitions = len(arguments), len(arguments[0])
    if any(len(row) != num_partitions for row in arguments):
        raise ArgumentError("the replicas have different numbers of partitions")
    grid = Grid(num_replicas, num_partitions)
    ids = [(r, p) for r in range(num_replicas) for p in range(num_partitions)]
    names = {id: function if isinstance(function, str) else function[id[0]][id[1]] for id in ids}
    with mlir.library_context():
        translated = _translated(program.module_of(source), sorted(set(names.values())))
    processes = [
        Process(id, grid, (infeed or {}).get(id, ()), dict((host or {}).get(id, {}))) for id in ids
    ]

    def run(process: Process) -> Any:
        replica, partition = process.id
        reference = Reference(translated, names[process.id])
        return reference(*arguments[replica][partition], timeout=timeout)

    return GridResults(dict(zip(ids, run_processes(processes, run), strict=True)), processes)


@dataclass(frozen=True)
class GridResults:
    """What the processes of a grid returned.

    Attributes:
        results: by process id, as calling a ``Reference`` returns them.
        processes: the processes, with what they wrote to their outfeeds and to the host.
    """

    results: Mapping[tuple[int, int], Any]
    processes: Sequence[Process]

    def __getitem__(self, process: tuple[int, int]) -> Any:
        return self.results[process]


# --- arguments ------------------------------------------------------------------------------------
def bind(
    function: Function, arguments: Sequence[Any], *, cast: bool, donated: Collection[int] = ()
) -> list[Any]:
    """Arguments as values of the function's types; raises ArgumentError."""
    parameters = Parameters(function.name, Signature(function.inputs, function.results))
    values = parameters.bound(arguments, cast=cast, donated=donated)
    return [_value(value, type) for value, type in zip(values, function.inputs, strict=True)]


def _value(value: Any, type: ValueType) -> Any:
    """An argument as steps see it, which nobody can write through: it may be the caller's."""
    if not isinstance(value, np.ndarray) or isinstance(type, TokenType):
        return TOKEN
    view = value.view()
    view.flags.writeable = False
    element = type.element_type if isinstance(type, TensorType) else None
    return QuantizedArray(view, element) if isinstance(element, QuantizedElementType) else view
