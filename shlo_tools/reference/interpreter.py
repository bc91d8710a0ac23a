"""Runs programs step by step.

Calls of functions do not recurse in Python: they are kept on a list, so that chains of thousands
of small functions run. Regions do recurse, as deeply as a program nests them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType, of_array
from shlo_tools.errors import (
    Diagnostic,
    ExecutionError,
    ExecutionTimeout,
    ShloError,
    UnsupportedError,
)
from shlo_tools.extend import CustomCall
from shlo_tools.processes import ALONE, Process
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Body, Environment, Execution, Observer, Program, Step
from shlo_tools.types import OtherType, Tensor, TupleType, Value

# What numpy says of sizes whose product overflows.
_TOO_LARGE = re.compile(
    "array is too big|iterator is too large|[Mm]aximum (allowed|supported) dimension|negative dim"
)


@dataclass
class _Activation:
    """A body being executed."""

    body: Body
    environment: Environment
    position: int = 0


@dataclass
class Run(Execution):
    """One execution of a program in one process, by a list of activations."""

    program: Program
    process: Process = ALONE
    observe: Observer | None = None
    deadline: float | None = None
    custom_calls: Mapping[str, CustomCall] = field(default_factory=dict)
    leaving: Exception | None = None

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function."""
        try:
            return self.run(self.program.functions[name].body, {}, arguments)
        except RecursionError as error:
            if error is self.leaving:
                raise
            raise UnsupportedError(f"@{name} nests regions too deeply to be interpreted") from None

    def run(
        self,
        body: Body,
        environment: Environment,
        arguments: Sequence[Any],
        *,
        lifted: bool = False,
    ) -> list[Any]:
        """Execute a body; ``lifted`` runs the computation of scalars on arrays."""
        environment.update(zip(body.arguments, arguments, strict=True))
        stack = [_Activation(body, environment)]
        while True:
            active = stack[-1]
            if active.position == len(active.body.steps):
                results = [active.environment[number] for number in active.body.yields]
                stack.pop()
                if not stack:
                    return results
                caller = stack[-1]
                self._finish(caller.body.steps[caller.position], caller, results, lifted)
                continue
            step = active.body.steps[active.position]
            operands = [active.environment[number] for number in step.operands]
            if step.callee is not None:
                callee = self.program.functions[step.callee].body
                entered = dict(zip(callee.arguments, operands, strict=True))
                stack.append(_Activation(callee, entered))
                continue
            self._finish(step, active, self._evaluate(step, active, operands, lifted), lifted)

    def _evaluate(
        self, step: Step, active: _Activation, operands: list[Any], lifted: bool
    ) -> list[Any]:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise ExecutionTimeout("the time is up")
        if step.evaluate is None:
            raise UnsupportedError(
                Diagnostic("error", f"not supported: {step.described}", step.place)
            )
        if step.too_large:
            raise _failure(step, f"{step.too_large:,} bytes are needed: no machine has them")
        try:
            if step.check is not None and not lifted:
                step.check(operands)
            computed = step.evaluate(self, active.environment, operands)
        except ShloError as error:
            if error is self.leaving:
                raise
            self.leaving = _located(error, step)
            raise self.leaving from error
        except MemoryError as error:
            if error is self.leaving:
                raise
            raise _failure(step, "the memory does not suffice") from None
        except ValueError as error:
            if error is self.leaving or not _TOO_LARGE.search(str(error)):
                raise
            raise _failure(step, "no machine has the memory that is needed") from None
        results = list(computed) if isinstance(computed, tuple | list) else [computed]
        if len(results) != len(step.results):
            raise _failure(step, f"{len(results)} results computed")
        results = [np.asarray(r) if isinstance(r, np.generic) else r for r in results]
        if not lifted:
            for value, type in zip(results, step.result_types, strict=True):
                # Bodies of quantized scalars run on arrays of them, which look like one.
                if isinstance(type, TensorType) and not type.element_type.is_quantized:
                    _conforms(value, type, step)
                elif isinstance(type, TensorType) and type.rank:
                    # Computations of scalars are run on whole arrays.
                    _fits(value.shape, type.expressed_type, step)
        return results

    def _finish(self, step: Step, active: _Activation, results: list[Any], lifted: bool) -> None:
        environment = active.environment
        if self.observe is not None and not lifted:
            self.observe(step, [environment[n] for n in step.operands], results)
        environment.update(zip(step.results, results, strict=True))
        for number in step.released:
            del environment[number]
        active.position += 1


def _conforms(value: Array, type: TensorType, step: Step) -> None:
    """Raise where a computed array does not have the type that the program gives it."""
    if not isinstance(value, np.ndarray) or value.dtype != type.element_type.dtype:
        raise _failure(step, f"the result has type {getattr(value, 'dtype', value)}")
    _fits(value.shape, type, step)


def _fits(shape: tuple[int, ...], type: TensorType, step: Step) -> None:
    """Raise where a computed shape is none of those that the program declares."""
    if not type.admits(shape):
        raise _failure(step, f"the result has shape {shape}, which {type} excludes")


def _failure(step: Step, message: str) -> ExecutionError:
    return ExecutionError(Diagnostic("error", f"{step.described}: {message}", step.place))


def _located(error: ShloError, step: Step) -> ShloError:
    """The error with the step's place and types; a broken constraint is one of execution here."""
    first = error.diagnostics[0]
    if first.place is not None:
        return error
    kind = type(error) if isinstance(error, ExecutionError | UnsupportedError) else ExecutionError
    message = f"{step.described}: {first.message}"
    return kind([Diagnostic("error", message, step.place, first.notes, first.hint)])


class Region:
    """A region as a function of arrays.

    Given arrays where its arguments are scalars, it answers for each position: at once where it
    consists of elementwise ops, else one by one.

    Attributes:
        operation: the op's name, where the region only applies one to its two arguments.
        argument_types: the types of its arguments.
    """

    def __init__(self, body: Body, run: Execution, environment: Environment) -> None:
        self.body, self._run, self._environment = body, run, environment
        self.operation = body.operation
        self.argument_types = body.argument_types

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        if self.body.is_scalar and any(np.ndim(argument) for argument in arguments):
            return self._lifted(arguments)
        return tuple(self._run.run(self.body, self._environment, arguments))

    def _lifted(self, arguments: Sequence[Array]) -> tuple[Array, ...]:
        shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        if self.body.elementwise:
            results = self._run.run(self.body, self._environment, arguments, lifted=True)
            return tuple(np.broadcast_to(result, shape) for result in results)
        rows = [np.broadcast_to(argument, shape) for argument in arguments]
        outputs = [
            np.empty(shape, t.element_type.dtype)
            for t in self.body.yield_types
            if isinstance(t, TensorType)
        ]
        for index in np.ndindex(shape):
            scalars = [np.asarray(row[index]) for row in rows]
            results = self._run.run(self.body, self._environment, scalars)
            for output, result in zip(outputs, results, strict=True):
                output[index] = result
        return tuple(outputs)


def actual(value: Any) -> Value:
    """A value that a program computed, with the type that it turned out to have."""
    if isinstance(value, QuantizedArray):
        return Tensor(TensorType(value.shape, value.type))
    if hasattr(value, "dtype"):
        return Tensor(of_array(value))
    if isinstance(value, tuple):
        return Value(TupleType(tuple(actual(part).type for part in value)))
    return Value(getattr(value, "type", OtherType("!stablehlo.token")))
