"""Convolutions.

Source: XLA's operation semantics, "Conv" and "ConvWithGeneralPadding".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from shlo_tools.errors import ShloError
from shlo_tools.ops import Precision
from shlo_tools.ops._signatures import rule_of
from shlo_tools.ops.convolution import convolution
from shlo_tools.ops.xla.arguments import integers, xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensors_of
from shlo_tools.ops.xla.padding import PaddingLike, edges
from shlo_tools.ops.xla.shapes import PrimitiveType, primitive_type
from shlo_tools.types import Tensor


@dataclass(frozen=True)
class ConvolutionDimensionNumbers:
    """What each dimension of a convolution's operands and result is.

    The defaults of ``CreateDefaultConvDimensionNumbers`` are batch, feature and spatial ones of
    the input and of the output, output feature, input feature and spatial ones of the kernel.

    Attributes:
        input_batch_dimension: counts the inputs.
        input_feature_dimension: counts the features of a place.
        input_spatial_dimensions: those that the window moves along.
        kernel_input_feature_dimension: counts the features of the input, of one group.
        kernel_output_feature_dimension: counts the features of the output.
        kernel_spatial_dimensions: those of the window.
        output_batch_dimension: counts the outputs.
        output_feature_dimension: counts their features.
        output_spatial_dimensions: count the places of the window.
    """

    input_batch_dimension: int
    input_feature_dimension: int
    input_spatial_dimensions: tuple[int, ...]
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    kernel_spatial_dimensions: tuple[int, ...]
    output_batch_dimension: int
    output_feature_dimension: int
    output_spatial_dimensions: tuple[int, ...]


def CreateDefaultConvDimensionNumbers(num_spatial_dims: int = 2) -> ConvolutionDimensionNumbers:
    """Batch, feature, spatial; output feature, input feature, spatial; batch, feature, spatial."""
    spatial = tuple(range(2, 2 + num_spatial_dims))
    return ConvolutionDimensionNumbers(0, 1, spatial, 1, 0, spatial, 0, 1, spatial)


@xla_op
def Conv(
    lhs: Operand,
    rhs: Operand,
    window_strides: Sequence[int],
    padding: PaddingLike,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """A convolution with SAME or VALID padding; see ``ConvGeneralDilated``, also for errors."""
    return ConvGeneralDilated(
        lhs,
        rhs,
        window_strides,
        padding,
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        precision_config=precision_config,
        preferred_element_type=preferred_element_type,
    )


@xla_op
def ConvWithGeneralPadding(
    lhs: Operand,
    rhs: Operand,
    window_strides: Sequence[int],
    padding: PaddingLike,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """A convolution with padding by numbers; see ``ConvGeneralDilated``, also for errors."""
    return ConvGeneralDilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        None,
        feature_group_count,
        batch_group_count,
        precision_config,
        preferred_element_type,
    )


@xla_op
def ConvWithGeneralDimensions(
    lhs: Operand,
    rhs: Operand,
    window_strides: Sequence[int],
    padding: PaddingLike,
    dimension_numbers: ConvolutionDimensionNumbers,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """A convolution of other layouts; see ``ConvGeneralDilated``, also for errors."""
    return ConvGeneralDilated(
        lhs,
        rhs,
        window_strides,
        padding,
        None,
        None,
        dimension_numbers,
        feature_group_count,
        batch_group_count,
        precision_config,
        preferred_element_type,
    )


@xla_op
def ConvGeneral(
    lhs: Operand,
    rhs: Operand,
    window_strides: Sequence[int],
    padding: PaddingLike,
    dimension_numbers: ConvolutionDimensionNumbers,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """A convolution of other layouts; see ``ConvGeneralDilated``, also for errors."""
    return ConvWithGeneralDimensions(
        lhs,
        rhs,
        window_strides,
        padding,
        dimension_numbers,
        feature_group_count,
        batch_group_count,
        precision_config,
        preferred_element_type,
    )


@xla_op
def ConvGeneralDilated(
    lhs: Operand,
    rhs: Operand,
    window_strides: Sequence[int],
    padding: PaddingLike,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvolutionDimensionNumbers | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
    window_reversal: Sequence[bool] | None = None,
) -> Tensor:
    """Sums of products of a kernel with every window of an array: ``convolution``.

    Args:
        lhs: the array, of rank n + 2 where the window moves along n dimensions.
        rhs: the kernel, of the same rank.
        window_strides: n numbers; how far the window moves.
        padding: SAME, VALID, or n pairs (low, high); negative ones remove elements.
        lhs_dilation: n numbers d; between elements are d - 1 zeros. 1 where there are none.
        rhs_dilation: the same of the kernel.
        dimension_numbers: what each dimension is; by default see
            ``CreateDefaultConvDimensionNumbers``.
        feature_group_count: groups of features, each with kernels of its own.
        batch_group_count: groups of the batch, each with kernels of its own.
        precision_config: the precision of each operand.
        preferred_element_type: of the result, where it is wider than that of the operands.
        window_reversal: n booleans; whether the kernel is reversed along a dimension.

    Returns:
        An array with one feature for each one of the kernel, at each place of the window.

    Raises:
        ShloError: ranks, sizes or groups do not fit, or the padding is none.
    """
    a, b = tensors_of(lhs, rhs)
    if a.rank != b.rank or a.rank < 2:
        raise ShloError(f"{a.type} and {b.type} are not of one rank, of 2 at least")
    numbers = dimension_numbers or CreateDefaultConvDimensionNumbers(a.rank - 2)
    spatial = [
        integers(axes)
        for axes in (numbers.input_spatial_dimensions, numbers.kernel_spatial_dimensions)
    ]
    if not all(0 <= axis < a.rank for axes in spatial for axis in axes):
        raise ShloError(f"{numbers} are not dimensions of {a.type} and {b.type}")
    areas = [a.shape[axis] for axis in spatial[0]]
    windows = [b.shape[axis] for axis in spatial[1]]
    pairs = edges(padding, areas, windows, window_strides, lhs_dilation, rhs_dilation)

    build: Callable[..., Tensor] = convolution
    arguments = {
        "lhs": a,
        "rhs": b,
        "window_strides": tuple(window_strides),
        "padding": pairs,
        "lhs_dilation": lhs_dilation,
        "rhs_dilation": rhs_dilation,
        "window_reversal": window_reversal,
        "feature_group_count": feature_group_count,
        "batch_group_count": batch_group_count,
        **asdict(numbers),
    }
    if preferred_element_type is not None:
        element = primitive_type(preferred_element_type)
        arguments["result_type"] = rule_of(convolution)(**arguments).type.with_element(element)
    return build(**arguments, precision_config=precision_config)
