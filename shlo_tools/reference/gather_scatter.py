"""Ops that read or write at positions computed at run time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.reduction import Computation, destination_types, results_of
from shlo_tools.reference.rounding import widened


def _integers(indices: Array) -> Array:
    """Indices as signed 64-bit numbers; unsigned ones beyond those stay beyond every size."""
    wide = widened(indices)
    if wide.dtype == np.uint64:
        wide = np.minimum(wide, np.uint64(np.iinfo(np.int64).max))
    return wide.astype(np.int64)


@evaluates
def dynamic_slice(
    operand: Array, start_indices: Sequence[Array], slice_sizes: Sequence[int]
) -> Array:
    return operand[_window(operand.shape, start_indices, slice_sizes)].copy()


@evaluates
def dynamic_update_slice(operand: Array, update: Array, start_indices: Sequence[Array]) -> Array:
    result = operand.copy()
    result[_window(operand.shape, start_indices, update.shape)] = update
    return result


def _window(
    shape: Sequence[int], start_indices: Sequence[Array], sizes: Sequence[int]
) -> tuple[slice, ...]:
    """The slices at start indices, moved so that they lie inside."""
    rows = zip(shape, start_indices, sizes, strict=True)
    starts = [min(max(int(start), 0), dim - size) for dim, start, size in rows]
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


def _index_vectors(indices: Array, index_vector_dim: int) -> Array:
    """Indices with their vectors in the last dimension."""
    wide = _integers(indices)
    if index_vector_dim == indices.ndim:
        return wide[..., None]
    return np.moveaxis(wide, index_vector_dim, -1)


def _starts(
    vectors: Array,
    rank: int,
    index_map: Sequence[int],
    batching_dims: Sequence[int],
    indices_batching_dims: Sequence[int],
    index_vector_dim: int,
) -> list[Array]:
    """For each operand dimension the start of every slice, shaped as the batch of indices."""
    batch = vectors.shape[:-1]
    starts = [np.zeros(batch, np.int64) for _ in range(rank)]
    for position, d in enumerate(index_map):
        starts[d] = vectors[..., position]
    for d, indices_dim in zip(batching_dims, indices_batching_dims, strict=True):
        axis = indices_dim - (indices_dim > index_vector_dim)
        shape = [1] * len(batch)
        shape[axis] = batch[axis]
        starts[d] = np.broadcast_to(np.arange(batch[axis]).reshape(shape), batch)
    return starts


def _positions(starts: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """Operand indices of every element of every slice: batch dimensions, then slice dimensions."""
    count = len(sizes)
    positions = []
    for d, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        offsets = np.arange(size).reshape([size if axis == d else 1 for axis in range(count)])
        positions.append(start.reshape(*start.shape, *[1] * count) + offsets)
    return positions


@evaluates
def gather(
    operand: Array,
    start_indices: Array,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int] = (),
    start_indices_batching_dims: Sequence[int] = (),
    start_index_map: Sequence[int] = (),
    index_vector_dim: int = 0,
    *,
    slice_sizes: Sequence[int],
    indices_are_sorted: bool = False,
) -> Array:
    vectors = _index_vectors(start_indices, index_vector_dim)
    starts = _starts(
        vectors,
        operand.ndim,
        start_index_map,
        operand_batching_dims,
        start_indices_batching_dims,
        index_vector_dim,
    )
    dropped = {*collapsed_slice_dims, *operand_batching_dims}
    # (C8) lets a dropped dimension have slice size 0: one element is taken of it all the same.
    sizes = [1 if d in dropped else size for d, size in enumerate(slice_sizes)]
    kept = [size for d, size in enumerate(slice_sizes) if d not in dropped]
    batch = vectors.shape[:-1]
    if 0 in batch or 0 in kept:
        slices = np.empty((*batch, *kept), operand.dtype)
    elif operand.size == 0:
        raise UnsupportedError("there is nothing to gather from")
    else:
        rows = zip(starts, operand.shape, sizes, strict=True)
        clamped = [np.clip(start, 0, dim - size) for start, dim, size in rows]
        picked = operand[tuple(_positions(clamped, sizes))]
        slices = np.array(np.broadcast_to(picked, (*batch, *sizes))).reshape((*batch, *kept))
    rank = len(batch) + len(offset_dims)
    batch_dims = [d for d in range(rank) if d not in offset_dims]
    order = [0] * rank
    for source, target in enumerate((*batch_dims, *offset_dims)):
        order[target] = source
    return np.ascontiguousarray(np.transpose(slices, order)).reshape(
        [slices.shape[source] for source in order]
    )


@evaluates
def scatter(
    inputs: Sequence[Array],
    scatter_indices: Array,
    updates: Sequence[Array],
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int] = (),
    scatter_indices_batching_dims: Sequence[int] = (),
    scatter_dims_to_operand_dims: Sequence[int] = (),
    index_vector_dim: int = 0,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    *,
    update_computation: Computation,
) -> tuple[Array, ...]:
    shape = inputs[0].shape
    vectors = _index_vectors(scatter_indices, index_vector_dim)
    starts = _starts(
        vectors,
        len(shape),
        scatter_dims_to_operand_dims,
        input_batching_dims,
        scatter_indices_batching_dims,
        index_vector_dim,
    )
    rank = updates[0].ndim
    scatter_dims = [d for d in range(rank) if d not in update_window_dims]
    batch = vectors.shape[:-1]
    window = iter([updates[0].shape[d] for d in update_window_dims])
    dropped = {*inserted_window_dims, *input_batching_dims}
    sizes = [1 if d in dropped else next(window) for d in range(len(shape))]
    positions = _positions(starts, sizes)
    whole = (*batch, *sizes)
    inside = np.ones(whole, np.bool_)
    flat = np.zeros(whole, np.int64)
    for position, dim in zip(positions, shape, strict=True):
        inside &= (position >= 0) & (position < dim)
        flat = flat * dim + np.where((position >= 0) & (position < dim), position, 0)
    order = [*scatter_dims, *update_window_dims]
    chosen = inside.reshape(-1)
    values = [np.transpose(update, order).reshape(-1)[chosen] for update in updates]
    return combined_at(inputs, flat.reshape(-1)[chosen], values, update_computation)


def combined_at(
    inputs: Sequence[Array], targets: Array, updates: Sequence[Array], body: Computation
) -> tuple[Array, ...]:
    """Combine updates one after the other into elements given by flat positions.

    Updates of different elements do not meet, so those that come first of each element are
    applied together, then the second ones, and so on.
    """
    types = destination_types(body, [x.dtype for x in inputs])
    shape = inputs[0].shape
    results = [x.reshape(-1).astype(dtype) for x, dtype in zip(inputs, types, strict=True)]
    updates = [u.astype(dtype) for u, dtype in zip(updates, types, strict=True)]
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    begins = np.flatnonzero(first)
    counts = np.diff(np.append(begins, len(ordered)))
    turn = 0
    while len(begins):
        now = order[begins + turn]
        places = targets[now]
        old = [result[places] for result in results]
        new = results_of(body(*old, *(update[now] for update in updates)))
        for result, value in zip(results, new, strict=True):
            result[places] = value
        turn += 1
        remaining = counts > turn
        begins, counts = begins[remaining], counts[remaining]
    return tuple(result.reshape(shape) for result in results)
