"""Convolutions: as matrix products of patches where they are large, else as loops.

A dilated input is taken apart before (``phases``); what the names of dimensions mean stands in
``labelled``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shlo_tools import ir
from shlo_tools.dims import Dim, at_most, product
from shlo_tools.dtypes import TensorType, from_attribute
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.passes.kernels.contraction import LIBRARY_THRESHOLD, multiplies_matrices
from shlo_tools.passes.kernels.convolution import patches
from shlo_tools.passes.kernels.convolution.labelled import (
    BATCH,
    GROUP,
    INPUT_FEATURE,
    OUTPUT_FEATURE,
    Labelled,
    Spatial,
    places,
    spatial_label,
    tap_label,
    window_label,
)
from shlo_tools.passes.kernels.convolution.phases import by_phases
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import padded, reshaped, reversed_along
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import (
    accumulate,
    accumulation_type,
    converted,
    zero_of,
)
from shlo_tools.passes.legalize_to_linalg.windows import once, window_loops

# Groups of fewer features are loops: one would not fill a vector or amortize making patches.
MIN_FEATURES = 8


def convolution(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    lhs, rhs = (build.type(value) for value in op.operands)
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    spatial = spatial_dimensions(op, numbers, lhs, rhs, build.type(op.results[0]))
    return [convolved(op, build, operands, (lhs, rhs), spatial)]


def convolved(
    op: Operation,
    build: Lowering,
    operands: Sequence[Value],
    types: tuple[TensorType, TensorType],
    spatial: Sequence[Spatial],
) -> Value:
    """The result of a convolution of two tensors, whose spatial dimensions are given."""
    lhs, rhs = types
    result = build.type(op.results[0])
    if 0 in result.shape:
        return structured.empty(build, result)
    if 0 in (*lhs.shape, *rhs.shape):
        zero = zero_of(op, build, result.element_type)
        return structured.filled(build, zero, result)
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    kernel = _reversed(op, build, operands[1], rhs, numbers["kernel_spatial_dimensions"])
    lhs_labels, rhs_labels, result_labels = _labels(op, numbers)
    wide = result.with_element(accumulation_type(result.element_type))
    labels, split = _split(wide, result_labels, op)
    summed = by_phases(
        build,
        _labelled(op, build, operands[0], lhs, lhs_labels),
        _labelled(op, build, kernel, rhs, rhs_labels),
        spatial,
        labels,
        split,
        lambda type: zero_of(op, build, type.element_type),
        partial(_undilated, op, build, labels),
    )
    return converted(op, build, reshaped(build, summed, split, wide), wide, result)


def dynamic_conv(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """A convolution without padding of the padded part that its windows see."""
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    lhs, rhs = (build.type(value) for value in list(op.operands)[:2])
    spatial = spatial_dimensions(op, numbers, lhs, rhs, build.type(op.results[0]))
    lows = build.contents(op.operands[2])[::2]
    fixed = [low for low in lows if isinstance(low, int)]
    if len(fixed) == len(lows):
        spatial = [replace(d, low=low) for d, low in zip(spatial, fixed, strict=True)]
        return [convolved(op, build, operands[:2], (lhs, rhs), spatial)]
    if 0 in (*lhs.shape, *rhs.shape, *build.type(op.results[0]).shape):
        return [convolved(op, build, operands[:2], (lhs, rhs), spatial)]
    none: list[Dim] = [0] * lhs.rank
    shape, offsets, gaps = list(lhs.shape), list(none), list(none)
    for d, dimension, low in zip(numbers["input_spatial_dimensions"], spatial, lows, strict=True):
        shape[d], offsets[d], gaps[d] = dimension.extent, low, dimension.base_dilation - 1
    padded_type = lhs.with_shape(shape)
    zero = zero_of(op, build, lhs.element_type)
    placed = padded(build, operands[0], lhs, zero, padded_type, offsets, gaps)
    spatial = [replace(d, size=d.extent, low=0, base_dilation=1) for d in spatial]
    return [convolved(op, build, [placed, operands[1]], (padded_type, rhs), spatial)]


# --- dimensions -----------------------------------------------------------------------------------
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
            labels[numbers[f"{kind}_{field}_dimension"]] = (GROUP, name) if grouped else (name,)
        return [labels[dimension] for dimension in range(len(labels))]

    batch, feature = (BATCH, by_batch), (INPUT_FEATURE, by_feature)
    features = (OUTPUT_FEATURE, by_feature or by_batch)
    return (
        placed("input", spatial_label, {"batch": batch, "feature": feature}),
        placed(
            "kernel",
            tap_label,
            {"input_feature": (INPUT_FEATURE, False), "output_feature": features},
        ),
        placed("output", window_label, {"batch": (BATCH, False), "feature": features}),
    )


def _groups(op: Operation, kind: str) -> int:
    return ir.integer_of(op, f"{kind}_group_count")


def _split(type: TensorType, labels: Labels, op: Operation) -> tuple[tuple[str, ...], TensorType]:
    """The names of all dimensions, and the type with those that have groups split in two."""
    groups = _groups(op, "feature") * _groups(op, "batch")
    shape: list[Dim] = []
    for size, group in zip(type.shape, labels, strict=True):
        shape += [groups, size // groups] if len(group) == 2 else [size]
    return tuple(label for group in labels for label in group), type.with_shape(shape)


def _labelled(
    op: Operation, build: Lowering, value: Value, type: TensorType, labels: Labels
) -> Labelled:
    flat, split = _split(type, labels, op)
    return Labelled(reshaped(build, value, type, split), split, flat)


def spatial_dimensions(
    op: Operation,
    numbers: Mapping[str, Any],
    lhs: TensorType,
    rhs: TensorType,
    result: TensorType,
) -> list[Spatial]:
    """The windows along each spatial dimension; no padding where the op has no attribute."""
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


def _reversed(
    op: Operation, build: Lowering, kernel: Value, type: TensorType, spatial: Sequence[int]
) -> Value:
    flags = ir.integers_of(op, "window_reversal", [0] * len(spatial))
    reverses = zip(spatial, flags, strict=True)
    along = [d for d, is_reversed in reverses if is_reversed and type.shape[d] != 1]
    return reversed_along(build, kernel, type, along) if along else kernel


# --- one convolution ------------------------------------------------------------------------------
def _undilated(
    op: Operation,
    build: Lowering,
    labels: Sequence[str],
    lhs: Labelled,
    rhs: Labelled,
    spatial: Sequence[Spatial],
    type: TensorType,
) -> Value:
    """A convolution without dilation of lhs or padding; ``labels`` and ``type`` the result's."""
    lhs, spatial = _cropped(build, lhs, spatial)
    if _is_large(rhs, dict(zip(labels, type.shape, strict=True))) and (
        multiplies_matrices(type.element_type)
    ):
        return patches.by_matrix_product(op, build, lhs, rhs, labels, type, spatial)
    return _by_loops(op, build, lhs, rhs, labels, type, spatial)


