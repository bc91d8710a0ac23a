"""Ops that the specification has replaced by others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array, ElementType, TensorType
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import _einsum
from shlo_tools.ops._einsum import Labels
from shlo_tools.ops.contraction import Precision
from shlo_tools.processes import ALONE, Process
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.collectives import all_reduce
from shlo_tools.reference.contraction import dot_general, wide_element
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.data_movement import broadcast as stretched
from shlo_tools.reference.elementwise import add
from shlo_tools.reference.rounding import rounded, widened


@evaluates
def broadcast(operand: Array, broadcast_sizes: Sequence[int]) -> Array:
    first = len(broadcast_sizes)
    shape = (*broadcast_sizes, *operand.shape)
    return stretched(operand, range(first, first + operand.ndim), shape)


@evaluates(name="cross-replica-sum")
def cross_replica_sum(
    operand: Array, replica_groups: Sequence[Sequence[int]], *, process: Process = ALONE
) -> Array:
    return all_reduce([operand], replica_groups, computation=add, process=process)[0]


@evaluates
def dot(
    lhs: Array,
    rhs: Array,
    precision_config: Sequence[Precision] | None = None,
    *,
    result_types: list[TensorType] | None = None,
) -> Array:
    return dot_general(lhs, rhs, (), (), [lhs.ndim - 1], [0], result_types=result_types)


@evaluates
def einsum(lhs: Array, rhs: Array, einsum_config: str, *, result_types: list[TensorType]) -> Array:
    return _summed(einsum_config, [lhs, rhs], result_types[0])


@evaluates
def unary_einsum(operand: Array, einsum_config: str, *, result_types: list[TensorType]) -> Array:
    return _summed(einsum_config, [operand], result_types[0])


def _summed(config: str, operands: Sequence[Array], type: TensorType) -> Array:
    """Diagonals of repeated labels, sums over lone ones, then a dot product of what is left."""
    wide = wide_element(type.element_type)
    equation = _einsum.read(config, [operand.shape for operand in operands], type)
    reduced = []
    for number, (labels, operand) in enumerate(zip(equation.operands, operands, strict=True)):
        stretched = [
            d for d, label in enumerate(labels) if operand.shape[d] != equation.sizes[label]
        ]
        kept = tuple(label for d, label in enumerate(labels) if d not in stretched)
        other = equation.operands[:number] + equation.operands[number + 1 :]
        x = converted(operand, wide).squeeze(tuple(stretched))
        reduced.append(
            _own_sums(kept, x, {*equation.result, *(x for names in other for x in names)})
        )
    labels, result = reduced[0]
    if len(reduced) == 2:
        labels, result = _product(reduced[0], reduced[1], equation.result, wide)
    return _on_diagonals(labels, rounded(result, type.element_type.dtype), equation.result)


Named = tuple[Labels, Array]  # a label for each dimension


def _own_sums(labels: Labels, x: Array, others: set[str]) -> Named:
    """Without repeated labels, and without those that nothing else has."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = [d for d, other in enumerate(labels) if other == label][:2]
            x = np.diagonal(x, axis1=first, axis2=second)
            labels = (*(y for d, y in enumerate(labels) if d not in (first, second)), label)
    alone = tuple(d for d, label in enumerate(labels) if label not in others)
    kept = tuple(label for label in labels if label in others)
    return kept, x.sum(axis=alone, dtype=x.dtype) if alone else x


def _product(lhs: Named, rhs: Named, target: Labels, element: ElementType) -> Named:
    shared = [label for label in lhs[0] if label in rhs[0]]
    batch = [label for label in shared if label in target]
    summed = [label for label in shared if label not in target]
    places = [
        [labels.index(x) for x in group] for group in (batch, summed) for labels in (lhs[0], rhs[0])
    ]
    types = [TensorType((), element)]
    result = dot_general(
        lhs[1], rhs[1], places[0], places[1], places[2], places[3], result_types=types
    )
    free = [label for label in (*lhs[0], *rhs[0]) if label not in shared]
    return (*batch, *free), result


def _on_diagonals(labels: Labels, x: Array, kept_labels: Labels) -> Array:
    """Dimensions in the order wanted; values of a label that repeats lie on a diagonal of zeros."""
    unique = list(dict.fromkeys(kept_labels))
    x = np.transpose(x, [labels.index(label) for label in unique])
    if len(unique) == len(kept_labels):
        return x
    sizes = dict(zip(unique, x.shape, strict=True))
    indices: dict[str, Array] = dict(zip(unique, np.indices(x.shape, sparse=True), strict=True))
    result = rounded(np.zeros([sizes[label] for label in kept_labels]), x.dtype)
    result[tuple(indices[label] for label in kept_labels)] = x
    return result


@evaluates
def torch_index_select(operand: Array, index: Array, dim: int, batch_dims: int) -> Array:
    tail = index.shape[batch_dims:]
    shape = (*operand.shape[:dim], *tail, *operand.shape[dim + 1 :])
    if operand.shape[dim] == 0:
        if math.prod(shape):
            raise UnsupportedError(f"there is nothing along dimension {dim} to select")
        return np.empty(shape, operand.dtype)
    places = np.clip(widened(index), 0, operand.shape[dim] - 1).astype(np.int64)
    batch = operand.shape[:batch_dims]
    rows = [
        np.take(operand[position], places[position], axis=dim - batch_dims)
        for position in np.ndindex(*batch)
    ]
    return np.stack(rows).reshape(shape) if rows else np.empty(shape, operand.dtype)
