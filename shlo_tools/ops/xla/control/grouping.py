"""Tuples and barriers.

Source: XLA's operation semantics, "GetTupleElement", "OptimizationBarrier" and "Tuple".
"""

from __future__ import annotations

from typing import Any

from shlo_tools import ops
from shlo_tools.errors import ShloError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, Operands
from shlo_tools.ops.xla.computations import Result, grouped, value_of, values_of
from shlo_tools.types import Value


@xla_op
def GetTupleElement(tuple_data: Any, index: int) -> Result:
    """The member of a tuple at a position that is known: ``get_tuple_element``.

    Args:
        tuple_data: a tuple value, or what a function here returned as several results.
        index: the position.

    Raises:
        ShloError: it is no tuple, or has no such member.
    """
    if isinstance(tuple_data, Value):
        return ops.get_tuple_element(tuple_data, index)
    if not isinstance(tuple_data, tuple | list):
        raise ShloError(f"{tuple_data!r} is no tuple")
    if not 0 <= index < len(tuple_data):
        raise ShloError(f"no member {index} of {len(tuple_data)}")
    return value_of(tuple_data[index])


@xla_op
def OptimizationBarrier(operand: Operands) -> Result:
    """A value or a tuple of them, which no optimisation moves computations across.

    Builds ``optimization_barrier``; all operands are computed before what uses its results.
    """
    values, is_tuple = values_of(operand)
    return grouped(ops.optimization_barrier(values), is_tuple)


@xla_op
def Tuple(*elements: Operand) -> Value:
    """Values as one: ``tuple``. ``GetTupleElement`` takes them apart."""
    return ops.tuple_([value_of(element) for element in elements])
