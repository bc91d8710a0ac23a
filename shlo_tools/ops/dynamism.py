"""Ops whose results have sizes computed at run time."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import (
    at_most,
    divides,
    every,
    in_range,
    is_unique,
    meet_dims,
    require,
    same,
    same_shape,
    stretches,
)
from shlo_tools.dims import UNKNOWN, Dim, ceiling_divided, floor_divided, maximum
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import require_product, require_stretched, require_weights
from shlo_tools.ops.contraction import Precision
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.ops.data_movement import reshaped
from shlo_tools.ops.gather_scatter import (
    GATHER_DIMENSION_NUMBERS,
    require_batching,
    require_vectors,
)
from shlo_tools.ops.traits import Trait
from shlo_tools.ops.windows import dilated, window_count
from shlo_tools.types import Scalar, Tensor

FAR = 1 << 60  # beyond it, sums of sizes might wrap around


def sizes_of(label: str, sizes: Tensor, rank: int) -> Sequence[Dim]:
    """Check that an operand holds one integer per dimension, none beyond all sizes."""
    numbers = _integers(label, sizes, rank)
    sane = every(v for n in numbers for v in (at_most(-FAR, n), at_most(n, FAR)))
    require(label, sane, "a number is beyond all sizes")
    return numbers


def _integers(label: str, sizes: Tensor, rank: int) -> Sequence[Dim]:
    """Check that an operand holds one integer per dimension; returns those."""
    whole = sizes.element_type.is_integer or sizes.element_type.name == "index"
    require("I1", whole, f"{sizes.type} holds no integers")
    fits = sizes.rank == 1 and same(sizes.shape[0], rank)
    require(label, fits, f"{sizes.type} has not one entry for each of {rank} dimensions")
    return [UNKNOWN] * rank if sizes.contents is None else sizes.contents


def shaped(label: str, result_type: TensorType, shape: Sequence[Dim]) -> Tensor:
    """A result of a shape computed at run time, of which its type says something, too."""
    declared = result_type.shape
    require(label, same_shape(declared, shape), f"{result_type} has not the sizes {list(shape)}")
    require(label, every(at_most(0, size) for size in shape), f"a size of {list(shape)} is below 0")
    known = [meet_dims(a, b) for a, b in zip(declared, shape, strict=True)]
    return Tensor(TensorType(tuple(known), result_type.element_type, result_type.bounds))


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS)
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
    axes = broadcast_dimensions
    sizes = sizes_of("C7", output_dimensions, result_type.rank)
    result = shaped("C7", result_type, sizes)
    require("C2", len(axes) == operand.rank, f"{len(axes)} axes for rank {operand.rank}")
    require("C3", in_range(axes, result.rank), f"{list(axes)} leaves rank {result.rank}")
    require("C4", is_unique(axes), f"{list(axes)} repeats an axis")
    fits = every(
        stretches(dim, result.shape[axis]) for dim, axis in zip(operand.shape, axes, strict=True)
    )
    require("C5", fits, f"{operand.type} does not stretch to {result.type} along {list(axes)}")
    require_stretched(operand, result, axes)
    known = (*(known_expanding_dimensions or ()), *(known_nonexpanding_dimensions or ()))
    require("C8", is_unique(known), f"known dimensions {list(known)} repeat")
    require("C9", in_range(known, operand.rank), f"known dimensions {list(known)} leave the rank")
    for d in known_nonexpanding_dimensions or ():
        kept = same(operand.shape[d], result.shape[axes[d]])
        require("C9", kept, f"dimension {d} of the operand is said not to expand, and does")
    return result


@op(
    structs=[CONVOLUTION_DIMENSION_NUMBERS],
    traits=Trait.ARITHMETIC | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS,
)
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
    if padding.contents is not None:
        sane = every(v for n in padding.contents for v in (at_most(-FAR, n), at_most(n, FAR)))
        require("C4", sane, "a number is beyond all sizes")
    pairs = padding.rank == 2 and every(
        (same(padding.shape[0], spatial), same(padding.shape[1], 2))
    )
    require("C4", pairs, f"padding {padding.type} holds not {spatial} pairs")
    require("C23", 1 in (feature_group_count, batch_group_count), "groups of both kinds")
    require("C26", result_type.rank == lhs.rank, f"{result_type} has not rank {lhs.rank}")
    made = rhs.shape[kernel_output_feature_dimension]
    batch = lhs.shape[input_batch_dimension]
    require("C10", divides(batch_group_count, batch), f"{batch} in {batch_group_count} groups")
    given = lhs.shape[input_feature_dimension]
    require("C11", divides(feature_group_count, given), f"{given} in {feature_group_count} groups")
    taken = rhs.shape[kernel_input_feature_dimension]
    alike = same(taken, floor_divided(given, feature_group_count))
    require("C14", alike, "the kernel does not take the input's features")
    for label, groups in (("C15", batch_group_count), ("C16", feature_group_count)):
        require(label, divides(groups, made), f"{made} does not divide into {groups} groups")
    sizes: list[Dim] = list(result_type.shape)
    sizes[output_feature_dimension] = made
    sizes[output_batch_dimension] = batch // batch_group_count
    edges = [UNKNOWN] * (2 * spatial) if padding.contents is None else padding.contents
    ones = [1] * spatial
    spans = zip(input_spatial_dimensions, kernel_spatial_dimensions, strict=True)
    steps = zip(window_strides or ones, lhs_dilation or ones, rhs_dilation or ones, strict=True)
    rows = zip(output_spatial_dimensions, spans, edges[::2], edges[1::2], steps, strict=True)
    for at, (of_lhs, of_rhs), low, high, (stride, base, apart) in rows:
        extent = low + dilated(lhs.shape[of_lhs], base) + high
        require("C4", at_most(0, extent), f"padding takes more than there is: {extent}")
        sizes[at] = window_count(extent, dilated(rhs.shape[of_rhs], apart), stride)
    require_product("C28 C31 C32 C33 C34", lhs, rhs, result_type.element_type)
    require_weights("C29", rhs, [kernel_output_feature_dimension])
    require_weights("C30", Tensor(result_type), [output_feature_dimension])
    return shaped("C25", result_type, sizes)


@op(structs=[GATHER_DIMENSION_NUMBERS], traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
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
    require_vectors("C3", start_indices, index_vector_dim, start_index_map)
    require_batching(  # under gather's labels: the specification leaves these dims out here
        "C10 C11 C13 C14 C15 C16 C17",
        (operand, operand_batching_dims),
        (start_indices, start_indices_batching_dims),
        index_vector_dim,
    )
    sizes = sizes_of("C11", slice_sizes, operand.rank)
    single = every(at_most(sizes[d], 1) for d in dropped)
    require("C8", single, f"slice_sizes {list(sizes)} are not 1 along {list(dropped)}")
    require("C14", operand.element_type == result_type.element_type, "element types differ")
    batch = [d for i, d in enumerate(start_indices.shape) if i != index_vector_dim]
    rank = len(batch) + len(offset_dims)
    require("C13", result_type.rank == rank, f"{result_type} has not rank {rank}")
    pairs = zip(sizes, operand.shape, strict=True)
    fits = every(v for size, dim in pairs for v in (at_most(0, size), at_most(size, dim)))
    require("C12", fits, f"slice_sizes {list(sizes)} exceed {operand.type}")
    taken, places = iter(batch), iter([s for d, s in enumerate(sizes) if d not in dropped])
    shape = [next(places) if d in offset_dims else next(taken) for d in range(rank)]
    return shaped("C13", result_type, shape)


@op(traits=Trait.ARITHMETIC | Trait.SIZES_AS_OPERANDS)
def dynamic_iota(output_shape: Tensor, iota_dimension: int, result_type: TensorType) -> Tensor:
    """``iota`` of a shape computed at run time."""
    rank = result_type.rank
    require("C1", 0 <= iota_dimension < rank, f"dimension {iota_dimension} of rank {rank}")
    return shaped("C2", result_type, sizes_of("C2", output_shape, rank))


@op(traits=Trait.JOINS | Trait.SIZES_AS_OPERANDS)
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
    given = (edge_padding_low, edge_padding_high, interior_padding)
    rows = [sizes_of("C2", sizes, operand.rank) for sizes in given]
    require("C4", operand.rank == result_type.rank, f"{operand.type} and {result_type}")
    shape = []
    for dim, low, high, interior in zip(operand.shape, *rows, strict=True):
        require("C3", at_most(0, interior), f"interior padding {interior} is below 0")
        shape.append(low + dim + maximum(dim - 1, 0) * interior + high)
    return shaped("C5", result_type, shape)


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS)
def dynamic_reshape(operand: Tensor, output_shape: Tensor, result_type: TensorType) -> Tensor:
    """``reshape`` to a shape computed at run time; -1 has no meaning."""
    sizes = sizes_of("C4", output_shape, result_type.rank)
    return reshaped(operand, shaped("C4", result_type, sizes))


@op(traits=Trait.QUANTIZED_PER_AXIS)
def get_dimension_size(operand: Tensor, dimension: int) -> Tensor:
    """The size of a dimension, as an i32."""
    require("C1", 0 <= dimension < operand.rank, f"dimension {dimension} of {operand.type}")
    size = operand.shape[dimension]
    type = operand.type.with_shape(()).with_element(ELEMENT_TYPES["i32"])
    return Tensor(type, contents=None if size is UNKNOWN else (size,))


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
def real_dynamic_slice(
    operand: Tensor,
    start_indices: Tensor,
    limit_indices: Tensor,
    strides: Tensor,
    result_type: TensorType,
) -> Tensor:
    """``slice`` by starts, limits and strides computed at run time. Not in the specification."""
    rows = [sizes_of("C2", sizes, operand.rank) for sizes in (start_indices, limit_indices)]
    rows.append(_integers("C2", strides, operand.rank))  # these are only divided by
    require("C5", operand.rank == result_type.rank, f"{operand.type} and {result_type}")
    require("C1", operand.element_type == result_type.element_type, "element types differ")
    shape = []
    for dim, start, limit, stride in zip(operand.shape, *rows, strict=True):
        inside = every((at_most(0, start), at_most(start, limit), at_most(limit, dim)))
        require("C3", inside, f"slice {start}:{limit} of a dimension of size {dim}")
        require("C4", at_most(1, stride), f"stride {stride} is not positive")
        shape.append(ceiling_divided(limit - start, stride))
    return shaped("C5", result_type, shape)


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
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
    kept = UNKNOWN if size.contents is None else size.contents[0]
    fits = every((at_most(0, kept), at_most(kept, shape[dimension])))
    require("C3", fits, f"size {kept} of a dimension of size {shape[dimension]}")
    shape[dimension] = kept
    return shaped("C3", result_type, shape)
