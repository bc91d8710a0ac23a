"""Ops whose results have sizes computed at run time."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.dtypes import Dim, TensorType
from shlo_tools.ops._constraints import (
    every,
    in_range,
    is_unique,
    meet,
    require,
    same,
)
from shlo_tools.ops._op import op
from shlo_tools.ops._value import Scalar, Tensor
from shlo_tools.ops.contraction import Precision
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS


def _sizes(label: str, sizes: Tensor, rank: int) -> None:
    """Check that an operand holds one integer per dimension."""
    whole = sizes.element_type.is_integer or sizes.element_type.name == "index"
    require("I1", whole, f"{sizes.type} holds no integers")
    fits = sizes.rank == 1 and same(sizes.shape[0], rank)
    require(label, fits, f"{sizes.type} has not one entry for each of {rank} dimensions")


@op
def dynamic_broadcast_in_dim(
    operand: Tensor,
    output_dimensions: Tensor,
    broadcast_dimensions: Sequence[int],
    known_expanding_dimensions: Sequence[int] | None = None,
    known_nonexpanding_dimensions: Sequence[int] | None = None,
    *,
    result_type: TensorType,
) -> Tensor:
    """``broadcast_in_dim`` to a shape given by ``output_dimensions``."""
    axes, result = broadcast_dimensions, Tensor(result_type)
    require("C1", operand.element_type == result.element_type, "element types differ")
    require("C2", len(axes) == operand.rank, f"{len(axes)} axes for rank {operand.rank}")
    require("C3", in_range(axes, result.rank), f"{list(axes)} leaves rank {result.rank}")
    require("C4", is_unique(axes), f"{list(axes)} repeats an axis")
    fits = every(
        True if dim == 1 else same(dim, result.shape[axis])
        for dim, axis in zip(operand.shape, axes, strict=True)
    )
    require("C5", fits, f"{operand.type} does not stretch to {result.type} along {list(axes)}")
    _sizes("C7", output_dimensions, result.rank)
    known = (*(known_expanding_dimensions or ()), *(known_nonexpanding_dimensions or ()))
    require("C8", is_unique(known), f"known dimensions {list(known)} repeat")
    require("C9", in_range(known, operand.rank), f"known dimensions {list(known)} leave the rank")
    return result


@op(structs=[CONVOLUTION_DIMENSION_NUMBERS])
def dynamic_conv(
    lhs: Tensor,
    rhs: Tensor,
    padding: Tensor,
    window_strides: Sequence[int] | None = None,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    window_reversal: Sequence[bool] | None = None,
    *,
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Sequence[int],
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Sequence[int],
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Sequence[int],
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    result_type: TensorType,
) -> Tensor:
    """``convolution`` with a padding computed at run time."""
    spatial = lhs.rank - 2
    require("C1", lhs.rank == rhs.rank and spatial >= 0, f"{lhs.type} and {rhs.type}")
    for label, counts in (("C2", window_strides), ("C5", lhs_dilation), ("C7", rhs_dilation)):
        fits = counts is None or len(counts) == spatial
        require(label, fits, f"{counts} has not {spatial} entries")
    pairs = padding.rank == 2 and every(
        (same(padding.shape[0], spatial), same(padding.shape[1], 2))
    )
    require("C4", pairs, f"padding {padding.type} holds not {spatial} pairs")
    require("C23", 1 in (feature_group_count, batch_group_count), "groups of both kinds")
    require("C26", result_type.rank == lhs.rank, f"{result_type} has not rank {lhs.rank}")
    made = same(
        result_type.shape[output_feature_dimension], rhs.shape[kernel_output_feature_dimension]
    )
    require("C25", made, f"{result_type} has not as many features as the kernel makes")
    return Tensor(result_type)


@op(structs=[GATHER_DIMENSION_NUMBERS])
def dynamic_gather(
    operand: Tensor,
    start_indices: Tensor,
    slice_sizes: Tensor,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int] = (),
    start_indices_batching_dims: Sequence[int] = (),
    start_index_map: Sequence[int] = (),
    index_vector_dim: int = 0,
    *,
    indices_are_sorted: bool = False,
    result_type: TensorType,
) -> Tensor:
    """``gather`` of slices whose sizes are computed at run time."""
    dropped = (*collapsed_slice_dims, *operand_batching_dims)
    require("C1", operand.rank == len(offset_dims) + len(dropped), "not all dims are covered")
    require("C2", 0 <= index_vector_dim <= start_indices.rank, "index_vector_dim out of range")
    require("C4", is_unique(offset_dims), f"offset_dims {list(offset_dims)} repeat")
    require("C6", is_unique(dropped), f"dropped dimensions {list(dropped)} repeat")
    require("C10", in_range(start_index_map, operand.rank), "start_index_map out of range")
    _sizes("C11", slice_sizes, operand.rank)
    require("C14", operand.element_type == result_type.element_type, "element types differ")
    batch = [d for i, d in enumerate(start_indices.shape) if i != index_vector_dim]
    rank = len(batch) + len(offset_dims)
    require("C13", result_type.rank == rank, f"{result_type} has not rank {rank}")
    places = [d for d in range(rank) if d not in offset_dims]
    pairs = zip(places, batch, strict=True)
    fits = every(same(result_type.shape[d], size) for d, size in pairs)
    require("C13", fits, f"{result_type} does not have the sizes of {start_indices.type}")
    return Tensor(result_type)


@op
def dynamic_iota(output_shape: Tensor, iota_dimension: int, result_type: TensorType) -> Tensor:
    """``iota`` of a shape computed at run time."""
    rank = result_type.rank
    require("C1", 0 <= iota_dimension < rank, f"dimension {iota_dimension} of rank {rank}")
    _sizes("C2", output_shape, rank)
    return Tensor(result_type)


@op
def dynamic_pad(
    operand: Tensor,
    padding_value: Scalar,
    edge_padding_low: Tensor,
    edge_padding_high: Tensor,
    interior_padding: Tensor,
    result_type: TensorType,
) -> Tensor:
    """``pad`` by amounts computed at run time."""
    alike = operand.element_type == padding_value.element_type == result_type.element_type
    require("C1", alike, "element types differ")
    for sizes in (edge_padding_low, edge_padding_high, interior_padding):
        _sizes("C2", sizes, operand.rank)
    require("C4", operand.rank == result_type.rank, f"{operand.type} and {result_type}")
    return Tensor(result_type)


@op
def dynamic_reshape(operand: Tensor, output_shape: Tensor, result_type: TensorType) -> Tensor:
    """``reshape`` to a shape computed at run time; -1 has no meaning."""
    require("C1", operand.element_type == result_type.element_type, "element types differ")
    if operand.type.is_static and result_type.is_static:
        require("C2", operand.type.size == result_type.size, f"{operand.type} to {result_type}")
    _sizes("C4", output_shape, result_type.rank)
    return Tensor(result_type)


@op
def get_dimension_size(operand: Tensor, dimension: int) -> Tensor:
    """The size of a dimension, as an i32."""
    require("C1", 0 <= dimension < operand.rank, f"dimension {dimension} of {operand.type}")
    return operand.like(shape=(), element_type="i32")


@op
def real_dynamic_slice(
    operand: Tensor,
    start_indices: Tensor,
    limit_indices: Tensor,
    strides: Tensor,
    result_type: TensorType,
) -> Tensor:
    """``slice`` by starts, limits and strides computed at run time. Not in the specification."""
    for sizes in (start_indices, limit_indices, strides):
        _sizes("C2", sizes, operand.rank)
    require("C5", operand.rank == result_type.rank, f"{operand.type} and {result_type}")
    require("C1", operand.element_type == result_type.element_type, "element types differ")
    return Tensor(result_type)


@op
def set_dimension_size(
    operand: Tensor, size: Scalar, dimension: int, result_type: TensorType
) -> Tensor:
    """The first ``size`` elements along a dimension, which has at most as many as before.

    Not in the specification. ``result_type`` tells the largest size: a dimension of unknown size
    with a bound.
    """
    require("C1", 0 <= dimension < operand.rank, f"dimension {dimension} of {operand.type}")
    require("I2", size.rank == 0 and size.element_type.name == "i32", f"size is {size.type}")
    shape: list[Dim] = list(operand.shape)
    shape[dimension] = result_type.shape[dimension]
    return Tensor(meet(result_type, operand.like(shape=shape).type))
