"""Products compute what numpy does, and contract what the document says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, close, refused

from shlo_tools.ops import xla

RNG = np.random.default_rng(1)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 5))
V = RNG.normal(size=4)


@pytest.mark.parametrize(("a", "b"), [(V, V), (A, V), (A, B), (V, B)])
def test_dot(a: Any, b: Any) -> None:
    close(xla.Dot, (a, b), a @ b)


def test_dot_of_scalars_and_of_other_sizes() -> None:
    assert "vectors and matrices are wanted" in refused(xla.Dot, "f32", "3xf32")
    assert "C10" in refused(xla.Dot, "2x3xf32", "4x5xf32")


def test_dot_general_of_the_document() -> None:
    lhs = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    rhs = np.array([[1, 1, 1], [2, 2, 2]], np.float32)
    numbers = xla.DotDimensionNumbers((1,), (1,))
    expected = np.array([[6, 12], [15, 30]], np.float32)
    check(lambda a, b: xla.DotGeneral(a, b, numbers), (lhs, rhs), expected)


def test_dot_general_of_a_batch() -> None:
    a, b = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 4, 5))
    numbers = xla.DotDimensionNumbers((2,), (1,), (0,), (0,))
    close(lambda x, y: xla.DotGeneral(x, y, numbers), (a, b), a @ b)
    assert "C5" in refused(
        lambda x: xla.DotGeneral(x, x, xla.DotDimensionNumbers((), (), (7,), (0,))), "2x3xf32"
    )


def test_a_wider_element_type() -> None:
    a = np.full((2, 300), 100, np.int8)
    expected = np.full(2, 3_000_000, np.int32)
    check(lambda x: xla.Dot(x, x[0], preferred_element_type="s32"), (a,), expected)
    assert "C6" in refused(
        lambda x: xla.DotGeneral(
            x, x, xla.DotDimensionNumbers((7,), (0,)), preferred_element_type="s32"
        ),
        "3xi8",
    )


@pytest.mark.parametrize(
    ("config", "a", "b"),
    [
        ("ij,jk->ik", (3, 4), (4, 5)),
        ("ij,jk->ki", (3, 4), (4, 5)),
        ("ij,jk", (3, 4), (4, 5)),
        ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("bij,bjk->kib", (2, 3, 4), (2, 4, 5)),
        ("i,j->ji", (3,), (4,)),
        ("ij,ij->", (3, 4), (3, 4)),
        ("ij,k->jk", (3, 4), (5,)),  # i is summed over in one operand
        ("iij,j->i", (3, 3, 4), (4,)),  # a diagonal
        ("ii,->", (3, 3), ()),
        (" ab , b -> a ", (3, 4), (4,)),
    ],
)
def test_einsum(config: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = RNG.normal(size=a), RNG.normal(size=b)
    close(lambda p, q: xla.Einsum(p, q, config), (x, y), np.asarray(np.einsum(config, x, y)))


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("ij", "is not understood"),
        ("ij,jk->ii", "is not understood"),
        ("i1,jk->ik", "is not understood"),
        ("ij,jk->il", "has no dimension ['l']"),
        ("ijk,jk->i", "names 3 dimensions"),
        ("ij,ik->jk", "'i' has sizes 3 and 4"),
    ],
)
def test_einsums_that_are_none(config: str, reason: str) -> None:
    assert reason in refused(lambda p, q: xla.Einsum(p, q, config), "3x4xf32", "4x5xf32")


def test_ragged_dot() -> None:
    """Each group of rows meets a matrix of its own; rows beyond the groups give 0."""
    rows, matrices = RNG.normal(size=(6, 4)), RNG.normal(size=(2, 4, 3))
    sizes = np.array([2, 3], np.int32)
    numbers = xla.RaggedDotDimensionNumbers(xla.DotDimensionNumbers((1,), (1,)), (0,), (0,))
    parts = [rows[:2] @ matrices[0], rows[2:5] @ matrices[1], np.zeros((1, 3))]
    close(
        lambda a, b, n: xla.RaggedDot(a, b, n, numbers),
        (rows, matrices, sizes),
        np.concatenate(parts),
    )
    assert "C1" in refused(
        lambda a, b: xla.RaggedDot(
            a, b, [1], xla.RaggedDotDimensionNumbers(numbers.dot_dimension_numbers)
        ),
        "6x4xf32",
        "2x4x3xf32",
    )
