"""XlaComputations: Python functions of tensors, or functions of the module that is being built."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from shlo_tools import ops
from shlo_tools.errors import ShloError
from shlo_tools.ops._attributes import FunctionSymbol
from shlo_tools.ops._op import require_callable_with
from shlo_tools.ops.xla.broadcasting import Operands, several, tensor_of
from shlo_tools.ops.xla.processes.ordering import begin
from shlo_tools.types import Tensor, TupleType, Value

# What XlaBuilder calls a computation. It takes and returns tensors, or tuples of them.
Computation: TypeAlias = Callable[..., Any]
# One value, or several where the computation returns or takes a tuple.
Result: TypeAlias = Any


def flat(result: Any) -> list[Any]:
    """The values that a computation returns, one after the other."""
    members = several(result)
    return [result] if members is None else list(members)


def region_of(computation: Computation) -> Callable[..., list[Any]]:
    """A computation as the region of an op; a tuple that it returns is several results.

    It transfers no values: nothing says how often and in which order it is applied.
    """

    @functools.wraps(computation)
    def fill(*arguments: Value) -> list[Any]:
        begin(None, "a computation that is applied in no defined order cannot transfer values")
        return flat(computation(*arguments))

    return fill


def values_of(operand: Operands) -> tuple[list[Value], bool]:
    """The values that an operand stands for, and whether it is a tuple of them."""
    members = several(operand)
    if members is None:
        return [value_of(operand)], False
    return [value_of(member) for member in members], True


def value_of(operand: Any) -> Value:
    """An operand as a value; a tensor unless it is a token or such."""
    return operand if isinstance(operand, Value) else tensor_of(operand)


def tensors_of_group(operands: Operands) -> tuple[list[Tensor], bool]:
    """The tensors that an operand stands for, and whether it is a tuple of them.

    Raises:
        ShloError: there are none.
    """
    members = several(operands)
    if members is None:
        return [tensor_of(operands)], False
    if not members:
        raise ShloError("there are no operands: one at least is wanted")
    return [tensor_of(member) for member in members], True


def grouped(values: Sequence[Value], is_tuple: bool) -> Result:
    """Values as people get them: one, or a tuple of several."""
    return tuple(values) if is_tuple else values[0]


def applied(computation: Computation, values: Sequence[Value], is_tuple: bool) -> Any:
    """What a computation of one argument gives for a value or a tuple of them.

    A function of the module gets the members of a tuple one by one, unless it takes a tuple.
    """
    if isinstance(computation, FunctionSymbol):
        types = computation.input_types or ()
        if is_tuple and len(types) == 1 and isinstance(types[0], TupleType):
            return computation(ops.tuple_(values))
        return computation(*values)
    require_callable_with(computation, 1)
    return computation(grouped(values, is_tuple))
