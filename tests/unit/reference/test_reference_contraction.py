"""Products and convolutions of the reference, against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_arrays import Array, same, type_of

from shlo_tools.reference import contraction, convolution, data_movement


def test_dot_general_against_einsum() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.int8, np.int32, np.uint64, np.complex64):
        lhs = rng.integers(-50, 50, (2, 3, 4, 5)).astype(dtype)
        rhs = rng.integers(-50, 50, (5, 2, 6, 3)).astype(dtype)
        with np.errstate(over="ignore"):
            expected = np.einsum("bmkc,cbnm->bkn", lhs, rhs)
        same_value = contraction.dot_general(lhs, rhs, [0], [1], [1, 3], [3, 0])
        assert same_value.dtype == dtype
        np.testing.assert_array_equal(same_value, expected)


def test_dot_general_edges() -> None:
    empty = contraction.dot_general(np.zeros((2, 0)), np.zeros((0, 3)), (), (), [1], [0])
    same(empty, np.zeros((2, 3)))
    ones = np.full((1, 4), 100, np.int8)
    wide = contraction.dot_general(
        ones, ones.T, (), (), [1], [0], result_types=type_of("i32", 1, 1)
    )
    assert wide.tolist() == [[40000]]
    bools = np.array([[True, True]])
    assert contraction.dot_general(bools, bools.T, (), (), [1], [0]).tolist() == [[True]]
    big = np.array([[2**31 - 1, -(2**31)]], np.int32)
    wrapped = contraction.dot_general(big, big.T, (), (), [1], [0])
    exact = (2**31 - 1) ** 2 + 2**62
    assert int(wrapped[0, 0]) == (exact + 2**31) % 2**32 - 2**31


def _convolution_by_definition(lhs: Array, rhs: Array, **p: Any) -> Array:
    """lhs [n, f, h, w], rhs [o, i, h, w] -> [n, o, h, w], one sum at a time."""
    low, high = zip(*p["padding"], strict=True)
    dilated = [step - 1 for step in p["lhs_dilation"]]
    image = data_movement.pad(lhs, np.asarray(0), (0, 0, *low), (0, 0, *high), (0, 0, *dilated))
    kernel = rhs[
        :, :, :: -1 if p["window_reversal"][0] else 1, :: -1 if p["window_reversal"][1] else 1
    ]
    (sh, sw), (dh, dw) = p["window_strides"], p["rhs_dilation"]
    groups, batches = p["feature_group_count"], p["batch_group_count"]
    n, _, height, width = image.shape
    o, i, kh, kw = kernel.shape
    rows, columns = (height - (kh - 1) * dh - 1) // sh + 1, (width - (kw - 1) * dw - 1) // sw + 1
    result = np.zeros((n // batches, o, max(rows, 0), max(columns, 0)), np.int64)
    for b, c, y, x in np.ndindex(*result.shape):
        image_number = b + c // (o // batches) * (n // batches) if batches > 1 else b
        first = c // (o // groups) * i if groups > 1 else 0
        result[b, c, y, x] = sum(
            int(
                image[image_number, first + k, y * sh + u * dh, x * sw + v * dw]
                * kernel[c, k, u, v]
            )
            for k, u, v in np.ndindex(i, kh, kw)
        )
    return result


@pytest.mark.parametrize("seed", range(8))
def test_convolution_against_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, batches = [(1, 1), (2, 1), (1, 2)][seed % 3]
    parameters: dict[str, Any] = {
        "window_strides": rng.integers(1, 3, 2).tolist(),
        "padding": rng.integers(-1, 3, (2, 2)).tolist(),
        "lhs_dilation": rng.integers(1, 3, 2).tolist(),
        "rhs_dilation": rng.integers(1, 3, 2).tolist(),
        "window_reversal": rng.integers(0, 2, 2).astype(bool).tolist(),
        "feature_group_count": features,
        "batch_group_count": batches,
    }
    lhs = rng.integers(-9, 9, (4, 4, 5, 6))
    rhs = rng.integers(-9, 9, (6, 4 // features, 2, 3))
    expected = _convolution_by_definition(lhs, rhs, **parameters)
    # the kernel as [h, o, i, w], the result as [w, n, o, h]
    result = convolution.convolution(
        lhs,
        np.transpose(rhs, [2, 0, 1, 3]),
        input_batch_dimension=0,
        input_feature_dimension=1,
        input_spatial_dimensions=[2, 3],
        kernel_input_feature_dimension=2,
        kernel_output_feature_dimension=1,
        kernel_spatial_dimensions=[0, 3],
        output_batch_dimension=1,
        output_feature_dimension=2,
        output_spatial_dimensions=[3, 0],
        **parameters,
    )
    same(result, np.transpose(expected, [3, 0, 1, 2]).copy())
