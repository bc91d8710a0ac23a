"""Sizes that are known only at run time.

Source: XLA's operation semantics, "GetDimensionSize" and "SetDimensionSize"; ``DynamicReshape``
is of XlaBuilder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from shlo_tools import ops
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.types import Tensor

_I32 = Tensor(TensorType((), element_type("i32")))


@xla_op
def GetDimensionSize(operand: Operand, dimension: int) -> Tensor:
    """The size of a dimension, an i32 scalar: ``get_dimension_size``.

    Raises:
        ShloError: there is no such dimension.
    """
    return ops.get_dimension_size(tensor_of(operand), dimension)


@xla_op
def SetDimensionSize(operand: Operand, size: Operand, dimension: int) -> Tensor:
    """The first elements along a dimension: ``set_dimension_size``.

    Args:
        operand: the array.
        size: how many, an i32 scalar.
        dimension: which dimension; its size becomes unknown, bounded by what it was.

    Raises:
        ShloError: there is no such dimension, it has no bound, or the size is no i32 scalar.
    """
    tensor, count = tensor_of(operand), tensor_of(size, _I32)
    if not 0 <= dimension < tensor.rank:
        raise ShloError(f"{tensor.type} has no dimension {dimension}")
    bounds = list(tensor.type.bounds) or [None] * tensor.rank
    largest = tensor.shape[dimension]
    bounds[dimension] = largest if isinstance(largest, int) else bounds[dimension]
    if bounds[dimension] is None:
        raise ShloError(f"dimension {dimension} of {tensor.type} has no bound")
    shape: list[Dim] = list(tensor.shape)
    shape[dimension] = UNKNOWN
    type = TensorType(tuple(shape), tensor.element_type, tuple(bounds))
    return ops.set_dimension_size(tensor, count, dimension, type)


@xla_op
def RemoveDynamicDimension(operand: Operand, dimension: int) -> NoReturn:
    """Make a dimension that ``SetDimensionSize`` shortened as large as its bound again.

    Raises:
        UnsupportedError: always; StableHLO keeps no elements beyond a size.
    """
    raise UnsupportedError(
        "StableHLO keeps no elements beyond the size of a dimension",
        hint="ops.dynamic_pad fills a dimension up to a size",
    )


@xla_op
def DynamicReshape(
    operand: Operand,
    dim_sizes: Sequence[Operand],
    new_size_bounds: Sequence[int],
    dims_are_dynamic: Sequence[bool],
) -> Tensor:
    """The same elements in a shape that is computed: ``dynamic_reshape``.

    Args:
        operand: the array.
        dim_sizes: an i32 scalar for each dimension of the result.
        new_size_bounds: the largest size of each.
        dims_are_dynamic: whether a size may be less than its bound.

    Raises:
        ShloError: the lists differ in length.
    """
    if not len(dim_sizes) == len(new_size_bounds) == len(dims_are_dynamic):
        raise ShloError("sizes, bounds and dims_are_dynamic differ in number")
    tensor = tensor_of(operand)
    sizes = [tensor_of(size, _I32) for size in dim_sizes]
    rows = [ops.reshape(size, size.type.with_shape((1,))) for size in sizes]
    output_shape = ops.concatenate(rows, 0) if rows else tensor_of([], _I32)
    pairs = list(zip(new_size_bounds, dims_are_dynamic, strict=True))
    type = TensorType(
        tuple(UNKNOWN if dynamic else bound for bound, dynamic in pairs),
        tensor.element_type,
        tuple(bound if dynamic else None for bound, dynamic in pairs)
        if any(dims_are_dynamic)
        else (),
    )
    return ops.dynamic_reshape(tensor, output_shape, type)
