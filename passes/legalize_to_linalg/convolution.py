"""Convolutions: one loop for each dimension of the result, of a window, and of what it sums up.

The input gets the zeros of padding and of its dilation before. What is summed over is what the
dimensions of the operands are called that the result does not have:

    lhs     batch, spatial0, spatial1, ..., input_feature
    rhs     tap0, tap1, ..., input_feature, output_feature
    result  batch, window0, window1, ..., output_feature

Loops over window0 and tap0 read spatial0 at window0 * stride + tap0 * dilation. A dimension that is
split into groups has the name ``group`` before its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from shlo_tools import ir
from shlo_tools.dims import Dim, maximum
from shlo_tools.dtypes import TensorType, from_attribute
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import padded, reshaped, reversed_along
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import (
    accumulation_type,
    converted,
    sums_of_products,
    zero_of,
)
from shlo_tools.passes.legalize_to_linalg.rules import lowers
from shlo_tools.passes.legalize_to_linalg.windows import once, window_loops

_BATCH, _GROUP = "batch", "group"
_INPUT_FEATURE, _OUTPUT_FEATURE = "input_feature", "output_feature"


@dataclass(frozen=True)
class Spatial:
    """One spatial dimension: ``size`` elements, ``count`` windows of ``window`` taps.

    The first window begins ``low`` cells before the first element, or after it where negative.
    """

    size: Dim
    window: Dim
    stride: int
    low: Dim
    base_dilation: int
    dilation: int
    count: Dim

    @property
    def extent(self) -> Dim:
        """How many elements the windows reach over, padding included."""
        reach = (self.count - 1) * self.stride + (self.window - 1) * self.dilation + 1
        return maximum(reach, 0)  # without windows, or with ones that are empty


@lowers
def convolution(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    lhs, rhs, result = (build.type(value) for value in (*op.operands, *op.results))
    return convolved(op, operands, build, spatial_dimensions(op, lhs, rhs, result))


def convolved(
    op: Operation, operands: Sequence[Value], build: Lowering, spatial: Sequence[Spatial]
) -> Sequence[Value]:
    """The result of a convolution whose spatial dimensions are given."""
    lhs, rhs = (build.type(value) for value in list(op.operands)[:2])
    result = build.type(op.results[0])
    if 0 in result.shape:
        return [structured.empty(build, result)]
    if 0 in (*lhs.shape, *rhs.shape):
        return [structured.filled(build, zero_of(op, build, result.element_type), result)]
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    image, image_type = _among_zeros(op, build, operands[0], lhs, numbers, spatial)
    kernel = _reversed(op, build, operands[1], rhs, numbers["kernel_spatial_dimensions"])
    lhs_labels, rhs_labels, result_labels = _labels(op, numbers)
    sides = [
        _split(op, image_type, lhs_labels),
        _split(op, rhs, rhs_labels),
    ]
    wide = result.with_element(accumulation_type(result.element_type))
    labels, type = _split(op, wide, result_labels)
    summed = [label for label in sides[1][0] if label not in labels]
    outer, inner, kinds = window_loops(type.shape, len(summed))
    loops = dict(zip((*labels, *summed), (*outer, *inner), strict=True))
    factors = [
        once(build, reshaped(build, value, old, new))
        for value, old, (_, new) in zip((image, kernel), (image_type, rhs), sides, strict=True)
    ]
    casts = [
        partial(cast_scalar, source=side.element_type, target=wide.element_type)
        for side in (lhs, rhs)
    ]
    places = [_places(side, loops, spatial) for side, _ in sides]
    sums = sums_of_products(op, build, factors, places, type, (outer, kinds), casts)
    return [converted(op, build, reshaped(build, sums, type, wide), wide, result)]


def spatial_dimensions(
    op: Operation, lhs: TensorType, rhs: TensorType, result: TensorType
) -> list[Spatial]:
    """The windows along each spatial dimension; no padding where the op has no attribute."""
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    rank = lhs.rank - 2
    padding = np.zeros((rank, 2), np.int64)
    if "padding" in op.attributes:
        padding = from_attribute(op.attributes["padding"])

    def factors(name: str) -> list[int]:
        return ir.integers_of(op, name, [1] * rank)

    def sizes(kind: str, type: TensorType) -> list[Dim]:
        return [type.shape[d] for d in numbers[f"{kind}_spatial_dimensions"]]

    rows = zip(
        sizes("input", lhs),
        sizes("kernel", rhs),
        factors("window_strides"),
        padding[:, 0].tolist(),
        factors("lhs_dilation"),
        factors("rhs_dilation"),
        sizes("output", result),
        strict=True,
    )
    return [Spatial(*row) for row in rows]


# --- operands -------------------------------------------------------------------------------------
def _among_zeros(
    op: Operation,
    build: Lowering,
    image: Value,
    type: TensorType,
    numbers: Mapping[str, Any],
    spatial: Sequence[Spatial],
) -> tuple[Value, TensorType]:
    """The part of the input that windows see, with the zeros that they see."""
    shape, low = list(type.shape), list[Dim]([0] * type.rank)
    gaps = list(low)
    for d, dimension in zip(numbers["input_spatial_dimensions"], spatial, strict=True):
        shape[d], low[d], gaps[d] = dimension.extent, dimension.low, dimension.base_dilation - 1
    whole = type.with_shape(shape)
    if whole.shape == type.shape and not any((*low, *gaps)):
        return image, type
    zero = zero_of(op, build, type.element_type)
    return padded(build, image, type, zero, whole, low, gaps), whole


def _reversed(
    op: Operation, build: Lowering, kernel: Value, type: TensorType, spatial: Sequence[int]
) -> Value:
    flags = ir.integers_of(op, "window_reversal", [0] * len(spatial))
    reverses = zip(spatial, flags, strict=True)
    along = [d for d, is_reversed in reverses if is_reversed and type.shape[d] != 1]
    return reversed_along(build, kernel, type, along) if along else kernel


# --- names ----------------------------------------------------------------------------------------
Labels = list[tuple[str, ...]]  # for each dimension its name, after ``group`` if it has groups


def _labels(op: Operation, numbers: Mapping[str, Any]) -> tuple[Labels, Labels, Labels]:
    """The names of the dimensions of lhs, rhs and result."""
    by_feature, by_batch = (_groups(op, kind) > 1 for kind in ("feature", "batch"))

    def placed(
        kind: str, label: Callable[[int], str], named: Mapping[str, tuple[str, bool]]
    ) -> Labels:
        spatial = enumerate(numbers[f"{kind}_spatial_dimensions"])
        labels: dict[int, tuple[str, ...]] = {at: (label(i),) for i, at in spatial}
        for field, (name, grouped) in named.items():
            labels[numbers[f"{kind}_{field}_dimension"]] = (_GROUP, name) if grouped else (name,)
        return [labels[dimension] for dimension in range(len(labels))]

    batch, feature = (_BATCH, by_batch), (_INPUT_FEATURE, by_feature)
    features = (_OUTPUT_FEATURE, by_feature or by_batch)
    sides = {"input_feature": (_INPUT_FEATURE, False), "output_feature": features}
    return (
        placed("input", _spatial, {"batch": batch, "feature": feature}),
        placed("kernel", _tap, sides),
        placed("output", _window, {"batch": (_BATCH, False), "feature": features}),
    )


def _spatial(i: int) -> str:
    return f"spatial{i}"


def _tap(i: int) -> str:
    return f"tap{i}"


def _window(i: int) -> str:
    return f"window{i}"


def _groups(op: Operation, kind: str) -> int:
    return ir.integer_of(op, f"{kind}_group_count")


def _split(op: Operation, type: TensorType, labels: Labels) -> tuple[tuple[str, ...], TensorType]:
    """The names of all dimensions, and the type with those that have groups split in two."""
    groups = _groups(op, "feature") * _groups(op, "batch")
    shape: list[Dim] = []
    for size, group in zip(type.shape, labels, strict=True):
        shape += [groups, size // groups] if len(group) == 2 else [size]
    return tuple(label for group in labels for label in group), type.with_shape(shape)


def _places(
    labels: Sequence[str], loops: Mapping[str, int], spatial: Sequence[Spatial]
) -> list[str | int]:
    """Where a tensor is read within loops, as the results of an affine map."""
    positions: list[str | int] = []
    for label in labels:
        terms = {label: 1}
        for i, dimension in enumerate(spatial):
            if label == _spatial(i):
                terms = {_window(i): dimension.stride, _tap(i): dimension.dilation}
        positions.append(" + ".join(f"d{loops[name]} * {by}" for name, by in terms.items()))
    return positions
