"""Functions that place elements do so as in the document's examples and as numpy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, refused

from shlo_tools.ops import xla

# The document's array of Collapse and Reshape.
V = np.array(
    [
        [[row + column, row + column + 1, row + column + 2] for column in (0, 5)]
        for row in (10, 20, 30, 40)
    ],
    np.float32,
)
M = np.arange(12, dtype=np.float32).reshape(4, 3)


# --- shapes ---------------------------------------------------------------------------------------
def test_broadcast_adds_dimensions_on_the_left() -> None:
    check(lambda x: xla.Broadcast(x, (5, 2)), (M,), np.broadcast_to(M, (5, 2, 4, 3)))
    check(lambda: xla.Broadcast(np.float32(2), (2, 3)), (), np.full((2, 3), 2, np.float32))


def test_broadcast_in_dim() -> None:
    expected = np.broadcast_to(M.reshape(4, 1, 3), (4, 2, 3))
    check(lambda x: xla.BroadcastInDim(x, (4, 2, 3), (0, 2)), (M,), expected)
    column = M[:, :1]
    check(
        lambda x: xla.BroadcastInDim(x, (4, 3), (0, 1)), (column,), np.broadcast_to(column, (4, 3))
    )
    assert "does not stretch" in refused(lambda x: xla.BroadcastInDim(x, (4, 5), (0, 1)), "4x3xf32")


@pytest.mark.parametrize(
    ("dimensions", "shape"),
    [
        ((0, 1, 2), (24,)),
        ((0, 1), (8, 3)),
        ((1, 2), (4, 6)),
        ((1,), (4, 2, 3)),
        ((), (4, 2, 3)),
    ],
)
def test_collapse(dimensions: tuple[int, ...], shape: tuple[int, ...]) -> None:
    check(lambda x: xla.Collapse(x, dimensions), (V,), V.reshape(shape))


@pytest.mark.parametrize("dimensions", [(1, 0), (0, 2), (1, 1), (2, 3), (-1, 0)])
def test_dimensions_that_do_not_collapse(dimensions: tuple[int, ...]) -> None:
    reason = refused(lambda x: xla.Collapse(x, dimensions), "4x2x3xf32")
    assert f"Collapse: dimensions {list(dimensions)} are not" in reason


@pytest.mark.parametrize("new_sizes", [(24,), (8, 3), (2, 6, 2)])
def test_reshape_in_order_and_out_of_order(new_sizes: tuple[int, ...]) -> None:
    check(lambda x: xla.Reshape(x, new_sizes), (V,), V.reshape(new_sizes))
    check(lambda x: xla.Reshape(x, (0, 1, 2), new_sizes), (V,), V.reshape(new_sizes))
    check(
        lambda x: xla.Reshape(x, (1, 2, 0), new_sizes),
        (V,),
        V.transpose(1, 2, 0).reshape(new_sizes),
    )


def test_reshape_of_one_element() -> None:
    five = np.array([[5]], np.float32)
    check(lambda x: xla.Reshape(x, (0, 1), ()), (five,), np.float32(5))
    check(lambda x: xla.Reshape(x, (), (1, 1)), (np.float32(5),), five)


@pytest.mark.parametrize("sizes", [((5,),), ((0, 0), (12,)), ((0,), (12,)), ()])
def test_reshapes_that_are_none(sizes: Any) -> None:
    assert refused(lambda x: xla.Reshape(x, *sizes), "4x3xf32")


def test_transpose_and_rev() -> None:
    check(lambda x: xla.Transpose(x, (2, 0, 1)), (V,), V.transpose(2, 0, 1))
    check(lambda x: xla.Rev(x, (0, 2)), (V,), V[::-1, :, ::-1])
    assert "C2" in refused(lambda x: xla.Transpose(x, (0, 0, 1)), "4x2x3xf32")
    assert "C2" in refused(lambda x: xla.Rev(x, (1, 1)), "4x2x3xf32")


# --- parts ----------------------------------------------------------------------------------------
def test_slice() -> None:
    a = np.arange(5, dtype=np.float32)
    check(lambda x: xla.Slice(x, (2,), (4,)), (a,), a[2:4])
    check(lambda x: xla.Slice(x, (2, 1), (4, 3)), (M,), M[2:4, 1:3])
    check(lambda x: xla.Slice(x, (0, 0), (4, 3), (2, 2)), (M,), M[::2, ::2])
    check(lambda x: xla.SliceInDim(x, 1, 3, 2, 1), (M,), M[:, 1:3:2])
    assert "C3" in refused(lambda x: xla.Slice(x, (0, 2), (4, 4)), "4x3xf32")
    assert "no dimension 2" in refused(lambda x: xla.SliceInDim(x, 0, 1, 1, 2), "4x3xf32")


def test_concatenate() -> None:
    a, b = np.array([[1, 2], [3, 4], [5, 6]], np.int32), np.array([[7, 8]], np.int32)
    check(lambda x, y: xla.Concatenate([x, y], 0), (a, b), np.concatenate([a, b]))
    check(lambda x: xla.ConcatInDim([x, [[9], [9], [9]]], 1), (a,), np.insert(a, 2, 9, axis=1))
    check(lambda: xla.Concatenate([[2, 3], [4, 5]], 0), (), np.array([2, 3, 4, 5]))
    assert "C4" in refused(lambda x: xla.Concatenate([x, x], 0), "f32")
    assert "C3" in refused(lambda: xla.Concatenate([], 0))


def test_pad() -> None:
    expected = np.full((6, 6), -1, np.float32)
    expected[1:5, 0:5:2] = M
    config = xla.PaddingConfig(
        (xla.PaddingConfigDimension(1, 1), xla.PaddingConfigDimension(0, 1, 1))
    )
    for written in (config, [(1, 1), (0, 1, 1)], config.dimensions):
        check(lambda x, p=written: xla.Pad(x, -1, p), (M,), expected)
    check(lambda x: xla.Pad(x, 0, [(-1, 0), (0, -2)]), (M,), M[1:, :1])
    check(lambda x: xla.PadInDim(x, 0, 1, -1, 2), (M,), np.pad(M, ((0, 0), (0, 2)))[:, 1:])


def test_paddings_that_are_none() -> None:
    assert "not (low, high)" in refused(lambda x: xla.Pad(x, 0, [(1,), (1,)]), "4x3xf32")
    assert "C2" in refused(lambda x: xla.Pad(x, 0, [(1, 1)]), "4x3xf32")
    assert "C3" in refused(lambda x: xla.Pad(x, 0, [(0, 0, -1), (0, 0)]), "4x3xf32")
    assert "no dimension 2" in refused(lambda x: xla.PadInDim(x, 0, 2, 1, 1), "4x3xf32")


# --- choices --------------------------------------------------------------------------------------
def test_clamp() -> None:
    a = np.array([-1, 5, 9], np.int32)
    check(lambda x: xla.Clamp(0, x, 6), (a,), np.array([0, 5, 6], np.int32))
    check(lambda x: xla.Clamp([0, 6, 0], x, 7), (a,), np.array([0, 6, 7], np.int32))


def test_select() -> None:
    mask = np.array([True, False, False, True])
    a, b = np.array([1, 2, 3, 4], np.int32), np.array([100, 200, 300, 400], np.int32)
    check(xla.Select, (mask, a, b), np.where(mask, a, b))
    check(lambda x, y: xla.Select(True, x, y), (a, b), a)
    check(lambda x: xla.Select([True, False, False, True], x, 0), (a,), np.where(mask, a, 0))
    check(lambda x: xla.Select(False, 7, x), (a,), a)


def test_select_between_tuples() -> None:
    a, b = np.array([1, 2], np.int32), np.array([1.5], np.float32)
    for flag in (True, False):
        check(
            lambda p, x, y: xla.Select(p, (x, y), (xla.Neg(x), xla.Neg(y))),
            (flag, a, b),
            (a, b) if flag else (-a, -b),
        )
    check(lambda x: xla.Select(False, xla.Tuple(x, x), (x, xla.Neg(x))), (a,), (a, -a))
    assert "chosen by a scalar" in refused(lambda p, x: xla.Select(p, (x,), (x,)), "2xi1", "2xf32")
    assert "as many values" in refused(lambda p, x: xla.Select(p, (x, x), (x,)), "i1", "2xf32")
    assert "as many values" in refused(lambda p, x: xla.Select(p, (x, x), x), "i1", "2xf32")
