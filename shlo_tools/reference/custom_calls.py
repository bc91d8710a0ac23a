"""``custom_call``: registered functions, and targets whose meaning every implementation knows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import extend
from shlo_tools.calling.executable import Executable
from shlo_tools.dtypes import Array
from shlo_tools.errors import ExecutionTimeout, ShloError
from shlo_tools.extend import targets
from shlo_tools.extend.calls import applied
from shlo_tools.extend.description import Call
from shlo_tools.quantized_types import quantized_element
from shlo_tools.reference import known_targets
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.executable import Reference, bind
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.interpreter import Region
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Execution
from shlo_tools.types import TokenType, TupleType, ValueType


@evaluates
def custom_call(
    inputs: Sequence[Any],
    call_target_name: str,
    has_side_effect: bool | None = None,
    backend_config: str | bytes | Mapping[str, Any] | None = None,
    api_version: int | None = None,
    called_computations: Sequence[str] | None = None,
    *,
    call: Call,
    run: Execution,
    result_types: Sequence[ValueType],
) -> tuple[Any, ...]:
    """Of quantized tensors functions take and return the integers."""
    operands = [_stored(value) for value in _spread(inputs) if value is not TOKEN]
    names = [str(name) for name in called_computations or ()]
    own = run.custom_calls.get(call_target_name) or extend.registered(call_target_name)
    known = known_targets.MEANINGS.get(call_target_name)
    if own is None and known is not None:
        if call_target_name in (*targets.IDENTITIES, targets.WRAPPER):
            _check_scales(call, inputs, result_types)
        bodies = [Region(run.program.functions[name].body, run, {}) for name in names]
        values: Sequence[Any] = known(call, operands, bodies)
    else:
        function = own or extend.find(call_target_name)
        if function is None:
            raise call.unregistered()
        computations = [CalledComputation(run, name) for name in names]
        copies = [np.array(operand) for operand in operands]  # it may do with them what it likes
        try:
            values = applied(function, call, computations)(copies, None)
        except (ShloError, MemoryError, RecursionError) as error:
            run.leaving = error  # it is the function's: it leaves as it is
            raise
    rest = iter([np.array(value) for value in values])
    results = [
        TOKEN if isinstance(type, TokenType) else _typed(next(rest), type)
        for type in _leaves(result_types)
    ]
    return tuple(_grouped(list(zip(call.result_paths, results, strict=True)), 0))


def _spread(values: Sequence[Any]) -> Iterator[Any]:
    """Values with tuples spread out."""
    for value in values:
        if isinstance(value, tuple):
            yield from _spread(value)
        else:
            yield value


def _stored(value: Any) -> Any:
    return value.storage if isinstance(value, QuantizedArray) else value


def _typed(value: Array, type: ValueType) -> Any:
    element = quantized_element(type)
    return value if element is None else QuantizedArray(value, element)


def _check_scales(call: Call, inputs: Sequence[Any], types: Sequence[ValueType]) -> None:
    """What hands a tensor on must not change what its integers stand for."""
    for value, type in zip(inputs, types, strict=False):
        given = value.type if isinstance(value, QuantizedArray) else None
        if given != quantized_element(type):
            raise call.unsupported(f"it hands integers on as {type}, where they mean other numbers")


def _leaves(types: Sequence[ValueType]) -> Iterator[ValueType]:
    """Types with those of tuples spread out."""
    for type in types:
        if isinstance(type, TupleType):
            yield from _leaves(type.members)
        else:
            yield type


def _grouped(leaves: Sequence[tuple[tuple[int, ...], Any]], depth: int) -> list[Any]:
    """Values in the tuples that their paths lead through."""
    found: list[Any] = []
    for number in dict.fromkeys(path[depth] for path, _ in leaves):
        members = [(path, value) for path, value in leaves if path[depth] == number]
        is_leaf = len(members[0][0]) == depth + 1
        found.append(members[0][1] if is_leaf else tuple(_grouped(members, depth + 1)))
    return found


class CalledComputation(Executable):
    """A function of the program, as the function of a target gets it.

    It runs within the execution that it is called in, and has no more time than that.
    """

    def __init__(self, run: Execution, name: str) -> None:
        self.signature = Reference(run.program, name).signature
        self.name = name
        self._caller = run

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        caller = self._caller
        if timeout is None:
            values = bind(caller.program.functions[self.name], arguments, cast=cast)
            return [np.array(value) for value in caller.call(self.name, values)]
        end = time.monotonic() + timeout
        if caller.deadline is not None and caller.deadline <= end:
            return self._run(arguments, cast, None)
        outer, caller.deadline = caller.deadline, end
        try:
            return self._run(arguments, cast, None)
        except ExecutionTimeout as error:
            raise ExecutionTimeout(f"stopped after {timeout} seconds") from error
        finally:
            caller.deadline = outer
