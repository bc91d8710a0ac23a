"""``custom_call``: registered functions, and targets whose meaning every implementation knows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shlo_tools import extend
from shlo_tools.calling.executable import Executable
from shlo_tools.constraints import meet
from shlo_tools.dtypes import Array, TensorType, of_array
from shlo_tools.errors import ConstraintError, ExecutionTimeout, ShloError
from shlo_tools.extend import targets
from shlo_tools.extend.calls import applied
from shlo_tools.extend.description import Call
from shlo_tools.extend.shape_rules import find_shape_rule, told
from shlo_tools.quantized_types import quantized_element
from shlo_tools.reference import known_targets
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.executable import Reference, bind
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.interpreter import Region
from shlo_tools.reference.quantization import QuantizedArray
from shlo_tools.reference.steps import Execution
from shlo_tools.types import CONTENTS_LIMIT, Tensor, TokenType, TupleType, Value, ValueType


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
    known = known_targets.find(call_target_name)
    if own is None and known is not None:
        if targets.hands_on(call_target_name):
            _check_scales(call, inputs, result_types)
        bodies = [Region(run.program.functions[name].body, run, {}) for name in names]
        values: Sequence[Any] = known(call, operands, bodies)
    else:
        function = own or extend.find(call_target_name)
        if function is None:
            raise call.unregistered()
        computations = [CalledComputation(run, name) for name in names]
        exact = _with_told_shapes(call, inputs, result_types)
        try:
            values = applied(function, exact, computations)(list(map(_read_only, operands)), None)
        except (ShloError, MemoryError, RecursionError) as error:
            run.leaving = error  # it is the function's: it leaves as it is
            raise
    rest = iter([np.array(value) for value in values])
    results = [
        TOKEN if isinstance(type, TokenType) else _typed(next(rest), type)
        for type in _leaves(result_types)
    ]
    return tuple(_grouped(list(zip(call.result_paths, results, strict=True)), 0))


def _read_only(operand: Array) -> Array:
    """An array in memory that nobody can write, as when the program is compiled."""
    return np.ndarray(operand.shape, operand.dtype, operand.tobytes())


def _with_told_shapes(call: Call, inputs: Sequence[Any], types: Sequence[ValueType]) -> Call:
    """The call with the shapes that the target's rule tells of its results."""
    rule = find_shape_rule(call.target)
    if rule is None:
        return call
    declared = [type.expressed_type if isinstance(type, TensorType) else type for type in types]
    keywords: Mapping[str, Callable[[], Any]] = {
        "attributes": lambda: call.attributes,
        "op_attributes": lambda: call.op_attributes,
        "result_types": lambda: declared,
    }
    try:
        rows = told(call.target, rule, [_seen(value) for value in inputs], keywords, declared)
        met = [_met(*pair) for pair in zip(declared, rows, strict=True)]
    except ConstraintError as error:
        raise call.error(f"does not fit: {error.diagnostics[0].message}") from error
    results = tuple(
        type.with_shape(exact.shape)
        if type and isinstance(exact := met[path[0]], TensorType)
        else type
        for type, path in zip(call.results, call.result_paths, strict=True)
    )
    return replace(call, results=results)


def _met(declared: ValueType, stated: ValueType) -> ValueType:
    if isinstance(declared, TensorType) and isinstance(stated, TensorType):
        return meet(declared, stated)
    return declared


def _seen(value: Any) -> Value:
    """An operand as a shape rule sees it."""
    if isinstance(value, QuantizedArray):
        return Tensor(TensorType(value.shape, value.type.expressed))
    if value is TOKEN:
        return Value(TokenType())
    if isinstance(value, tuple):
        return Value(TupleType(tuple(_seen(member).type for member in value)))
    type = of_array(value)
    followed = type.element_type.is_integer and value.size <= CONTENTS_LIMIT
    return Tensor(type, contents=value.reshape(-1).tolist() if followed else None)


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
        quantization = value.type if isinstance(value, QuantizedArray) else None
        if quantization != quantized_element(type):
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
    groups: list[Any] = []
    for number in dict.fromkeys(path[depth] for path, _ in leaves):
        members = [(path, value) for path, value in leaves if path[depth] == number]
        is_leaf = len(members[0][0]) == depth + 1
        groups.append(members[0][1] if is_leaf else tuple(_grouped(members, depth + 1)))
    return groups


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
