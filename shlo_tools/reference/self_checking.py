"""Ops of the ``check`` and ``interpreter`` dialects, with which programs check and show themselves.

``TARGETS`` has them as functions for compiled programs, which call them as custom calls.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from shlo_tools import dtypes, ir, mlir, processes
from shlo_tools.dialects import check as dialect
from shlo_tools.dialects import rules
from shlo_tools.dtypes import Array
from shlo_tools.errors import Place, ShloError, VerifyError
from shlo_tools.mlir import Operation
from shlo_tools.reference import probes
from shlo_tools.reference.check import COMPARISONS, Check, CheckError
from shlo_tools.reference.interpreter import Run
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Environment, Evaluate, Execution


class _Checking:
    """A step that looks at its operands; its result, if it has one, is the first of them."""

    def __init__(self, function: Callable[..., Any], results: int, within: str) -> None:
        self.function, self.results, self.within = function, results, within

    def __call__(self, run: Execution, environment: Environment, operands: Sequence[Any]) -> Any:
        try:
            self.function(*(_stored(operand) for operand in operands))
        except CheckError as error:
            error.function = self.within
            raise
        return tuple(operands[: self.results])


def _stored(value: Any) -> Any:
    return value.storage if isinstance(value, QuantizedArray) else value


def evaluator(op: Operation) -> Evaluate | None:
    """How an op of the two dialects is run; None for an op of any other.

    Raises:
        VerifyError: an attribute is not what it has to be.
    """
    if not op.name.startswith(rules.PREFIXES):
        return None
    require(op)
    if op.name == "interpreter.run_parallel":
        return _Parallel(op)
    place = mlir.place_of(op.location)
    target = partial(TARGETS[target_of(op)], attributes=attributes_of(op), place=place)
    if op.name.endswith("_const"):
        expected = dtypes.from_attribute(op.attributes["value"])
        return _Checking(lambda actual: target(actual, expected), 0, _function_of(op))
    return _Checking(target, len(op.results), _function_of(op))


def _function_of(op: Operation) -> str:
    """The name of the function that an op stands in."""
    while op.name != "func.func" and op.parent is not None:
        op = mlir.inner_operation(op.parent)
    return ir.symbol_name(op)


def require(op: Operation) -> None:
    """Raise the VerifyError of an op that is not as its dialect says."""
    message, hint = rules.problem(op)
    if message:
        raise VerifyError(message, place=mlir.place_of(op.location), hint=hint)


def target_of(op: Operation) -> str:
    """The custom_call target that does what an op does."""
    return op.name.removesuffix("_const")


def attributes_of(op: Operation) -> dict[str, Any]:
    """What the target's function is told: Python values."""
    attributes = op.attributes.items()
    words = {name: item.value for name, item in attributes if name != "value" and "." not in name}
    if op.name not in dialect.CHECKS or op.name == "check.expect_serialized_eq":
        words["type"] = str(op.operands[0].type)
    if op.name == "interpreter.print":
        words["name"] = op.operands[0].get_name()
    if op.name.endswith("_const"):
        words["op"] = op.name
    return words


# --- several processes ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Programs:
    """What an ``interpreter.run_parallel`` runs.

    Attributes:
        programs: a row of functions per replica, one per partition.
        infeed: functions whose results the processes read, one after the other.
        inputs, results: how many arguments and results each process has.
    """

    programs: list[list[str]]
    infeed: list[str]
    inputs: list[int]
    results: list[int]

    @property
    def names(self) -> list[str]:
        """The functions of the processes, in the order of their arguments and results."""
        return [name for row in self.programs for name in row]


def read_programs(op: Operation) -> Programs:
    """Read an ``interpreter.run_parallel``.

    Raises:
        VerifyError: there is no such function, or arguments and results are not theirs.
    """
    programs = [[name.value for name in row] for row in ir.items_of(op, "programs")]
    infeed = [name.value for name in ir.items_of(op, "infeed")]
    named = ir.functions_by_name(module_of(op))
    if len({len(row) for row in programs}) != 1 or not programs[0]:
        raise _malformed(op, "programs needs a row per replica, all of one length")
    for name in (*infeed, *(name for row in programs for name in row)):
        if name not in named or ir.is_declaration(named[name]):
            raise _malformed(op, f"there is no function @{name} with a body")
    for name in infeed:
        if ir.signature(named[name])[0]:
            raise _malformed(op, f"@{name} takes arguments, and is called for the infeed without")
    signatures = [ir.signature(named[name]) for row in programs for name in row]
    for number, (word, values) in enumerate((("arguments", op.operands), ("results", op.results))):
        expected = [type for signature in signatures for type in signature[number]]
        if [value.type for value in values] != expected:
            listed = ", ".join(str(type) for type in expected)
            raise _malformed(op, f"its {word} have to be those of the functions, ({listed})")
    inputs, results = ([len(signature[n]) for signature in signatures] for n in (0, 1))
    return Programs(programs, infeed, inputs, results)


