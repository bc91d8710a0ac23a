"""Functions that place elements.

Source: XLA's operation semantics, "Broadcast", "BroadcastInDim", "Clamp", "Collapse",
"Concatenate", "Iota", "Pad", "Reshape", "Rev", "Select", "Slice" and "Transpose".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from shlo_tools import ops
from shlo_tools.dims import product
from shlo_tools.errors import ShloError
from shlo_tools.ops._numbers import splat
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import (
    Operand,
    Operands,
    equalized,
    several,
    tensor_of,
    tensors_of,
)
from shlo_tools.ops.xla.computations import Result
from shlo_tools.ops.xla.padding import PaddingConfigLike, padding_config
from shlo_tools.ops.xla.shapes import Shape, array_shape
from shlo_tools.types import Tensor


@xla_op
def Broadcast(operand: Operand, broadcast_sizes: Sequence[int]) -> Tensor:
    """Copies of an array along new dimensions on its left: ``broadcast_in_dim``.

    Args:
        operand: of shape [b0, ..., bM].
        broadcast_sizes: a0, ..., aN.

    Returns:
        An array of shape [a0, ..., aN, b0, ..., bM].

    Raises:
        ShloError: a size is negative.
    """
    tensor, sizes = tensor_of(operand), tuple(broadcast_sizes)
    if any(size < 0 for size in sizes):
        raise ShloError(f"broadcast_sizes {list(sizes)}: a size is negative")
    axes = tuple(range(len(sizes), len(sizes) + tensor.rank))
    return ops.broadcast_in_dim(tensor, axes, tensor.type.with_shape((*sizes, *tensor.shape)))


@xla_op
def BroadcastInDim(
    operand: Operand, out_dim_size: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Tensor:
    """An array stretched to a shape: ``broadcast_in_dim``.

    Args:
        operand: the array; dimensions of size 1 stretch.
        out_dim_size: the sizes of the result.
        broadcast_dimensions: the dimension of the result for each one of the operand.

    Raises:
        ShloError: sizes differ, or dimensions repeat or are not the result's.
    """
    tensor = tensor_of(operand)
    type = tensor.type.with_shape(out_dim_size)
    return ops.broadcast_in_dim(tensor, broadcast_dimensions, type)


@xla_op
def Clamp(min: Operand, operand: Operand, max: Operand) -> Tensor:
    """``min(max(min, operand), max)`` element by element: ``clamp``.

    ``min`` and ``max`` are of the operand's shape or scalars.

    Raises:
        ShloError: shapes or element types differ.
    """
    low, middle, high = tensors_of(min, operand, max)
    return ops.clamp(low, middle, high)


@xla_op
def Collapse(operand: Operand, dimensions: Sequence[int]) -> Tensor:
    """Several dimensions as one, the first the slowest to vary: ``reshape``.

    Args:
        operand: the array.
        dimensions: consecutive ones, in ascending order.

    Raises:
        ShloError: they are not consecutive, or not the operand's.
    """
    tensor, axes = tensor_of(operand), list(dimensions)
    if not axes:
        return tensor
    first, last = axes[0], axes[-1]
    if axes != list(range(first, first + len(axes))):
        raise ShloError(f"dimensions {axes} are not consecutive and ascending")
    if first < 0 or last >= tensor.rank:
        raise ShloError(f"dimensions {axes} are not those of {tensor.type}")
    size = product(tensor.shape[first : last + 1])
    shape = (*tensor.shape[:first], size, *tensor.shape[last + 1 :])
    return ops.reshape(tensor, tensor.type.with_shape(shape))


@xla_op
def Concatenate(operands: Sequence[Operand], dimension: int) -> Tensor:
    """Arrays one after the other along a dimension: ``concatenate``.

    Raises:
        ShloError: there are none, they are scalars, or differ in another dimension.
    """
    return ops.concatenate(tensors_of(*operands), dimension)


@xla_op
def ConcatInDim(operands: Sequence[Operand], dimension: int) -> Tensor:
    """``Concatenate`` by the name that it has in XlaBuilder."""
    return Concatenate(operands, dimension)


@xla_op
def Iota(shape: Shape, iota_dimension: int = 0) -> Tensor:
    """0, 1, 2, ... along a dimension, of any element type: ``iota``.

    Raises:
        ShloError: the shape has no such dimension.
    """
    return ops.iota(iota_dimension, array_shape(shape))


@xla_op
def Pad(operand: Operand, padding_value: Operand, padding_config: PaddingConfigLike) -> Tensor:
    """Elements put around and between those of an array: ``pad``.

    Args:
        operand: the array.
        padding_value: a scalar of its element type.
        padding_config: a PaddingConfig, or (low, high) or (low, high, interior) for each
            dimension. Negative edges remove elements, after those between were put in.

    Raises:
        ShloError: not one for each dimension, a negative interior, or more removed than there is.
    """
    return _padded(operand, padding_value, padding_config)


def _padded(operand: Operand, value: Operand, config: PaddingConfigLike) -> Tensor:
    tensor, scalar = tensors_of(operand, value)
    rows = padding_config(config).dimensions
    return ops.pad(
        tensor,
        scalar,
        [row.edge_padding_low for row in rows],
        [row.edge_padding_high for row in rows],
        [row.interior_padding for row in rows],
    )


@xla_op
def PadInDim(operand: Operand, padding_value: Operand, dimno: int, lo: int, hi: int) -> Tensor:
    """``Pad`` along one dimension: ``lo`` elements before, ``hi`` behind.

    Raises:
        ShloError: the operand has no such dimension, or more is removed than there is.
    """
    tensor = tensor_of(operand)
    _require_dimension(tensor, dimno)
    config = [(lo, hi) if axis == dimno else (0, 0) for axis in range(tensor.rank)]
    return _padded(tensor, padding_value, config)


def _require_dimension(tensor: Tensor, dimension: int) -> None:
    if not 0 <= dimension < tensor.rank:
        raise ShloError(f"{tensor.type} has no dimension {dimension}")


@overload
def Reshape(operand: Operand, new_sizes: Sequence[int], /) -> Tensor: ...


@overload
def Reshape(operand: Operand, dimensions: Sequence[int], new_sizes: Sequence[int], /) -> Tensor: ...


@xla_op
def Reshape(operand: Operand, *sizes: Sequence[int]) -> Tensor:
    """The same elements in another shape: ``reshape``.

    ``Reshape(operand, new_sizes)`` takes them in row-major order; with
    ``Reshape(operand, dimensions, new_sizes)`` the dimensions are collapsed in that order, the
    first the slowest to vary: ``transpose`` and ``reshape``.

    Raises:
        ShloError: the numbers of elements differ, or ``dimensions`` is no order of them.
    """
    tensor = tensor_of(operand)
    if len(sizes) not in (1, 2):
        raise ShloError("new_sizes, or dimensions and new_sizes are wanted")
    if len(sizes) == 2:
        tensor = ops.transpose(tensor, sizes[0])
    return ops.reshape(tensor, tensor.type.with_shape(sizes[-1]))


@xla_op
def Rev(operand: Operand, dimensions: Sequence[int]) -> Tensor:
    """Elements in opposite order along dimensions: ``reverse``.

    Raises:
        ShloError: a dimension repeats or is not the operand's.
    """
    return ops.reverse(tensor_of(operand), dimensions)


@xla_op
def Select(pred: Operand, on_true: Operands, on_false: Operands) -> Result:
    """Elements of one or the other array: ``select``.

    Args:
        pred: booleans of their shape, or a scalar.
        on_true: where ``pred`` is true; an array, a scalar, or a tuple of arrays.
        on_false: where it is false; of the same element type, or a tuple of as many arrays.

    Returns:
        An array; a tuple of them where tuples are chosen from.

    Raises:
        ShloError: shapes or element types differ, or tuples with a ``pred`` that is no scalar.
    """
    members, others = several(on_true), several(on_false)
    mask = tensor_of(pred)
    if members is None and others is None:
        return _selected(mask, on_true, on_false)
    if members is None or others is None or len(members) != len(others):
        raise ShloError("tuples of as many values are wanted, or no tuple")
    if mask.rank != 0:
        raise ShloError(f"tuples are chosen by a scalar, not by {mask.type}")
    return tuple(_selected(mask, a, b) for a, b in zip(members, others, strict=True))


def _selected(mask: Tensor, on_true: Operand, on_false: Operand) -> Tensor:
    a, b = tensors_of(on_true, on_false)
    largest = max((a, b, mask), key=lambda tensor: tensor.rank)
    a, b = (splat(x, largest) if x.rank == 0 else x for x in (a, b))
    if a.rank == b.rank:
        a, b = equalized(a, b)
    return ops.select(mask, a, b)


@xla_op
def Slice(
    operand: Operand,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Tensor:
    """The elements from start up to below limit, in each dimension: ``slice``.

    Args:
        operand: the array.
        start_indices: one for each dimension.
        limit_indices: one for each dimension; not included.
        strides: every how manyth element is kept; 1 where there are none.

    Raises:
        ShloError: not one for each dimension, a limit below its start or outside, a stride
            below 1.
    """
    steps = [1] * len(start_indices) if strides is None else strides
    return ops.slice(tensor_of(operand), start_indices, limit_indices, steps)


@xla_op
def SliceInDim(
    operand: Operand, start_index: int, limit_index: int, stride: int, dimno: int
) -> Tensor:
    """``Slice`` along one dimension; the others are kept whole.

    Raises:
        ShloError: there is no such dimension, or the slice is not within it.
    """
    tensor = tensor_of(operand)
    _require_dimension(tensor, dimno)
    starts, steps = [0] * tensor.rank, [1] * tensor.rank
    limits = [
        limit_index if axis == dimno else size for axis, size in enumerate(tensor.type.static_shape)
    ]
    starts[dimno], steps[dimno] = start_index, stride
    return ops.slice(tensor, starts, limits, steps)


@xla_op
def Transpose(operand: Operand, permutation: Sequence[int]) -> Tensor:
    """Dimension d of the result is dimension ``permutation[d]`` of the operand: ``transpose``.

    Raises:
        ShloError: the permutation is no order of the dimensions.
    """
    return ops.transpose(tensor_of(operand), permutation)
