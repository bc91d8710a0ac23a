"""Ops that place elements: constants, broadcasts, reshapes, transposes, padding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import ADDRESSES, Array, TensorType
from shlo_tools.errors import ExecutionError
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import rounded


@evaluates
def broadcast_in_dim(
    operand: Array, broadcast_dimensions: Sequence[int], *, result_types: list[TensorType]
) -> Array:
    return broadcast(operand, broadcast_dimensions, result_types[0].static_shape)


def broadcast(operand: Array, dimensions: Sequence[int], shape: Sequence[int]) -> Array:
    """Operand dimension d becomes dimension ``dimensions[d]`` of ``shape``; size 1 stretches."""
    order = sorted(range(operand.ndim), key=lambda d: dimensions[d])
    sizes = [1] * len(shape)
    for d in order:
        sizes[dimensions[d]] = operand.shape[d]
    placed = np.transpose(operand, order).reshape(sizes)
    return np.array(np.broadcast_to(placed, tuple(shape)))


@evaluates
def concatenate(inputs: Sequence[Array], dimension: int) -> Array:
    return np.concatenate(inputs, axis=dimension)


@evaluates
def constant(value: Array) -> Array:
    return value


@evaluates
def iota(iota_dimension: int, *, result_types: list[TensorType]) -> Array:
    type = result_types[0]
    return counted(type.static_shape, iota_dimension, type)


def counted(shape: Sequence[int], dimension: int, type: TensorType) -> Array:
    """0, 1, 2, ... along a dimension; integers wrap, floats round."""
    if shape[dimension] > ADDRESSES:  # numpy's count of so many is wrong
        raise MemoryError
    steps = rounded(np.arange(shape[dimension]), type.element_type.dtype)
    return broadcast(steps, [dimension], shape)


@evaluates
def pad(
    operand: Array,
    padding_value: Array,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
) -> Array:
    sizes: list[int] = []
    slices: list[slice] = []
    placed: list[slice] = []
    rows = zip(operand.shape, edge_padding_low, edge_padding_high, interior_padding, strict=True)
    for size, low, high, interior in rows:
        step = interior + 1
        sizes.append(low + size + max(size - 1, 0) * interior + high)
        if sizes[-1] < 0:
            raise ExecutionError(f"padding takes more than the {size} elements there are")
        first = max(0, -(low // step))  # the first element that is not cut off, and the end
        last = max(first, min(size, -((low - sizes[-1]) // step)))
        slices.append(slice(first, last))
        start = low + first * step
        placed.append(slice(start, start + (last - first) * step, step))
    result = np.full(sizes, padding_value, operand.dtype)
    if all(part.start < part.stop for part in slices):
        result[tuple(placed)] = operand[tuple(slices)]
    return result


@evaluates
def reshape(operand: Array, *, result_types: list[TensorType]) -> Array:
    return reshaped(operand, result_types[0])


def reshaped(operand: Array, type: TensorType) -> Array:
    """The elements in another shape, of which one size may be unknown."""
    known = [size if isinstance(size, int) else -1 for size in type.shape]
    product = math.prod(size for size in known if size >= 0)
    if known.count(-1) > 1 or (-1 in known and product == 0):
        raise ExecutionError(f"the sizes of {type} do not follow from {operand.size} elements")
    if product != operand.size and (-1 not in known or operand.size % product):
        raise ExecutionError(f"{operand.size} elements do not have the shape of {type}")
    return np.reshape(operand, known).copy()


@evaluates
def reverse(operand: Array, dimensions: Sequence[int]) -> Array:
    return np.flip(operand, tuple(dimensions)).copy()


@evaluates
def slice_(
    operand: Array,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
) -> Array:
    rows = zip(start_indices, limit_indices, strides, strict=True)
    return operand[tuple(slice(*row) for row in rows)].copy()


@evaluates
def transpose(operand: Array, permutation: Sequence[int]) -> Array:
    return np.ascontiguousarray(np.transpose(operand, permutation)).reshape(
        [operand.shape[p] for p in permutation]
    )
