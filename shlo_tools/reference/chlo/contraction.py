"""Ragged dot products."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.contraction import dot_general
from shlo_tools.reference.elementwise import add
from shlo_tools.reference.rounding import widened

chlo = evaluates(dialect="chlo")


@chlo
def ragged_dot(
    lhs: Array,
    rhs: Array,
    group_sizes: Array,
    lhs_batching_dimensions: Sequence[int] = (),
    rhs_batching_dimensions: Sequence[int] = (),
    lhs_contracting_dimensions: Sequence[int] = (),
    rhs_contracting_dimensions: Sequence[int] = (),
    lhs_ragged_dimensions: Sequence[int] = (),
    rhs_group_dimensions: Sequence[int] = (),
    *,
    result_types: list[TensorType],
) -> Array:
    ragged = lhs_ragged_dimensions[0]
    batch, depth = lhs_batching_dimensions, lhs_contracting_dimensions

    def product(left: Array, right: Array, kept: list[int]) -> Array:
        """The dot product with the ``kept`` dimensions of rhs."""
        rhs_batch = [kept.index(d) for d in rhs_batching_dimensions]
        rhs_depth = [kept.index(d) for d in rhs_contracting_dimensions]
        return dot_general(
            left, right, batch, rhs_batch, depth, rhs_depth, result_types=result_types
        )

    every = list(range(rhs.ndim))
    if ragged in batch:
        return product(lhs, rhs, every)
    outer = _outer(lhs, ragged, batch, depth)
    groups = [
        _group(lhs, ragged, outer, group_sizes, number) for number in range(group_sizes.shape[-1])
    ]
    if ragged in depth:
        parts = [product(group, rhs, every) for group in groups]
        return np.stack(parts) if parts else _zeros(result_types)
    axis = rhs_group_dimensions[0]
    kept = [d for d in every if d != axis]
    total = _zeros(result_types)
    for number, group in enumerate(groups):
        total = add(total, product(group, np.asarray(np.take(rhs, number, axis=axis)), kept))
    return total


def _zeros(result_types: Sequence[TensorType]) -> Array:
    return np.zeros(result_types[0].static_shape, result_types[0].element_type.dtype)


def _outer(
    lhs: Array, ragged: int, batching: Sequence[int], contracting: Sequence[int]
) -> list[int]:
    """The lhs dimensions that leading dimensions of the group sizes stand for."""
    if ragged in contracting:
        before = list(contracting[: list(contracting).index(ragged)])
    else:
        used = {*batching, *contracting}
        before = [d for d in range(ragged) if d not in used]
    return [*batching, *before]


def _group(lhs: Array, ragged: int, outer: Sequence[int], group_sizes: Array, group: int) -> Array:
    """lhs with zeros outside of a group's rows."""
    ends = np.cumsum(widened(group_sizes).astype(np.int64), axis=-1)
    end = ends[..., group]
    start = end - widened(group_sizes).astype(np.int64)[..., group]
    shape = [1] * lhs.ndim
    for axis, size in zip(outer, end.shape, strict=False):
        shape[axis] = size
    if end.ndim:
        order = np.argsort(outer[: end.ndim])
        start, end = np.transpose(start, order), np.transpose(end, order)
    place_shape = [lhs.shape[ragged] if d == ragged else 1 for d in range(lhs.ndim)]
    place = np.arange(lhs.shape[ragged]).reshape(place_shape)
    inside = (place >= start.reshape(shape)) & (place < end.reshape(shape))
    return np.where(inside, lhs, lhs.dtype.type(0))
