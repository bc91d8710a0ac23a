"""The reference behind the interface of a compiled program."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import mlir, program
from shlo_tools.dialects import shape_names
from shlo_tools.dtypes import Array, QuantizedElementType, TensorType
from shlo_tools.errors import (
    ArgumentError,
    ExecutionTimeout,
    ShloError,
    UnsupportedError,
    did_you_mean,
)
from shlo_tools.extend import CustomCall
from shlo_tools.pipeline import runner
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.interpreter import Run
from shlo_tools.reference.processes import ALONE, Grid, Process, simulate
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Function, Observer, Program
from shlo_tools.reference.translate import function_names, translate
from shlo_tools.types import ValueType, array_type


@dataclass(frozen=True)
class Signature:
    """Argument and result types of a function."""

    inputs: tuple[ValueType, ...]
    results: tuple[ValueType, ...]

    def __str__(self) -> str:
        inputs = ", ".join(str(type) for type in self.inputs)
        results = ", ".join(str(type) for type in self.results)
        return f"({inputs}) -> ({results})"


class Reference:
    """A function of a program, executed by the reference semantics; call it with arrays.

    Attributes:
        signature: types of arguments and results; sizes may be unknown.
        name: the function's name.
    """

    def __init__(
        self, program: Program, name: str, custom_calls: Mapping[str, CustomCall] | None = None
    ) -> None:
        self.name = name
        self.program = program
        self.custom_calls = custom_calls or {}
        function = program.functions[name]
        self.signature = Signature(function.inputs, function.results)

    def __repr__(self) -> str:
        return f"<Reference @{self.name}{self.signature}>"

    def __call__(
        self,
        *arguments: Any,
        cast: bool = False,
        timeout: float | None = None,
        process: Process = ALONE,
        observe: Observer | None = None,
    ) -> Any:
        """Run the program.

        Args:
            arguments: arrays, Python numbers or lists; they are not changed.
            cast: convert arguments of another dtype instead of refusing them.
            timeout: seconds after which the program is stopped.
            process: the process of a simulated grid that it runs in.
            observe: called with every step, its operands and its results.

        Returns:
            A new array, or a tuple of them where the function has several results.

        Raises:
            ArgumentError: the arguments do not fit the signature.
            UnsupportedError: the program holds something that the reference cannot do.
            ExecutionError: a check of the program failed.
            ExecutionTimeout: the time is up.
        """
        function = self.program.functions[self.name]
        values = bind(function, arguments, cast=cast)
        deadline = None if timeout is None else time.monotonic() + timeout
        run = Run(self.program, process, observe, deadline, self.custom_calls)
        try:
            results = [_own(value) for value in run.call(self.name, values)]
        except ExecutionTimeout as error:
            raise ExecutionTimeout(f"@{self.name} was stopped after {timeout} s") from error
        return results[0] if len(results) == 1 else tuple(results)


def _own(value: Any) -> Any:
    """A result as an array that shares memory with no other."""
    if isinstance(value, QuantizedArray):
        return np.array(value.storage)
    return np.array(value) if isinstance(value, np.ndarray) else value


def compile(
    source: Any, *, function: str = "main", custom_calls: Mapping[str, CustomCall] | None = None
) -> Reference:
    """Prepare a program for the reference interpreter.

    Args:
        source: StableHLO as text, bytes, a path, a module of the bindings, or a builder's
            module. It is not changed.
        function: the function to run.
        custom_calls: functions for custom_call targets, beside the registered ones.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: the program's functions call each other in a circle.
        ShloError: there is no such function.
    """
    return Reference(_translated(source, [function]), function, custom_calls)


def _translated(source: Any, functions: Sequence[str]) -> Program:
    source = getattr(source, "module", source)  # a builder's module
    with mlir.library_context():
        module = (
            program.load(source)
            if isinstance(source, str | bytes) or program.is_path(source)
            else source
        )
        known = function_names(module)
        for name in functions:
            if name not in known:
                listed = ", ".join(f"@{other}" for other in known[:10]) or "none"
                hint = did_you_mean(name, known) or f"functions: {listed}"
                raise ShloError(f"there is no function @{name} with a body", hint=hint)
        return translate(_without_shapes(module), functions)


def _without_shapes(module: mlir.Module) -> mlir.Module:
    """A module whose shape dialect is StableHLO: that is what has semantics here."""
    if not any(shape_names.concerns(op) for op in mlir.walk(module.operation)):
        return module
    made = program.clone(module)
    runner.run("builtin.module(shlo-legalize-shape)", made)
    return made


def interpret(source: Any, *arguments: Any, function: str = "main", **options: Any) -> Any:
    """Run a program once by the reference semantics; see ``compile`` and ``Reference``."""
    return compile(source, function=function)(*arguments, **options)


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
    translated = _translated(source, sorted(set(names.values())))
    processes = [
        Process(id, grid, (infeed or {}).get(id, ()), dict((host or {}).get(id, {}))) for id in ids
    ]

    def run(process: Process) -> Any:
        replica, partition = process.id
        reference = Reference(translated, names[process.id])
        return reference(*arguments[replica][partition], timeout=timeout, process=process)

    return GridResults(dict(zip(ids, simulate(processes, run), strict=True)), processes)


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
def bind(function: Function, arguments: Sequence[Any], *, cast: bool) -> list[Any]:
    """Arguments as values of the function's types; raises ArgumentError."""
    if len(arguments) != len(function.inputs):
        signature = Signature(function.inputs, function.results)
        raise ArgumentError(
            f"@{function.name} takes {len(function.inputs)} arguments, {len(arguments)} given",
            hint=f"its signature is {signature}",
        )
    rows = enumerate(zip(arguments, function.inputs, strict=True))
    return [_argument(value, type, index, cast=cast) for index, (value, type) in rows]


def _argument(value: Any, type: ValueType, index: int, *, cast: bool) -> Any:
    if isinstance(type, TensorType):
        array = _array(value, array_type(type), index, cast=cast)
        element = type.element_type
        if isinstance(element, QuantizedElementType):
            return QuantizedArray(array, element)
        return array
    if str(type) == "!stablehlo.token":
        return TOKEN
    raise UnsupportedError(f"argument {index} is {type}, which cannot be passed")


def _array(value: Any, type: TensorType, index: int, *, cast: bool) -> Array:
    wanted = type.element_type.dtype
    python = isinstance(value, bool | int | float | complex | list | tuple)
    try:
        array = np.asarray(value)
        if python and array.dtype != wanted:
            converted = array.astype(wanted)
            if type.element_type.is_integer and not np.array_equal(
                converted.astype(object), array.astype(object)
            ):
                raise ArgumentError(f"argument {index}: values do not fit {type.element_type}")
            array = converted
        if array.dtype != wanted:
            if not cast:
                raise ArgumentError(
                    f"argument {index}: {array.dtype} given, {wanted} ({type.element_type}) wanted",
                    hint=f"cast=True or x.astype({wanted.name!r})",
                )
            array = array.astype(wanted)
    except ShloError:
        raise
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"argument {index}: {error}") from error
    if not type.admits(array.shape):
        raise ArgumentError(f"argument {index}: shape {array.shape} given, {type} wanted")
    return _read_only(array)


def _read_only(array: Array) -> Array:
    """A view that nobody can write through: the caller's arrays stay as they are."""
    view = array.view()
    view.flags.writeable = False
    return view
