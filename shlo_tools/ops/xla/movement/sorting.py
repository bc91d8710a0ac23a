"""Sorting, and the largest elements.

Source: XLA's operation semantics, "Sort"; ``TopK`` is of XlaBuilder, ``ApproxTopK`` of XLA's
library for approximate nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ops
from shlo_tools.dtypes import element_type
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.ops import ComparisonDirection, ComparisonType
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, Operands, tensor_of
from shlo_tools.ops.xla.computations import (
    Computation,
    Result,
    grouped,
    region_of,
    tensors_of_group,
)
from shlo_tools.ops.xla.movement.data_movement import SliceInDim
from shlo_tools.types import Tensor


@xla_op
def Sort(
    operands: Operands, comparator: Computation, dimension: int = -1, is_stable: bool = False
) -> Result:
    """Arrays sorted together along a dimension: ``sort``.

    Args:
        operands: an array, or a tuple of arrays of one shape.
        comparator: takes a pair of elements of each array (l0, r0, l1, r1, ...); tells whether
            the left ones come first.
        dimension: along which; the last one where it is -1.
        is_stable: whether equal elements keep their order.

    Returns:
        An array; a tuple of them where the operands are several.

    Raises:
        ShloError: shapes differ, there is no such dimension, or the comparator gives no boolean.
    """
    tensors, is_tuple = tensors_of_group(operands)
    axis = tensors[0].rank - 1 if dimension == -1 else dimension
    if not 0 <= axis < tensors[0].rank:
        raise ShloError(f"{tensors[0].type} has no dimension {dimension}")
    results = ops.sort(tensors, axis, is_stable, comparator=region_of(comparator))
    return grouped(results, is_tuple)


@xla_op
def TopK(operand: Operand, k: int, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest elements along the last dimension, in descending order: ``chlo.top_k``.

    Args:
        operand: the array.
        k: how many.
        largest: False for the smallest ones in ascending order, by ``sort`` and ``slice``.

    Returns:
        The elements, and their indices as i32. Of equal ones the first comes first.

    Raises:
        ShloError: the operand is a scalar or has less than k elements along its last dimension.
    """
    tensor = tensor_of(operand)
    if largest:
        return ops.chlo.top_k(tensor, k)
    axis = tensor.rank - 1
    _require_count(tensor, axis, k)
    indices = ops.iota(axis, tensor.type.with_element(element_type("i32")))
    total = ComparisonType.TOTALORDER if tensor.element_type.is_float else None

    def smaller(a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return ops.compare(a, b, ComparisonDirection.LT, total)

    elements, places = ops.sort([tensor, indices], axis, True, comparator=smaller)
    return SliceInDim(elements, 0, k, 1, axis), SliceInDim(places, 0, k, 1, axis)


def _require_count(tensor: Tensor, axis: int, count: int) -> None:
    if not 0 <= axis < tensor.rank:
        raise ShloError(f"{tensor.type} has no dimension {axis}")
    if not 0 <= count <= tensor.type.static_shape[axis]:
        raise ShloError(f"{count} elements of dimension {axis} of {tensor.type}")


@xla_op
def ApproxTopK(
    operands: Sequence[Operand],
    init_values: Sequence[Operand],
    top_k: int,
    reduction_dim: int,
    comparator: Computation,
    recall_target: float = 0.95,
    aggregate_to_topk: bool = True,
    reduction_input_size_override: int = -1,
) -> tuple[Tensor, ...]:
    """The elements that come first: all of them, which is more than any ``recall_target`` asks.

    Builds ``sort`` and ``slice``, as XLA does where it has no approximate form.

    Args:
        operands: arrays of one shape, ordered together.
        init_values: one scalar for each; what XLA's form fills up with, of which this has no need.
        top_k: how many elements are wanted.
        reduction_dim: along which dimension; from the end where it is negative.
        comparator: as of ``Sort``.
        recall_target: the part of them, above 0 and up to 1, that must be right.
        aggregate_to_topk: False asks for XLA's unsorted candidates.
        reduction_input_size_override: the size for which XLA would compute how many candidates
            there are.

    Raises:
        ShloError: there is no such dimension, it has less elements, or the recall is no part.
        UnsupportedError: ``aggregate_to_topk`` is False.
    """
    tensors, _ = tensors_of_group(list(operands))
    if len(init_values) != len(tensors):
        raise ShloError(f"{len(tensors)} operands, {len(init_values)} init values")
    if not 0 < recall_target <= 1:
        raise ShloError(f"recall_target {recall_target} is not above 0 and up to 1")
    if not aggregate_to_topk:
        raise UnsupportedError("StableHLO has no form for candidates (aggregate_to_topk=False)")
    axis = reduction_dim + tensors[0].rank if reduction_dim < 0 else reduction_dim
    _require_count(tensors[0], axis, top_k)
    results = ops.sort(tensors, axis, True, comparator=region_of(comparator))
    return tuple(SliceInDim(result, 0, top_k, 1, axis) for result in results)
