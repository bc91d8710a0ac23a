"""Ops whose results have sizes computed at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError
from shlo_tools.ops._signatures import with_parameters_of
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.convolution import convolution
from shlo_tools.reference.data_movement import broadcast, counted, pad, reshaped
from shlo_tools.reference.gather_scatter import gather


def _sizes(values: Array) -> list[int]:
    return [int(value) for value in values]


def _shape(values: Array) -> list[int]:
    """A shape computed by the program."""
    sizes = _sizes(values)
    if any(size < 0 for size in sizes):
        raise ExecutionError(f"shape {sizes} has a negative size")
    return sizes


@evaluates
def dynamic_broadcast_in_dim(
    operand: Array,
    output_dimensions: Array,
    broadcast_dimensions: Sequence[int],
    known_expanding_dimensions: Sequence[int] | None = None,
    known_nonexpanding_dimensions: Sequence[int] | None = None,
) -> Array:
    shape = _shape(output_dimensions)
    for d, axis in enumerate(broadcast_dimensions):
        if operand.shape[d] not in (1, shape[axis]):
            raise ExecutionError(f"(C5) size {operand.shape[d]} does not stretch to {shape[axis]}")
    for d in known_nonexpanding_dimensions or ():
        if operand.shape[d] != shape[broadcast_dimensions[d]]:
            raise ExecutionError(f"dimension {d} is said not to expand, and does")
    return broadcast(operand, broadcast_dimensions, shape)


@evaluates
@with_parameters_of(convolution)
def dynamic_conv(lhs: Array, rhs: Array, padding: Array, **attributes: Any) -> Array:
    return convolution(lhs, rhs, padding=[_sizes(pair) for pair in padding], **attributes)


@evaluates
@with_parameters_of(gather)
def dynamic_gather(
    operand: Array, start_indices: Array, slice_sizes: Array, **attributes: Any
) -> Array:
    sizes = _sizes(slice_sizes)
    dropped = (*attributes["collapsed_slice_dims"], *attributes["operand_batching_dims"])
    for d, (size, dim) in enumerate(zip(sizes, operand.shape, strict=True)):
        if not 0 <= size <= dim:
            raise ExecutionError(f"(C12) slice size {size} of dimension {d}, which has {dim}")
        if d in dropped and size > 1:
            raise ExecutionError(f"(C8) slice size {size} of dimension {d}, which is dropped")
    return gather(operand, start_indices, slice_sizes=sizes, **attributes)


@evaluates
def dynamic_iota(
    output_shape: Array, iota_dimension: int, *, result_types: list[TensorType]
) -> Array:
    return counted(_shape(output_shape), iota_dimension, result_types[0])


@evaluates
def dynamic_pad(
    operand: Array,
    padding_value: Array,
    edge_padding_low: Array,
    edge_padding_high: Array,
    interior_padding: Array,
) -> Array:
    interior = _sizes(interior_padding)
    if any(count < 0 for count in interior):
        raise ExecutionError(f"(C3) interior padding {interior} is negative")
    low, high = _sizes(edge_padding_low), _sizes(edge_padding_high)
    return pad(operand, padding_value, low, high, interior)


@evaluates
def dynamic_reshape(
    operand: Array, output_shape: Array, *, result_types: list[TensorType]
) -> Array:
    return reshaped(operand, result_types[0].with_shape(_shape(output_shape)))


@evaluates
def get_dimension_size(operand: Array, dimension: int) -> Array:
    return np.asarray(operand.shape[dimension]).astype(np.int32)


@evaluates
def real_dynamic_slice(
    operand: Array, start_indices: Array, limit_indices: Array, strides: Array
) -> Array:
    starts, limits, steps = (_sizes(x) for x in (start_indices, limit_indices, strides))
    for d, (start, limit, step) in enumerate(zip(starts, limits, steps, strict=True)):
        if not 0 <= start <= limit <= operand.shape[d] or step <= 0:
            bad = f"start {start}, limit {limit}, stride {step}"
            raise ExecutionError(f"{bad} for dimension {d}, which has {operand.shape[d]}")
    rows = zip(starts, limits, steps, strict=True)
    return operand[tuple(slice(*row) for row in rows)].copy()


@evaluates
def set_dimension_size(operand: Array, size: Array, dimension: int) -> Array:
    count = int(size)
    if not 0 <= count <= operand.shape[dimension]:
        raise ExecutionError(f"size {count} of dimension {dimension} of {operand.shape}")
    return np.take(operand, range(count), axis=dimension)