def _is_large(rhs: Labelled, result: Mapping[str, Dim]) -> bool:
    """Whether every group has enough multiplications, and features, or may have."""
    terms = [n for label, n in rhs.sizes.items() if label not in (GROUP, OUTPUT_FEATURE)]
    group = [n for label, n in result.items() if label != GROUP]
    if at_most(LIBRARY_THRESHOLD, product((*terms, *group))) is False:
        return False
    features = rhs.sizes[INPUT_FEATURE], rhs.sizes[OUTPUT_FEATURE]
    return GROUP not in rhs.labels or all(at_most(MIN_FEATURES, n) for n in features)


def _cropped(
    build: Lowering, lhs: Labelled, spatial: Sequence[Spatial]
) -> tuple[Labelled, list[Spatial]]:
    """The input without what no window reaches, where a loop would run over all of it."""
    sizes: dict[str, Dim] = {}
    first: dict[str, int] = {}
    cropped = []
    for i, dimension in enumerate(spatial):
        if dimension.count == 1 or dimension.window == 1:
            sizes[spatial_label(i)] = dimension.extent
            first[spatial_label(i)] = -dimension.low
            dimension = replace(dimension, size=dimension.extent, low=0)
        cropped.append(dimension)
    return lhs.cut(build, sizes, first), cropped


def _by_loops(
    op: Operation,
    build: Lowering,
    lhs: Labelled,
    rhs: Labelled,
    result: Sequence[str],
    wide: TensorType,
    spatial: Sequence[Spatial],
) -> Value:
    """One loop per dimension of the result, of the window, and of the input's features."""
    summed = [label for label in rhs.labels if label not in result and rhs.sizes[label] != 1]
    outer, inner, kinds = window_loops(wide.shape, len(summed))
    loops = dict(zip((*result, *summed), (*outer, *inner), strict=True))
    accumulator = wide.element_type

    def body(into: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, into)
        left = cast_scalar(e, scalars[0], lhs.type.element_type, accumulator)
        right = cast_scalar(e, scalars[1], rhs.type.element_type, accumulator)
        return [accumulate(e, accumulator, scalars[2], left, right)]

    return structured.generic(
        build,
        [once(build, lhs.value), once(build, rhs.value)],
        [
            structured.affine_map(len(kinds), places(tensor.labels, loops, spatial))
            for tensor in (lhs, rhs)
        ],
        [structured.filled(build, zero_of(op, build, accumulator), wide)],
        [wide],
        body,
        iterators=kinds,
        output_maps=[structured.affine_map(len(kinds), outer)],
    )[0]
