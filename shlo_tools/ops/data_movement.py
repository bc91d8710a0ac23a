"""Ops that place elements: constants, broadcasts, reshapes, transposes, padding, gathering."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.dtypes import Dim, TensorType, of_array
from shlo_tools.ops._attributes import Elements, Struct
from shlo_tools.ops._constraints import (
    Verdict,
    at_most,
    every,
    in_range,
    is_permutation,
    is_unique,
    meet_all,
    require,
    same,
)
from shlo_tools.ops._op import op
from shlo_tools.ops._value import Scalar, Tensor


@op
def broadcast_in_dim(
    operand: Tensor, broadcast_dimensions: Sequence[int], result_type: TensorType
) -> Tensor:
    """Operand dimension d becomes result dimension broadcast_dimensions[d]; size 1 stretches."""
    axes, result = broadcast_dimensions, Tensor(result_type)
    require("C2", len(axes) == operand.rank, f"{len(axes)} axes for rank {operand.rank}")
    require("C3", in_range(axes, result.rank), f"{list(axes)} leaves rank {result.rank}")
    require("C4", is_unique(axes), f"{list(axes)} repeats an axis")
    fits = every(
        True if dim == 1 else same(dim, result.shape[axis])
        for dim, axis in zip(operand.shape, axes, strict=True)
    )
    require("C5", fits, f"{operand.type} does not stretch to {result.type} along {list(axes)}")
    require("C1", operand.element_type == result.element_type, "element types differ")
    return result


@op
def concatenate(inputs: Sequence[Tensor], dimension: int) -> Tensor:
    """The inputs one after the other along a dimension."""
    require("C3", len(inputs) > 0, "there are no inputs")
    first = inputs[0]
    require("C4", 0 <= dimension < first.rank, f"dimension {dimension} of rank {first.rank}")
    total: Dim = 0
    for tensor in inputs:
        alike: Verdict = tensor.rank == first.rank and every(
            same(a, b)
            for d, (a, b) in enumerate(zip(tensor.shape, first.shape, strict=True))
            if d != dimension
        )
        require("C2", alike, f"{tensor.type} and {first.type} differ outside {dimension}")
        require("C5", tensor.element_type == first.element_type, "element types differ")
        total = total + tensor.shape[dimension]
    flexible = [t.like(shape=_replaced(t.shape, dimension, total)) for t in inputs]
    return meet_all(flexible)


def _replaced(shape: Sequence[Dim], axis: int, dim: Dim) -> list[Dim]:
    return [dim if d == axis else old for d, old in enumerate(shape)]


@op
def constant(value: Elements) -> Tensor:
    """The values of an array; its dtype gives the element type."""
    return Tensor(of_array(value))


GATHER_DIMENSION_NUMBERS = Struct(
    "dimension_numbers",
    "gather",
    (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
        "index_vector_dim",
    ),
)


@op(structs=[GATHER_DIMENSION_NUMBERS])
def gather(
    operand: Tensor,
    start_indices: Tensor,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int] = (),
    start_indices_batching_dims: Sequence[int] = (),
    start_index_map: Sequence[int] = (),
    index_vector_dim: int = 0,
    *,
    slice_sizes: Sequence[int],
    indices_are_sorted: bool = False,
) -> Tensor:
    """Slices of ``operand`` at ``start_indices``, clamped so that each lies inside."""
    rank = operand.rank
    require("C2", 0 <= index_vector_dim <= start_indices.rank, "index_vector_dim out of range")
    require("C10", is_unique((*collapsed_slice_dims, *operand_batching_dims)), "repeated dims")
    require("C4", is_unique(offset_dims), f"offset_dims {list(offset_dims)} repeat")
    require("C18", is_unique((*start_index_map, *operand_batching_dims)), "repeated dims")
    require("C19", in_range(start_index_map, rank), "start_index_map out of range")
    require("C20", len(slice_sizes) == rank, f"{len(slice_sizes)} slice sizes for rank {rank}")
    fits = every(at_most(size, dim) for size, dim in zip(slice_sizes, operand.shape, strict=True))
    require("C21", fits, f"slice_sizes {list(slice_sizes)} exceed {operand.type}")
    batch = [d for i, d in enumerate(start_indices.shape) if i != index_vector_dim]
    dropped = {*collapsed_slice_dims, *operand_batching_dims}
    offset = [size for d, size in enumerate(slice_sizes) if d not in dropped]
    require(
        "C1", rank == len(offset_dims) + len(dropped), "offset and dropped dims are not all dims"
    )
    batch_sizes, offset_sizes = iter(batch), iter(offset)
    shape: list[Dim] = [
        next(offset_sizes) if d in offset_dims else next(batch_sizes)
        for d in range(len(batch) + len(offset))
    ]
    return operand.like(shape=shape)


@op
def iota(iota_dimension: int, result_type: TensorType) -> Tensor:
    """0, 1, 2, ... along a dimension."""
    rank = result_type.rank
    require("C1", 0 <= iota_dimension < rank, f"dimension {iota_dimension} of rank {rank}")
    return Tensor(result_type)


@op
def pad(
    operand: Tensor,
    padding_value: Scalar,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
) -> Tensor:
    """Elements put around and between those of ``operand``; negative edges remove elements."""
    require("C1", padding_value.element_type == operand.element_type, "element types differ")
    given = (edge_padding_low, edge_padding_high, interior_padding)
    require("C2", all(len(x) == operand.rank for x in given), f"sizes differ from {operand.type}")
    require("C3", all(x >= 0 for x in interior_padding), "interior_padding is negative")
    shape: list[Dim] = []
    for dim, low, high, interior in zip(operand.shape, *given, strict=True):
        gaps: Dim = max(dim - 1, 0) if isinstance(dim, int) else dim
        size = low + dim + gaps * interior + high
        require("C4", at_most(0, size), f"padding takes more than the {dim} elements there are")
        shape.append(size)
    return operand.like(shape=shape)


@op
def reshape(operand: Tensor, result_type: TensorType) -> Tensor:
    """The same elements, in row-major order, in another shape."""
    result = Tensor(result_type)
    require("C1", operand.element_type == result.element_type, "element types differ")
    if operand.type.is_static and result.type.is_static:
        require("C2", operand.type.size == result.type.size, f"{operand.type} to {result.type}")
    return result


@op
def reverse(operand: Tensor, dimensions: Sequence[int]) -> Tensor:
    """The elements in opposite order along the dimensions."""
    require("C2", is_unique(dimensions), f"dimensions {list(dimensions)} repeat")
    require("C3", in_range(dimensions, operand.rank), f"{list(dimensions)} leave the rank")
    return operand.like()


@op
def slice(
    operand: Tensor,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
) -> Tensor:
    """Elements start, start + stride, ... below limit, in each dimension."""
    given = (start_indices, limit_indices, strides)
    require("C2", all(len(x) == operand.rank for x in given), f"sizes differ from {operand.type}")
    shape: list[Dim] = []
    for dim, start, limit, stride in zip(operand.shape, *given, strict=True):
        require("C3", 0 <= start <= limit, f"start {start}, limit {limit}")
        require("C3", at_most(limit, dim), f"limit {limit} exceeds size {dim}")
        require("C4", stride > 0, f"stride {stride} is not positive")
        shape.append(-((start - limit) // stride))
    return operand.like(shape=shape)


@op
def transpose(operand: Tensor, permutation: Sequence[int]) -> Tensor:
    """Result dimension d is operand dimension permutation[d]."""
    require(
        "C2",
        is_permutation(permutation, operand.rank),
        f"permutation {list(permutation)} is no order of the {operand.rank} axes",
    )
    return operand.like(shape=[operand.shape[p] for p in permutation])
