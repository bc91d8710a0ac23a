"""Ops that read or write at positions computed at run time."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import (
    accumulators_of,
    at_most,
    every,
    in_range,
    is_unique,
    require,
    same,
    same_shape,
)
from shlo_tools.dtypes import Dim
from shlo_tools.ops._attributes import Struct
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Scalar, Tensor


@op(traits=Trait.REARRANGES)
def dynamic_slice(
    operand: Tensor, start_indices: Sequence[Scalar], slice_sizes: Sequence[int]
) -> Tensor:
    """The part of ``slice_sizes`` that starts at ``start_indices``, moved inside if need be."""
    require("C2", len(start_indices) == operand.rank, "not one start index per dimension")
    require("C2", len(slice_sizes) == operand.rank, "not one slice size per dimension")
    require("I2", all(s.element_type.is_integer and s.rank == 0 for s in start_indices), "indices")
    fits = every(at_most(size, dim) for size, dim in zip(slice_sizes, operand.shape, strict=True))
    require("C4", fits, f"slice_sizes {list(slice_sizes)} exceed {operand.type}")
    return operand.like(shape=slice_sizes)


@op(traits=Trait.JOINS)
def dynamic_update_slice(
    operand: Tensor, update: Tensor, start_indices: Sequence[Scalar]
) -> Tensor:
    """``operand`` with ``update`` written at ``start_indices``, moved inside if need be."""
    require("C2", update.element_type == operand.element_type, "element types differ")
    require("C3", update.rank == operand.rank, "ranks differ")
    require("C4", len(start_indices) == operand.rank, "not one start index per dimension")
    fits = every(at_most(a, b) for a, b in zip(update.shape, operand.shape, strict=True))
    require("C6", fits, f"{update.type} exceeds {operand.type}")
    return operand.like()


def _is_increasing(axes: Sequence[int]) -> bool:
    """``is_unique`` and ``is_sorted``."""
    return list(axes) == sorted(set(axes))


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


@op(structs=[GATHER_DIMENSION_NUMBERS], traits=Trait.REARRANGES)
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
    rank, indices_rank = operand.rank, start_indices.rank
    dropped = (*collapsed_slice_dims, *operand_batching_dims)
    result_rank = len(offset_dims) + indices_rank - (index_vector_dim < indices_rank)
    require("I2", start_indices.element_type.is_integer, f"start_indices are {start_indices.type}")
    require("C6", is_unique(dropped), f"dropped dimensions {list(dropped)} repeat")
    require("C1", rank == len(offset_dims) + len(dropped), "not all dims are offset or dropped")
    require("C2", 0 <= index_vector_dim <= indices_rank, "index_vector_dim out of range")
    require_vectors("C3", start_indices, index_vector_dim, start_index_map)
    require("C4", _is_increasing(offset_dims), f"offset_dims {list(offset_dims)} not increasing")
    require("C5", in_range(offset_dims, result_rank), f"offset_dims leave rank {result_rank}")
    require("C7", _is_increasing(collapsed_slice_dims), "collapsed_slice_dims are not sorted")
    require("C8", in_range(collapsed_slice_dims, rank), "collapsed_slice_dims leave the rank")
    require_batching(
        "C10 C11 C13 C14 C15 C16 C17",
        (operand, operand_batching_dims),
        (start_indices, start_indices_batching_dims),
        index_vector_dim,
    )
    require("C18", is_unique((*start_index_map, *operand_batching_dims)), "repeated dims")
    require("C19", in_range(start_index_map, rank), "start_index_map out of range")
    require("C20", len(slice_sizes) == rank, f"{len(slice_sizes)} slice sizes for rank {rank}")
    for label, dims in (("C9", collapsed_slice_dims), ("C12", operand_batching_dims)):
        single = every(at_most(slice_sizes[d], 1) for d in dims)
        require(label, single, f"slice_sizes {list(slice_sizes)} are not 1 along {list(dims)}")
    pairs = zip(slice_sizes, operand.shape, strict=True)
    fits = every(v for size, dim in pairs for v in (at_most(0, size), at_most(size, dim)))
    require("C21", fits, f"slice_sizes {list(slice_sizes)} exceed {operand.type}")
    batch = iter([d for i, d in enumerate(start_indices.shape) if i != index_vector_dim])
    offset = iter([size for d, size in enumerate(slice_sizes) if d not in dropped])
    shape: list[Dim] = [
        next(offset) if d in offset_dims else next(batch) for d in range(result_rank)
    ]
    return operand.like(shape=shape)


def require_vectors(
    label: str, indices: Tensor, index_vector_dim: int, dimensions: Sequence[int]
) -> None:
    """Check that an index has one component for each of some dimensions."""
    vector = indices.shape[index_vector_dim] if index_vector_dim < indices.rank else 1
    fits = same(len(dimensions), vector)
    require(label, fits, f"{indices.type} has not {len(dimensions)} components an index")


def require_batching(
    labels: str,
    operand: tuple[Tensor, Sequence[int]],
    indices: tuple[Tensor, Sequence[int]],
    index_vector_dim: int,
) -> None:
    """Check the batching dimensions of an operand and of its indices."""
    sorted_, within, unique, inside, other, count, sizes = labels.split()
    (source, source_dims), (starts, starts_dims) = operand, indices
    require(sorted_, _is_increasing(source_dims), "the operand's batching dims are not sorted")
    require(
        within, in_range(source_dims, source.rank), "the operand's batching dims leave its rank"
    )
    require(unique, is_unique(starts_dims), "the indices' batching dims repeat")
    require(
        inside,
        in_range(starts_dims, starts.rank),
        "the indices' batching dims leave their rank",
    )
    require(other, index_vector_dim not in starts_dims, "index_vector_dim is a batching dim")
    require(count, len(source_dims) == len(starts_dims), "different numbers of batching dims")
    pairs = zip(source_dims, starts_dims, strict=True)
    alike = every(same(source.shape[a], starts.shape[b]) for a, b in pairs)
    require(sizes, alike, f"batching dims of {source.type} and {starts.type} differ in size")


SCATTER_DIMENSION_NUMBERS = Struct(
    "scatter_dimension_numbers",
    "scatter",
    (
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
        "index_vector_dim",
    ),
)


@op(structs=[SCATTER_DIMENSION_NUMBERS], traits=Trait.QUANTIZED)
def scatter(
    inputs: Sequence[Tensor],
    scatter_indices: Tensor,
    updates: Sequence[Tensor],
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int] = (),
    scatter_indices_batching_dims: Sequence[int] = (),
    scatter_dims_to_operand_dims: Sequence[int] = (),
    index_vector_dim: int = 0,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    *,
    update_computation: Region,
) -> tuple[Tensor, ...]:
    """``inputs`` with ``updates`` combined into them at ``scatter_indices``.

    ``update_computation`` takes the current elements, then the updates'. Elements that fall
    outside are skipped.
    """
    require("C5", 0 < len(inputs) == len(updates), "not one update per input, or no input")
    first = inputs[0]
    dropped = (*inserted_window_dims, *input_batching_dims)
    require("C1", every(same_shape(t.shape, first.shape) for t in inputs), "shapes differ")
    require("C2", first.rank == len(update_window_dims) + len(dropped), "not all dims covered")
    require("C3", every(same_shape(t.shape, updates[0].shape) for t in updates), "shapes differ")
    require("C7", is_unique(update_window_dims), "update_window_dims repeat")
    require("C9", is_unique(dropped), f"dropped dimensions {list(dropped)} repeat")
    require_batching(
        "C12 C13 C14 C15 C16 C17 C18",
        (first, input_batching_dims),
        (scatter_indices, scatter_indices_batching_dims),
        index_vector_dim,
    )
    require("C20", is_unique((*scatter_dims_to_operand_dims, *input_batching_dims)), "repeated")
    require("C21", in_range(scatter_dims_to_operand_dims, first.rank), "dims out of range")
    require("C22", 0 <= index_vector_dim <= scatter_indices.rank, "index_vector_dim out of range")
    require_vectors("C19", scatter_indices, index_vector_dim, scatter_dims_to_operand_dims)
    _require_updates(
        first, scatter_indices, updates[0], update_window_dims, dropped, index_vector_dim
    )
    elements = accumulators_of(update_computation, inputs, "C23")
    results = update_computation(*elements, *elements)
    require("C24", len(results) == len(inputs), "the computation returns another number of values")
    return tuple(
        tensor.like(element_type=result.element_type)
        for tensor, result in zip(inputs, results, strict=True)
    )


def _require_updates(
    operand: Tensor,
    indices: Tensor,
    update: Tensor,
    window_dims: Sequence[int],
    dropped: Sequence[int],
    index_vector_dim: int,
) -> None:
    """Check that there is one window for each index, and that it is no larger than the operand."""
    require("C8", in_range(window_dims, update.rank), "update_window_dims leave the rank")
    batch = [size for d, size in enumerate(indices.shape) if d != index_vector_dim]
    actual = [size for d, size in enumerate(update.shape) if d not in window_dims]
    alike = same_shape(actual, batch)
    require("C4", alike, f"{update.type} has not one window for each index of {indices.type}")
    kept = [size for d, size in enumerate(operand.shape) if d not in dropped]
    windows = [update.shape[d] for d in window_dims]
    fits = every(at_most(size, limit) for size, limit in zip(windows, kept, strict=True))
    require("C4", fits, f"windows of {update.type} exceed {operand.type}")