def module_of(op: Operation) -> Operation:
    while op.parent is not None:
        op = mlir.inner_operation(op.parent)
    return op


def _malformed(op: Operation, message: str) -> VerifyError:
    return VerifyError(f"{op.name}: {message}", place=mlir.place_of(op.location))


class _Parallel:
    """A step that runs a grid of processes."""

    def __init__(self, op: Operation) -> None:
        self.grid = read_programs(op)
        self.called = tuple(dict.fromkeys([*self.grid.names, *self.grid.infeed]))

    def __call__(self, run: Execution, environment: Environment, operands: Sequence[Any]) -> Any:
        replicas, partitions = len(self.grid.programs), len(self.grid.programs[0])
        grid = processes.Grid(replicas, partitions)
        ids = [(r, p) for r in range(replicas) for p in range(partitions)]
        queue = deque(tuple(run.call(name, ())) for name in self.grid.infeed)
        starts = {}
        rest = list(operands)
        for id, name, count in zip(ids, self.grid.names, self.grid.inputs, strict=True):
            arguments, rest = rest[:count], rest[count:]
            starts[id] = partial(_run, run, contextvars.copy_context(), name, arguments)
        grid_processes = [processes.Process(id, grid) for id in ids]
        for process in grid_processes:
            process.infeed = queue  # whoever asks first gets what comes first
        results = processes.run_processes(
            grid_processes, lambda process: starts[process.id](process)
        )
        return tuple(value for values in results for value in values)


def _run(
    run: Execution,
    context: contextvars.Context,
    name: str,
    arguments: Sequence[Any],
    process: processes.Process,
) -> list[Any]:
    """One process, whose probes go where those of its caller go."""
    own = Run(run.program, process, run.observe, run.deadline, run.custom_calls)
    return context.run(own.call, name, arguments)


# --- one process ----------------------------------------------------------------------------------
def _compare(
    name: str, actual: Array, expected: Array, *, attributes: Mapping[str, Any], place: Place | None
) -> None:
    Check(attributes.get("op", name), attributes, place)(actual, expected)


def _eq(
    actual: Array, expected: Array, *, attributes: Mapping[str, Any], place: Place | None
) -> None:
    """``check.eq``: floats and complex numbers almost, others exactly."""
    floating = dtypes.from_dtype(actual.dtype).kind in (dtypes.Kind.FLOAT, dtypes.Kind.COMPLEX)
    kind = "check.expect_almost_eq" if floating else "check.expect_eq"
    Check(kind, attributes, place)(actual, expected)


def _serialized(value: Array, *, attributes: Mapping[str, Any], place: Place | None) -> None:
    check = Check("check.expect_serialized_eq", attributes, place)
    folder = attributes.get("probe_dir")
    known = probes.Probes(Path(folder)) if folder else probes.current()
    if known is None:
        raise check.failure("no folder of probes is given, by probe_dir or for this run")
    try:
        iteration = attributes.get("iteration", attributes.get("iter", 0) + 1)
        type, stored = known.read(attributes["probe_id"], iteration)
        if type != attributes["type"]:
            raise ShloError(f"the probe is {type}, and {attributes['type']} is checked")
        expected = probes.as_type(stored, value)
    except ShloError as error:
        raise check.failure(error.diagnostics[0].message) from error
    COMPARISONS["expect_eq"](check, value, expected)


def _probe(value: Array, *, attributes: Mapping[str, Any], place: Place | None) -> None:
    known = probes.current()
    if known is not None:
        known.write(attributes["probe_id"], attributes["type"], value)


def _print(value: Array, *, attributes: Mapping[str, Any], place: Place | None) -> None:
    print(probes.shown(attributes["name"], attributes["type"], value), flush=True)


TARGETS: dict[str, Callable[..., Any]] = {
    **{f"check.{name}": partial(_compare, f"check.{name}") for name in COMPARISONS},
    "check.eq": _eq,
    "check.expect_serialized_eq": _serialized,
    "interpreter.probe": _probe,
    "interpreter.print": _print,
}
