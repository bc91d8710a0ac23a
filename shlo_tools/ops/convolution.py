"""Convolution."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.constraints import as_declared, divides, is_permutation, require, same
from shlo_tools.dtypes import Dim, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Attribute
from shlo_tools.ops._attributes import I64Matrix, Struct
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import require_product, require_weights
from shlo_tools.ops.contraction import Precision
from shlo_tools.ops.traits import Trait
from shlo_tools.ops.windows import dilated, window_count
from shlo_tools.types import Tensor

# Letter of a non-spatial dimension in each part of the attribute -> the spec's name for it.
_LETTERS = (
    {"b": "input_batch_dimension", "f": "input_feature_dimension"},
    {"i": "kernel_input_feature_dimension", "o": "kernel_output_feature_dimension"},
    {"b": "output_batch_dimension", "f": "output_feature_dimension"},
)
_SPATIAL = ("input_spatial_dimensions", "kernel_spatial_dimensions", "output_spatial_dimensions")
_FORM = re.compile(r"conv<\[([^\]]*)\]x\[([^\]]*)\]->\[([^\]]*)\]>")


class ConvolutionDimensionNumbers(Struct):
    """``#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>``: what each dimension is.

    The parts are the input's, the kernel's and the output's dimensions in order: batch, feature,
    input and output feature, or the number of a spatial dimension.
    """

    def encode(self, values: Mapping[str, Any]) -> Attribute:
        parts = []
        for letters, spatial in zip(_LETTERS, _SPATIAL, strict=True):
            places = {values[name]: letter for letter, name in letters.items()}
            places.update((at, str(n)) for n, at in enumerate(values[spatial]))
            if not is_permutation(list(places), len(values[spatial]) + 2):
                raise ConstraintError(f"{', '.join(letters.values())}, {spatial} overlap")
            parts.append(", ".join(places[at] for at in sorted(places)))
        text = f"#stablehlo.{self.mnemonic}<[{parts[0]}]x[{parts[1]}]->[{parts[2]}]>"
        return mlir.parse_attribute(text)

    def decode(self, attribute: Any) -> dict[str, Any]:
        match = _FORM.search(str(attribute))
        if not match:
            raise ConstraintError(f"{attribute} does not name every dimension once")
        values: dict[str, Any] = {}
        for text, letters, spatial in zip(match.groups(), _LETTERS, _SPATIAL, strict=True):
            marks = [mark.strip() for mark in text.split(",")]
            values.update((name, marks.index(letter)) for letter, name in letters.items())
            values[spatial] = tuple(marks.index(str(n)) for n in range(len(marks) - 2))
        return values


CONVOLUTION_DIMENSION_NUMBERS = ConvolutionDimensionNumbers(
    "dimension_numbers",
    "conv",
    tuple(
        field
        for letters, spatial in zip(_LETTERS, _SPATIAL, strict=True)
        for field in (*letters.values(), spatial)
    ),
)


@op(structs=[CONVOLUTION_DIMENSION_NUMBERS], traits=Trait.ARITHMETIC | Trait.QUANTIZED_PER_AXIS)
def convolution(
    lhs: Tensor,
    rhs: Tensor,
    window_strides: Sequence[int] | None = None,
    padding: I64Matrix | None = None,
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
    result_type: TensorType | None = None,
) -> Tensor:
    """Sums of products of the kernel ``rhs`` with every window of ``lhs``.

    Strides and dilations are 1, paddings 0 where they are not given. ``result_type`` gives a
    wider element type to accumulate in, such as i32 for i8 operands.
    """
    spatial = lhs.rank - 2
    ones = [1] * spatial
    strides, base, apart = window_strides or ones, lhs_dilation or ones, rhs_dilation or ones
    edges = padding if padding is not None else [(0, 0)] * spatial
    require("C1", lhs.rank == rhs.rank and spatial >= 0, f"{lhs.type} and {rhs.type}")
    for length, least, counts in (("C2", "C3", strides), ("C5", "C6", base), ("C7", "C8", apart)):
        require(length, len(counts) == spatial, f"{list(counts)} has not {spatial} entries")
        require(least, all(n > 0 for n in counts), f"{list(counts)} holds a number below 1")
    require("C4", len(edges) == spatial, f"padding {list(edges)} has not {spatial} entries")
    fits = window_reversal is None or len(window_reversal) == spatial
    require("C9", fits, f"window_reversal has not {spatial} entries")
    input_dimensions = (input_batch_dimension, *input_spatial_dimensions, input_feature_dimension)
    kernel = (kernel_input_feature_dimension, kernel_output_feature_dimension)
    kernel_dimensions = (*kernel_spatial_dimensions, *kernel)
    output = (output_batch_dimension, *output_spatial_dimensions, output_feature_dimension)
    for label, all_dimensions in (("C13", input_dimensions), ("C18", kernel_dimensions)):
        every_once = is_permutation(all_dimensions, lhs.rank)
        require(label, every_once, f"{all_dimensions} are not the dimensions")
    require("C20", is_permutation(output, lhs.rank), f"{output} are not the dimensions")
    batch = _divided("C10", lhs.shape[input_batch_dimension], batch_group_count)
    features = _divided("C11", lhs.shape[input_feature_dimension], feature_group_count)
    kernel_features = rhs.shape[kernel_input_feature_dimension]
    require(
        "C14",
        same(kernel_features, features),
        f"the kernel takes {kernel_features} features, not {features}",
    )
    output_features = rhs.shape[kernel_output_feature_dimension]
    _divided("C15", output_features, batch_group_count)
    _divided("C16", output_features, feature_group_count)
    require("C23", 1 in (feature_group_count, batch_group_count), "groups of both kinds")
    sizes: dict[int, Dim] = {
        output_batch_dimension: batch,
        output_feature_dimension: output_features,
    }
    windows = zip(input_spatial_dimensions, kernel_spatial_dimensions, strict=True)
    rows = zip(windows, output_spatial_dimensions, strides, edges, base, apart, strict=True)
    for (lhs_dim, rhs_dim), result_dim, stride, (low, high), lhs_apart, rhs_apart in rows:
        extent = low + dilated(lhs.shape[lhs_dim], lhs_apart) + high
        window = dilated(rhs.shape[rhs_dim], rhs_apart)
        sizes[result_dim] = window_count(extent, window, stride)
    element = result_type.element_type if result_type else lhs.element_type
    require_product("C28 C31 C32 C33 C34", lhs, rhs, element)
    require_weights("C29", rhs, [kernel_output_feature_dimension])
    result = lhs.like(shape=[sizes[d] for d in range(lhs.rank)], element_type=element)
    require_weights("C30", result, [output_feature_dimension])
    return as_declared("C25", result, result_type)


def _divided(label: str, size: Dim, count: int) -> Dim:
    require(label, count > 0, f"{count} groups")
    require(label, divides(count, size), f"{size} does not divide into {count} groups")
    return size if count == 1 else size // count
