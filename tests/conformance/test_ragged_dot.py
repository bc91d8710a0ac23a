"""``chlo.ragged_dot`` in its three modes, against one product per group in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Array, Case, snippet, type_of
from cases._tolerances import Within

generator = np.random.default_rng(0)
SIZES = np.array([2, 0, 3, 1], np.int32)  # two rows of eight are in no group
BATCHED_SIZES = np.array([[2, 0, 3, 1], [4, 4, 0, 0]], np.int64)


def _normal(*shape: int) -> Array:
    return np.asarray(generator.normal(size=shape), np.float32)


CLOSE = Within(2e-6, 1e-6)  # sums of at most eight products of order 1


def _ragged_dot(
    operands: Sequence[Array],
    expected: Array,
    ragged: int,
    groups: Sequence[int],
    precision: str = "",
    **axes: Any,
) -> Case:
    axes |= {"lhs_ragged_dimensions": [ragged], "rhs_group_dimensions": list(groups)}
    numbers = ", ".join(f"{name} = {value}" for name, value in axes.items())
    types = ", ".join(type_of(array) for array in operands)
    attribute = f"ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>{precision}"
    result = type_of(expected.astype(np.float32))
    text = f'%out0 = "chlo.ragged_dot"(%in0, %in1, %in2) {{{attribute}}} : ({types}) -> {result}'
    return snippet(f"ragged_dot {numbers}", text, operands, [expected], CLOSE, [result])


def _groups(sizes: Array) -> list[slice]:
    ends = np.cumsum(sizes)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True)]


def test_rows_meet_the_matrix_of_their_group() -> None:
    x, matrices = _normal(8, 3), _normal(4, 3, 5)
    matrices[1] = np.inf  # its group is empty
    expected = np.zeros((8, 5))
    for rows, matrix in zip(_groups(SIZES), matrices, strict=True):
        expected[rows] = x[rows] @ matrix if rows.stop > rows.start else 0
    axes = {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [1]}
    check([_ragged_dot([x, matrices, SIZES], expected, 0, [0], **axes)])


@pytest.mark.parametrize(
    "precision", ["[]", "[#chlo<precision DEFAULT>, #chlo<precision HIGHEST>]"]
)
def test_precisions(precision: str) -> None:
    x, matrix = _normal(8, 3), _normal(1, 3, 5)
    axes = {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [1]}
    written = f", precision_config = {precision}"
    sizes = np.array([8], np.int32)
    check([_ragged_dot([x, matrix, sizes], x @ matrix[0], 0, [0], written, **axes)])


@pytest.mark.parametrize("sizes", [SIZES, BATCHED_SIZES])
def test_rows_in_batches(sizes: Array) -> None:
    x, matrices = _normal(2, 8, 3), _normal(4, 2, 3, 5)
    expected = np.zeros((2, 8, 5))
    for batch in range(2):
        for group, rows in enumerate(_groups(np.broadcast_to(sizes, (2, 4))[batch])):
            expected[batch, rows] = x[batch, rows] @ matrices[group, batch]
    axes = {
        "lhs_batching_dimensions": [0],
        "rhs_batching_dimensions": [1],
        "lhs_contracting_dimensions": [2],
        "rhs_contracting_dimensions": [2],
    }
    check([_ragged_dot([x, matrices, sizes], expected, 1, [0], **axes)])


def test_sums_over_each_group() -> None:
    x, y = _normal(8, 3), _normal(8, 5)
    expected = np.stack([x[rows].T @ y[rows] for rows in _groups(SIZES)])
    axes = {"lhs_contracting_dimensions": [0], "rhs_contracting_dimensions": [0]}
    check([_ragged_dot([x, y, SIZES], expected, 0, [], **axes)])


@pytest.mark.parametrize("sizes", [SIZES, BATCHED_SIZES])
def test_sums_in_batches(sizes: Array) -> None:
    x, y = _normal(2, 8, 3), _normal(2, 8, 5)
    expected = np.zeros((4, 2, 3, 5))
    for batch in range(2):
        for group, rows in enumerate(_groups(np.broadcast_to(sizes, (2, 4))[batch])):
            expected[group, batch] = x[batch, rows].T @ y[batch, rows]
    axes = {
        "lhs_batching_dimensions": [0],
        "rhs_batching_dimensions": [0],
        "lhs_contracting_dimensions": [1],
        "rhs_contracting_dimensions": [1],
    }
    check([_ragged_dot([x, y, sizes], expected, 1, [], **axes)])


def test_ragged_batches_change_nothing() -> None:
    x, y = _normal(6, 8, 3), _normal(6, 3, 5)
    axes = {
        "lhs_batching_dimensions": [0],
        "rhs_batching_dimensions": [0],
        "lhs_contracting_dimensions": [2],
        "rhs_contracting_dimensions": [1],
    }
    check([_ragged_dot([x, y, SIZES], x @ y, 0, [], **axes)])
