"""What Python's operators build on tensors: ``a + b`` is ``add``, ``a[1:, ::-1]`` slices.

An operator is the op of its name, so ``/`` of integers truncates and ``%`` has the sign of the
dividend. Numbers, Python's and 0-dimensional ones of numpy, take the shape of the tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools.errors import ShloError
from shlo_tools.ops._indexing import indexed
from shlo_tools.ops._numbers import splat
from shlo_tools.ops.contraction import dot_general
from shlo_tools.ops.data_movement import broadcast_in_dim
from shlo_tools.ops.elementwise import (
    ComparisonDirection,
    abs,
    add,
    and_,
    compare,
    divide,
    multiply,
    negate,
    not_,
    or_,
    remainder,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
    subtract,
    xor,
)
from shlo_tools.ops.functions import power
from shlo_tools.types import Operator, Tensor, constant_of


def _of_two(build: Callable[[Tensor, Tensor], Tensor]) -> Operator:
    """The op of two tensors, of which one may be a number or an array."""

    def operate(lhs: Any, rhs: Any) -> Tensor:
        return build(_operand(lhs, rhs), _operand(rhs, lhs))

    return operate


def _operand(value: Any, other: Any) -> Any:
    """An operand: numpy's numbers keep their type, and take the other operand's shape."""
    numpy_number = isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0
    if numpy_number and isinstance(other, Tensor):
        return splat(constant_of(np.asarray(value)), other)
    return value


def _compared(direction: ComparisonDirection) -> Operator:
    return _of_two(lambda lhs, rhs: compare(lhs, rhs, direction))


def _shifted_right(lhs: Tensor, rhs: Tensor) -> Tensor:
    """With the sign of a signed integer, with zeros of others."""
    tensor = lhs if isinstance(lhs, Tensor) else rhs
    signed = tensor.element_type.name.startswith("i")
    return shift_right_arithmetic(lhs, rhs) if signed else shift_right_logical(lhs, rhs)


def matmul(lhs: Any, rhs: Any) -> Tensor:
    """``lhs @ rhs`` as in numpy: of vectors, matrices, and batches of matrices that broadcast."""
    a, b = (_matrix(operand) for operand in (lhs, rhs))
    batch_rank = max(a.rank, b.rank) - 2
    if batch_rank > 0 and min(a.rank, b.rank) > 1 and not (b.rank == 2 and a.rank > 2):
        batch = _broadcast(a, b)
        a, b = _stretched(a, batch), _stretched(b, batch)
        axes = tuple(range(batch_rank))
        return dot_general(a, b, axes, axes, (a.rank - 1,), (b.rank - 2,))
    return dot_general(
        a,
        b,
        lhs_contracting_dimensions=(a.rank - 1,),
        rhs_contracting_dimensions=(max(b.rank - 2, 0),),
    )


def _matrix(operand: Any) -> Tensor:
    if isinstance(operand, np.ndarray):
        operand = constant_of(operand)
    if not isinstance(operand, Tensor) or operand.rank == 0:
        raise ShloError(f"{operand!r} is no operand of @: a tensor of rank 1 or more is wanted")
    return operand


def _broadcast(a: Tensor, b: Tensor) -> tuple[int, ...]:
    """The batch dimensions of a product."""
    batches = a.shape[:-2], b.shape[:-2]
    if batches[0] == batches[1]:
        return batches[0]  # type: ignore[return-value]
    try:
        return np.broadcast_shapes(*(t.type.static_shape[:-2] for t in (a, b)))
    except ValueError as error:
        raise ShloError(f"batch dimensions of {a.type} @ {b.type} do not broadcast") from error


def _stretched(tensor: Tensor, batch: tuple[int, ...]) -> Tensor:
    shape = (*batch, *tensor.shape[-2:])
    if tensor.shape == shape:
        return tensor
    axes = range(len(shape) - tensor.rank, len(shape))
    return broadcast_in_dim(tensor, tuple(axes), tensor.type.with_shape(shape))


OPERATORS: dict[str, Operator] = {
    "add": _of_two(add),
    "subtract": _of_two(subtract),
    "multiply": _of_two(multiply),
    "divide": _of_two(divide),
    "remainder": _of_two(remainder),
    "power": _of_two(power),
    "and": _of_two(and_),
    "or": _of_two(or_),
    "xor": _of_two(xor),
    "shift_left": _of_two(shift_left),
    "shift_right": _of_two(_shifted_right),
    "matmul": matmul,
    "negate": negate,
    "not": not_,
    "abs": abs,
    "index": indexed,
    **{direction.name: _compared(direction) for direction in ComparisonDirection},
}
