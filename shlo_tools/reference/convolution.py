"""Convolution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.ops.contraction import Precision
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.contraction import multiplied, wide_element
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.rounding import element_of, rounded
from shlo_tools.reference.windows import padded, window_cells, window_counts


@evaluates
def convolution(
    lhs: Array,
    rhs: Array,
    window_strides: Sequence[int] | None = None,
    padding: Sequence[Sequence[int]] | None = None,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    window_reversal: Sequence[bool] | None = None,
    *,
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Sequence[int],
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Sequence[int],
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Sequence[int],
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    result_types: list[TensorType] | None = None,
) -> Array:
    element = result_types[0].element_type if result_types else element_of(lhs)
    count = lhs.ndim - 2
    ones, none = [1] * count, [(0, 0)] * count
    images = np.transpose(
        converted(lhs, element),
        [*input_spatial_dimensions, input_batch_dimension, input_feature_dimension],
    )
    kernel = np.transpose(
        converted(rhs, element),
        [
            *kernel_spatial_dimensions,
            kernel_input_feature_dimension,
            kernel_output_feature_dimension,
        ],
    )
    flipped = [d for d, reverse in enumerate(window_reversal or ()) if reverse]
    kernel = np.flip(kernel, tuple(flipped))
    edges = [*(padding if padding is not None else none), (0, 0), (0, 0)]
    base = [*(lhs_dilation or ones), 1, 1]
    images = padded(images, np.zeros((), images.dtype), base, edges)
    windows = _Windows(
        kernel.shape[:count], list(window_strides or ones), list(rhs_dilation or ones)
    )
    if batch_group_count > 1:
        image_parts = np.split(images, batch_group_count, axis=-2)
        kernel_parts = np.split(kernel, batch_group_count, axis=-1)
    else:
        image_parts = np.split(images, feature_group_count, axis=-1)
        kernel_parts = np.split(kernel, feature_group_count, axis=-1)
    parts = [
        windows.convolved(image, part)
        for image, part in zip(image_parts, kernel_parts, strict=True)
    ]
    result = rounded(np.concatenate(parts, axis=-1), element.dtype)
    order = np.argsort(
        [*output_spatial_dimensions, output_batch_dimension, output_feature_dimension]
    )
    return np.ascontiguousarray(np.transpose(result, order))


class _Windows:
    """Windows of one size, over images whose last dimensions are batch and feature."""

    def __init__(self, sizes: Sequence[int], strides: list[int], apart: list[int]) -> None:
        self.sizes, self.strides, self.apart = tuple(sizes), strides, apart

    def convolved(self, images: Array, kernel: Array) -> Array:
        """Sums of products in a wider type: a matrix product for each place in the window."""
        batch, features = images.shape[-2:]
        output_features = kernel.shape[-1]
        window, strides, apart = (*self.sizes, 1, 1), [*self.strides, 1, 1], [*self.apart, 1, 1]
        counts = window_counts(images.shape[:-2], self.sizes, self.strides, self.apart)
        wide = wide_element(element_of(images))
        total = np.zeros((*counts, batch, output_features), wide.dtype)
        if 0 in total.shape or 0 in self.sizes or not features:
            return total
        # The window covers one batch and one feature; all of them are taken here.
        whole = images.reshape(*images.shape[:-2], batch * features, 1)
        cells = window_cells(whole, window, strides, apart)
        places = np.ndindex(*self.sizes)
        for cell, place in zip(cells, places, strict=True):
            left = cell.reshape(1, -1, features)
            right = kernel[place].reshape(1, features, output_features)
            with np.errstate(all="ignore"):
                product = multiplied(left, right, wide)
                total = _plus(total, product.reshape(total.shape))
        return total


def _plus(total: Array, more: Array) -> Array:
    return np.asarray(total | more if total.dtype == np.bool_ else total + more)
