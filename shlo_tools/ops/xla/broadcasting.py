"""What XlaBuilder takes as operands, and how it makes their shapes equal.

StableHLO's elementwise ops want operands of one shape. XlaBuilder broadcasts them itself:

- a scalar to any shape;
- in arrays of one rank, dimensions of size 1 to the other's size;
- an array of a lower rank as ``broadcast_dimensions`` says, which maps its dimensions to those of
  the other array, and only then dimensions of size 1.

Source: XLA's operation semantics, "Element-wise binary arithmetic operations" and "Broadcasting".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from shlo_tools import ops
from shlo_tools.dims import Dim, equal
from shlo_tools.errors import ShloError
from shlo_tools.ops._numbers import constant_like, number_of_type, splat
from shlo_tools.types import Tensor, TupleType, Value, constant_of

Array: TypeAlias = np.ndarray[Any, Any]
# Where XlaBuilder wants an XlaOp: a tensor, an array, or numbers in as many lists as dimensions.
Operand: TypeAlias = (
    Tensor | Value | Array | np.generic | bool | int | float | complex | Sequence[Any]
)
Operands: TypeAlias = Operand | Sequence[Operand]


def tensor_of(operand: Operand, like: Tensor | None = None) -> Tensor:
    """An operand as a tensor: arrays, numbers and lists of numbers become constants.

    Args:
        operand: the operand.
        like: numbers take its element type; without it, what numpy gives them.

    Raises:
        ShloError: it is no tensor, or a number is none of the element type.
    """
    if isinstance(operand, Tensor):
        return operand
    if isinstance(operand, Value):
        raise ShloError(f"{operand.type} is no tensor")
    if isinstance(operand, np.ndarray | np.generic):
        return constant_of(np.asarray(operand))
    if isinstance(operand, bool | int | float | complex):
        return constant_like(operand, like, scalar=True)
    if isinstance(operand, list | tuple):
        return _constant_of_list(operand, like)
    raise ShloError(f"{operand!r} is no tensor, array, list or number")


def _constant_of_list(numbers: Sequence[Any], like: Tensor | None) -> Tensor:
    try:
        array = np.asarray(numbers)
    except ValueError as error:  # lists of different lengths
        raise ShloError(f"{numbers!r} is no array: {error}") from error
    if array.dtype.kind in "OSU":
        raise ShloError(f"{numbers!r} is no array of numbers")
    if like is None:
        return constant_of(array)
    element = like.element_type
    elements = [number_of_type(number, element) for number in array.ravel().tolist()]
    typed = np.array(elements, element.dtype).reshape(array.shape)
    return constant_of(typed, element)


def tensors_of(*operands: Operand) -> tuple[Tensor, ...]:
    """Operands as tensors; the first tensor or array gives numbers their element type."""
    typed = (x for x in operands if isinstance(x, Tensor | np.ndarray | np.generic))
    first = next(typed, None)
    like = None if first is None else tensor_of(first)
    return tuple(tensor_of(like if x is first and like is not None else x, like) for x in operands)


def several(operands: Operands) -> tuple[Any, ...] | None:
    """The members where operands are several: a tuple value, or a list with a tensor or array.

    A list of numbers is one array.
    """
    if isinstance(operands, Value) and isinstance(operands.type, TupleType):
        count = len(operands.type.members)
        return tuple(ops.get_tuple_element(operands, index) for index in range(count))
    if isinstance(operands, list | tuple):
        if not operands or any(isinstance(item, Value | np.ndarray) for item in operands):
            return tuple(operands)
    return None


def broadcast(
    lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] | None = None
) -> tuple[Tensor, Tensor]:
    """Two operands made equal in shape.

    Args:
        lhs: an operand.
        rhs: the other.
        broadcast_dimensions: where the ranks differ, the dimension of the larger operand for
            each of the smaller one's, in ascending order.

    Raises:
        ShloError: the shapes do not broadcast.
    """
    a, b = tensors_of(lhs, rhs)
    if a.rank == b.rank:
        _require_no_mapping(a, broadcast_dimensions)
        return equalized(a, b)
    if a.rank == 0:
        return splat(a, b), b
    if b.rank == 0:
        return a, splat(b, a)
    if broadcast_dimensions is None:
        raise ShloError(
            f"{a.type} and {b.type} differ in rank",
            hint="broadcast_dimensions maps dimensions of the smaller to those of the larger",
        )
    if a.rank < b.rank:
        return equalized(_raised(a, b, broadcast_dimensions), b)
    return equalized(a, _raised(b, a, broadcast_dimensions))


def _require_no_mapping(operand: Tensor, mapping: Sequence[int] | None) -> None:
    if mapping and list(mapping) != list(range(operand.rank)):
        raise ShloError(
            f"broadcast_dimensions {list(mapping)} of operands of one rank",
            hint="leave them out; dimensions of size 1 stretch by themselves",
        )


def _raised(small: Tensor, large: Tensor, mapping: Sequence[int]) -> Tensor:
    """The smaller operand in the rank of the larger, with size 1 where it had no dimension."""
    axes = list(mapping)
    where = f"broadcast_dimensions {axes}"
    if len(axes) != small.rank:
        raise ShloError(f"{where} are not one for each dimension of {small.type}")
    if not all(0 <= axis < large.rank for axis in axes):
        raise ShloError(f"{where} are not dimensions of {large.type}")
    if any(a >= b for a, b in pairwise(axes)):
        raise ShloError(f"{where} are not in ascending order")
    shape: list[Dim] = [1] * large.rank
    for axis, size in zip(axes, small.shape, strict=True):
        shape[axis] = size
    return ops.reshape(small, small.type.with_shape(shape))


def equalized(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors of one rank with dimensions of size 1 stretched to the other's.

    Raises:
        ShloError: other sizes differ, or one that is known only at run time is to be reached.
    """
    if a.shape == b.shape:
        return a, b
    shape = [_common(a, b, axis) for axis in range(a.rank)]
    return _stretched(a, shape), _stretched(b, shape)


def _common(a: Tensor, b: Tensor, axis: int) -> Dim:
    x, y = a.shape[axis], b.shape[axis]
    if equal(x, 1):
        return y
    if equal(y, 1) or equal(x, y) is not False:
        return x
    raise ShloError(f"{a.type} and {b.type} do not broadcast: dimension {axis} is {x} and {y}")


def _stretched(operand: Tensor, shape: Sequence[Dim]) -> Tensor:
    pairs = list(zip(operand.shape, shape, strict=True))
    if not any(equal(have, 1) and not equal(want, 1) for have, want in pairs):
        return operand
    type = operand.type.with_shape(shape)
    if not type.is_static:
        raise ShloError(
            f"{operand.type} would stretch to {type}, of unknown size",
            hint="ops.dynamic_broadcast_in_dim takes sizes that are computed",
        )
    return ops.broadcast_in_dim(operand, tuple(range(operand.rank)), type)
