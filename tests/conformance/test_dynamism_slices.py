"""Dynamic slices, padding and convolutions: where they read is known at run time only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases._case import type_of
from dynamic_ops import A, Array, check_op, ints, program_of, refuse, with_constants

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ShapeMismatchError


# --- slices ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("starts", "limits", "strides"),
    [
        ((0, 0), (3, 4), (1, 1)),
        ((1, 1), (3, 4), (1, 2)),
        ((0, 0), (3, 4), (2, 3)),
        ((2, 3), (3, 4), (7, 2**62)),
        ((1, 0), (1, 4), (1, 1)),
        ((3, 4), (3, 4), (1, 1)),
    ],
)
def test_real_dynamic_slice(
    starts: tuple[int, int], limits: tuple[int, int], strides: tuple[int, int]
) -> None:
    rows, columns = (slice(*row) for row in zip(starts, limits, strides, strict=True))
    check_op(
        "real_dynamic_slice", [A, ints(*starts), ints(*limits), ints(*strides)], A[rows, columns]
    )


def test_real_dynamic_slice_moves_at_run_time() -> None:
    vector = np.arange(10, dtype=np.int32)
    good = [vector, ints(2), ints(6), ints(2)]
    executable = shlo_tools.compile(program_of("real_dynamic_slice", good, "tensor<2xi32>"))
    for start, limit, stride in ((0, 2, 1), (8, 10, 1), (0, 10, 5), (1, 4, 2), (9, 10, 1)):
        count = len(range(start, limit, stride))
        if count == 2:
            got = executable(vector, ints(start), ints(limit), ints(stride))
            np.testing.assert_array_equal(got, vector[start:limit:stride])
        else:
            with pytest.raises(ShapeMismatchError):
                executable(vector, ints(start), ints(limit), ints(stride))


def test_real_dynamic_slice_refuses_what_is_outside() -> None:
    vector = np.arange(10, dtype=np.int32)
    rows = [(-1, 1, 1), (9, 11, 1), (4, 2, -1), (2, 4, 0), (2, 4, -1), (0, 3, 1), (5, 4, 1)]
    rows += [(0, 2**63 - 1, 2**62), (-(2**63), 2, 2**62), (2**62, 2**62 + 2, 1)]
    bad = [[vector, ints(a), ints(b), ints(c)] for a, b, c in rows]
    refuse("real_dynamic_slice", [vector, ints(2), ints(4), ints(1)], bad, "tensor<2xi32>")


GATHER = (
    "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],"
    " start_index_map = [0, 1], index_vector_dim = 1>"
)


def test_gather() -> None:
    """Starts are clamped as in ``gather``."""
    places = np.array([[0, 0], [2, 2], [1, 1], [-5, 9]], np.int64)
    expected = np.array([A[0, 0:2], A[2, 2:4], A[1, 1:3], A[0, 2:4]])
    for sizes in (ints(1, 2), ints(1, 2, dtype=np.uint8)):
        operands = [A, places, sizes]
        got = shlo_tools.compile(program_of("dynamic_gather", operands, type_of(expected), GATHER))
        np.testing.assert_array_equal(got(*operands), expected)
    fixed = program_of("dynamic_gather", [A, places, ints(1, 2)], type_of(expected), GATHER)
    np.testing.assert_array_equal(reference.compile(fixed)(A, places, ints(1, 2)), expected)


def test_gather_refuses_other_sizes() -> None:
    places = np.array([[0, 0], [2, 2]], np.int64)
    bad = [[A, places, ints(*s)] for s in ((2, 2), (1, 1), (1, 3), (-1, 2), (1, -2), (1, 2**40))]
    refuse("dynamic_gather", [A, places, ints(1, 2)], bad, "tensor<2x2xf32>", GATHER)


def test_gather_of_nothing() -> None:
    """There is no element to take, whatever the sizes say."""
    empty, places = np.zeros((0,), np.float32), np.zeros((3, 1), np.int64)
    attributes = (
        "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],"
        " start_index_map = [0], index_vector_dim = 1>"
    )
    text = program_of("dynamic_gather", [empty, places, ints(0)], "tensor<3xf32>", attributes)
    executable = shlo_tools.compile(text)
    for size in (0, 1):
        with pytest.raises(ShapeMismatchError):
            executable(empty, places, ints(size))


# --- padding --------------------------------------------------------------------------------------
def _padded(
    x: Array, value: Any, low: Sequence[int], high: Sequence[int], gap: Sequence[int]
) -> Array:
    """By single elements: result position p holds element (p - low) / (gap + 1)."""
    rows = zip(x.shape, low, high, gap, strict=True)
    shape = [a + n + max(n - 1, 0) * g + b for n, a, b, g in rows]
    result = np.full(shape, value, x.dtype)
    for place in np.ndindex(*x.shape):
        at = tuple(a + i * (g + 1) for i, a, g in zip(place, low, gap, strict=True))
        if all(0 <= p < n for p, n in zip(at, shape, strict=True)):
            result[at] = x[place]
    return result


PADDINGS = [
    ((0, 0), (0, 0), (0, 0)),
    ((0, 1), (2, 1), (1, 2)),  # the specification's example
    ((2, 3), (1, 0), (0, 0)),
    ((-1, 1), (0, -2), (0, 0)),
    ((-1, -4), (-1, 5), (2, 1)),
    ((-3, 0), (0, 0), (0, 3)),
    ((5, 0), (-8, 0), (0, 0)),
    ((-9, 0), (9, 0), (1, 0)),
]


@pytest.mark.parametrize(("low", "high", "gap"), PADDINGS)
@pytest.mark.parametrize("x", [A, np.zeros((0, 4), np.float32), A[:1]])
def test_pad(x: Array, low: tuple[int, int], high: tuple[int, int], gap: tuple[int, int]) -> None:
    rows = zip(x.shape, low, high, gap, strict=True)
    if any(a + n + max(n - 1, 0) * g + b < 0 for n, a, b, g in rows):
        pytest.skip("its size would be negative")
    value = np.array(-5, np.float32)
    operands = [x, value, ints(*low), ints(*high), ints(*gap)]
    expected = _padded(x, value, low, high, gap)
    text = program_of("dynamic_pad", operands, type_of(expected))
    executable = shlo_tools.compile(text)
    np.testing.assert_array_equal(executable(*operands), expected)
    np.testing.assert_array_equal(reference.compile(text)(*operands), expected)
    if x.size:
        fixed = shlo_tools.compile(with_constants("dynamic_pad", operands, type_of(expected)))
        np.testing.assert_array_equal(fixed(x), expected)


def test_pad_moves_at_run_time() -> None:
    """One program, many paddings of the same total."""
    vector, value = np.arange(1, 6, dtype=np.int32), np.array(0, np.int32)
    good = [vector, value, ints(0), ints(4), ints(0)]
    executable = shlo_tools.compile(program_of("dynamic_pad", good, "tensor<9xi32>"))
    for low in (-20, -9, -5, -4, -1, 0, 1, 4, 5, 9, 20):
        for gap in (0, 1, 2, 5):
            high = 9 - low - 5 - 4 * gap
            got = executable(vector, value, ints(low), ints(high), ints(gap))
            np.testing.assert_array_equal(got, _padded(vector, 0, [low], [high], [gap]))


def test_pad_refuses_other_sizes() -> None:
    """Sums that are right only modulo 2^64 are not right."""
    vector, value = np.arange(5, dtype=np.int32), np.array(0, np.int32)
    rows = [(0, 5, 0), (1, 4, 0), (-1, 4, 0), (0, 8, -1), (12, 0, -2), (0, 0, 2**62)]
    rows += [(2, 2, 2**62), (2**63 - 1, 2**63 - 1, 0)]
    bad = [[vector, value, ints(a), ints(b), ints(c)] for a, b, c in rows]
    good = [vector, value, ints(2), ints(2), ints(0)]
    refuse("dynamic_pad", good, bad, "tensor<9xi32>")


def test_unsigned_amounts_do_not_wrap() -> None:
    """2^64 - 2 elements before are not -2."""
    vector, value = np.arange(5, dtype=np.int32), np.array(0, np.int32)
    good = [vector, value, *(ints(n, dtype=np.uint64) for n in (2, 2, 0))]
    bad = [[vector, value, *(ints(n, dtype=np.uint64) for n in (2**64 - 2, 6, 0))]]
    refuse("dynamic_pad", good, bad, "tensor<9xi32>")


# --- convolutions ---------------------------------------------------------------------------------
def _convolution(
    x: Array, kernel: Array, padding: Array, result: str, stride: int, dilation: int, form: str
) -> str:
    numbers = (
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,"
        " feature_group_count = 1 : i64, batch_group_count = 1 : i64,"
        f" window_strides = array<i64: {stride}, 1>, lhs_dilation = array<i64: {dilation}, 1>"
    )
    if form == "dynamic_conv":
        return program_of("dynamic_conv", [x, kernel, padding], result, numbers)
    numbers += f", padding = dense<{padding.tolist()}> : tensor<2x2xi64>"
    return program_of("convolution", [x, kernel], result, numbers)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dilation", [1, 3])
def test_conv(stride: int, dilation: int) -> None:
    """One program with several paddings equals static convolutions; whole numbers are exact."""
    random = np.random.default_rng(3)
    x = random.integers(-4, 5, (2, 5, 4, 3)).astype(np.float32)
    kernel = random.integers(-4, 5, (2, 3, 3, 2)).astype(np.float32)
    height = (5 - 1) * dilation + 1
    count = (height + 2 - 2) // stride + 1
    result = f"tensor<2x{count}x4x2xf32>"
    run = None
    for low in ([1, 1], [0, 2], [2, 0], [-1, 3], [-2, -1], [4, 4]):
        padding = np.array([[low[0], 2 - low[0]], [low[1], 2 - low[1]]], np.int64)
        text = _convolution(x, kernel, padding, result, stride, dilation, "dynamic_conv")
        run = run or shlo_tools.compile(text)
        static = _convolution(x, kernel, padding, result, stride, dilation, "convolution")
        expected = reference.compile(static)(x, kernel)
        np.testing.assert_array_equal(run(x, kernel, padding), expected)


def test_conv_with_constant_padding() -> None:
    x, kernel = np.ones((1, 4, 4, 1), np.float32), np.ones((3, 3, 1, 1), np.float32)
    padding = np.array([[1, 1], [0, 2]], np.int64)
    text = _convolution(x, kernel, padding, "tensor<1x4x4x1xf32>", 1, 1, "dynamic_conv")
    fixed = text.replace(", %a2: tensor<2x2xi64>)", ")").replace(
        "%0 =", f"%a2 = stablehlo.constant dense<{padding.tolist()}> : tensor<2x2xi64>\n%0 ="
    )
    expected = np.array([[6, 6, 4, 2], [9, 9, 6, 3], [9, 9, 6, 3], [6, 6, 4, 2]], np.float32)
    np.testing.assert_array_equal(shlo_tools.compile(fixed)(x, kernel)[0, :, :, 0], expected)
    np.testing.assert_array_equal(
        shlo_tools.compile(text)(x, kernel, padding)[0, :, :, 0], expected
    )


def test_conv_refuses_other_sizes() -> None:
    x, kernel = np.ones((1, 4, 4, 1), np.float32), np.ones((3, 3, 1, 1), np.float32)
    good = np.array([[1, 1], [1, 1]], np.int64)
    text = _convolution(x, kernel, good, "tensor<1x4x4x1xf32>", 1, 1, "dynamic_conv")
    executable = shlo_tools.compile(text)
    expected = executable(x, kernel, good)
    for pair in ((0, 0), (1, 2), (-9, 2), (2**63 - 1, 3), (3, 2**62)):
        with pytest.raises(
            ShapeMismatchError, match=r"stablehlo\.dynamic_conv: .* = -?\d+( is more than \d+)?$"
        ):
            executable(x, kernel, np.array([pair, (1, 1)], np.int64))
        np.testing.assert_array_equal(executable(x, kernel, good), expected)
