"""Reading and writing at positions that are computed.

Source: XLA's operation semantics, "DynamicSlice", "DynamicUpdateSlice", "Gather" and "Scatter".
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ops
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.errors import ShloError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, Operands, tensor_of, tensors_of
from shlo_tools.ops.xla.computations import (
    Computation,
    Result,
    grouped,
    region_of,
    tensors_of_group,
)
from shlo_tools.types import Tensor

# Of two starts, one a tensor and one a number, the number takes the tensor's type; else i32.
_START = Tensor(TensorType((), element_type("i32")))


@xla_op
def DynamicSlice(operand: Operand, start_indices: Operands, size_indices: Sequence[int]) -> Tensor:
    """The part of an array from a computed position on: ``dynamic_slice``.

    Args:
        operand: the array.
        start_indices: one scalar integer for each dimension, or a vector of them. They are moved
            so that the part lies within.
        size_indices: the sizes of the part.

    Raises:
        ShloError: not one for each dimension, or a size beyond the operand's.
    """
    return ops.dynamic_slice(tensor_of(operand), _starts(start_indices), size_indices)


@xla_op
def DynamicUpdateSlice(operand: Operand, update: Operand, start_indices: Operands) -> Tensor:
    """An array with a part of it overwritten: ``dynamic_update_slice``.

    Args:
        operand: the array.
        update: what is written.
        start_indices: one scalar integer for each dimension, or a vector of them. They are moved
            so that the update lies within.

    Raises:
        ShloError: not one for each dimension, or an update beyond the operand's size.
    """
    tensor, part = tensors_of(operand, update)
    return ops.dynamic_update_slice(tensor, part, _starts(start_indices))


def _starts(indices: Operands) -> list[Tensor]:
    """Scalars for the positions; a vector of them is taken apart."""
    if isinstance(indices, list | tuple):
        like = next((index for index in indices if isinstance(index, Tensor)), _START)
        return [tensor_of(index, like) for index in indices]
    vector = tensor_of(indices)
    if vector.rank != 1:
        raise ShloError(f"start_indices are {vector.type}: a vector or scalars are wanted")
    (count,) = vector.type.static_shape
    parts = [ops.slice(vector, (n,), (n + 1,), (1,)) for n in range(count)]
    return [ops.reshape(part, part.type.with_shape(())) for part in parts]


@xla_op
def Gather(
    operand: Operand,
    start_indices: Operand,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    slice_sizes: Sequence[int],
    start_index_map: Sequence[int],
    index_vector_dim: int,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    operand_batching_dims: Sequence[int] = (),
    start_indices_batching_dims: Sequence[int] = (),
) -> Tensor:
    """Slices of an array at computed positions, put together: ``gather``.

    Args:
        operand: the array.
        start_indices: the positions; they are moved so that each slice lies within.
        offset_dims: dimensions of the result that run through a slice.
        collapsed_slice_dims: dimensions of a slice, of size 1, that the result does not have.
        slice_sizes: the sizes of a slice.
        start_index_map: the dimension of the operand for each component of a position.
        index_vector_dim: the dimension of ``start_indices`` that counts components; its rank,
            where a position is one number.
        indices_are_sorted: whether the caller warrants that.
        unique_indices: whether the caller warrants that; ``gather`` has no use for it.
        operand_batching_dims: dimensions that positions and slices share.
        start_indices_batching_dims: the same ones of the positions.

    Raises:
        ShloError: the dimensions contradict each other or the shapes.
    """
    indices = tensor_of(start_indices, Tensor(TensorType((), element_type("i64"))))
    return ops.gather(
        tensor_of(operand),
        indices,
        offset_dims,
        collapsed_slice_dims,
        operand_batching_dims,
        start_indices_batching_dims,
        start_index_map,
        index_vector_dim,
        slice_sizes=slice_sizes,
        indices_are_sorted=indices_are_sorted,
    )


@xla_op
def Scatter(
    operands: Operands,
    scatter_indices: Operand,
    updates: Operands,
    update_computation: Computation,
    *,
    index_vector_dim: int,
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    scatter_dims_to_operand_dims: Sequence[int],
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    input_batching_dims: Sequence[int] = (),
    scatter_indices_batching_dims: Sequence[int] = (),
) -> Result:
    """An array, or several, with updates combined into them at computed positions: ``scatter``.

    Args:
        operands: the array, or a tuple of arrays of one shape.
        scatter_indices: the positions; updates that fall outside are skipped.
        updates: one array for each operand.
        update_computation: takes the current elements, then the updates', and gives new ones.
        index_vector_dim: the dimension of ``scatter_indices`` that counts components.
        update_window_dims: dimensions of the updates that run through a window.
        inserted_window_dims: dimensions of a window, of size 1, that the updates do not have.
        scatter_dims_to_operand_dims: the operand's dimension for each component of a position.
        indices_are_sorted: whether the caller warrants that.
        unique_indices: whether the caller warrants that.
        input_batching_dims: dimensions that operands and positions share.
        scatter_indices_batching_dims: the same ones of the positions.

    Returns:
        An array; a tuple of them where the operands are several.

    Raises:
        ShloError: the dimensions contradict each other or the shapes.
    """
    tensors, is_tuple = tensors_of_group(operands)
    parts, _ = tensors_of_group(updates)
    results = ops.scatter(
        tensors,
        tensor_of(scatter_indices, Tensor(TensorType((), element_type("i64")))),
        parts,
        update_window_dims,
        inserted_window_dims,
        input_batching_dims,
        scatter_indices_batching_dims,
        scatter_dims_to_operand_dims,
        index_vector_dim,
        indices_are_sorted,
        unique_indices,
        update_computation=region_of(update_computation),
    )
    return grouped(results, is_tuple)
