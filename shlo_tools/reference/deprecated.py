"""Ops that the specification has replaced by others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, ElementType, TensorType
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops.contraction import Precision
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.collectives import all_reduce
from shlo_tools.reference.contraction import dot_general, wide_element
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.data_movement import broadcast as stretched
from shlo_tools.reference.elementwise import add
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.processes import ALONE, Process
from shlo_tools.reference.rounding import rounded, widened


@evaluates
def broadcast(operand: Array, broadcast_sizes: Sequence[int]) -> Array:
    first = len(broadcast_sizes)
    shape = (*broadcast_sizes, *operand.shape)
    return stretched(operand, range(first, first + operand.ndim), shape)


@evaluates
def create_token() -> Any:
    return TOKEN


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
    """Diagonals of repeated letters, sums over lone ones, then a dot product of what is left."""
    element = type.element_type
    wide = wide_element(element)
    sides, _, wanted = config.replace(" ", "").partition("->")
    texts = sides.split(",")
    if "." in config or (not wanted.isalpha() and wanted) or len(texts) != len(operands):
        raise UnsupportedError(f"einsum_config {config!r} is not supported")
    reduced = []
    for number, (text, operand) in enumerate(zip(texts, operands, strict=True)):
        others = {*wanted, *"".join(texts[:number] + texts[number + 1 :])}
        reduced.append(_own_sums(text, converted(operand, wide), others))
    letters, result = reduced[0]
    if len(reduced) == 2:
        letters, result = _product(reduced[0], reduced[1], wanted, wide)
    return rounded(np.transpose(result, [letters.index(x) for x in wanted]), element.dtype)


Named = tuple[str, Array]  # a letter for each dimension


def _own_sums(text: str, x: Array, others: set[str]) -> Named:
    """Without repeated letters, and without those that nothing else has."""
    for letter in dict.fromkeys(text):
        while text.count(letter) > 1:
            first = text.index(letter)
            second = text.index(letter, first + 1)
            x = np.diagonal(x, axis1=first, axis2=second)
            text = text[:first] + text[first + 1 : second] + text[second + 1 :] + letter
    alone = tuple(d for d, letter in enumerate(text) if letter not in others)
    kept = "".join(letter for letter in text if letter in others)
    return kept, x.sum(axis=alone, dtype=x.dtype) if alone else x


def _product(lhs: Named, rhs: Named, wanted: str, element: ElementType) -> Named:
    shared = [letter for letter in lhs[0] if letter in rhs[0]]
    batch = [letter for letter in shared if letter in wanted]
    summed = [letter for letter in shared if letter not in wanted]
    places = [
        [text.index(x) for x in group] for group in (batch, summed) for text in (lhs[0], rhs[0])
    ]
    types = [TensorType((), element)]
    result = dot_general(
        lhs[1], rhs[1], places[0], places[1], places[2], places[3], result_types=types
    )
    free = [x for text in (lhs[0], rhs[0]) for x in text if x not in shared]
    return "".join((*batch, *free)), result


@evaluates
def torch_index_select(operand: Array, index: Array, dim: int, batch_dims: int) -> Array:
    places = np.clip(widened(index), 0, max(operand.shape[dim] - 1, 0)).astype(np.int64)
    batch = operand.shape[:batch_dims]
    taken = [
        np.take(operand[position], places[position], axis=dim - batch_dims)
        for position in np.ndindex(*batch)
    ]
    tail = index.shape[batch_dims:]
    shape = (*operand.shape[:dim], *tail, *operand.shape[dim + 1 :])
    return np.stack(taken).reshape(shape) if taken else np.empty(shape, operand.dtype)
