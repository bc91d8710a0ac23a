"""Results of convolutions computed part by part, each from what it needs of the operands.

A dimension is computed one place at a time, or as many places at a time as a matrix product should
take: a number that may be known at run time only. Dimensions go by name, see ``labelled``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shlo_tools import mlir
from shlo_tools.dims import Dim, ceiling_divided, maximum, product
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Value
from shlo_tools.passes.kernels.convolution.labelled import (
    Labelled,
    Spatial,
    spatial_label,
    window_label,
)
from shlo_tools.passes.legalize_to_linalg.data_movement import reshaped
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import arithmetic
from shlo_tools.passes.legalize_to_linalg.rules import lowered_tensor


@dataclass(frozen=True)
class Part:
    """A dimension of ``total`` places that is computed ``size`` places at a time.

    Attributes:
        count: how many parts there are.
    """

    size: Dim
    count: Dim
    total: Dim

    @classmethod
    def of(cls, total: Dim, most: Dim) -> Part:
        """Equal parts of at most ``most`` places, which is 1 or more."""
        if most == 1:
            return cls(1, total, total)
        count = ceiling_divided(total, most)
        return cls(ceiling_divided(total, maximum(1, count)), count, total)

    def start(self, build: Lowering, number: Value) -> Value:
        """Where a part begins. The last one ends at the end, and may repeat some places."""
        if self.size == 1:
            return number
        at = arithmetic(build, "muli", number, structured.index(build, self.size))
        return arithmetic(build, "minsi", at, structured.index(build, self.total - self.size))


def sliced(
    build: Lowering,
    tensor: Labelled,
    at: Mapping[str, Value],
    parts: Mapping[str, Dim],
    spatial: Sequence[Spatial],
) -> tuple[Labelled, list[Spatial]]:
    """What a part of the result needs of an operand, without dimensions of size 1.

    Args:
        at: where the part begins along dimensions of the result.
        parts: how many places of each of them it has.
    """
    offsets: dict[str, Value] = {label: at[label] for label in tensor.labels if label in at}
    sizes = tensor.sizes | {label: parts[label] for label in offsets}
    moved = list(spatial)
    for i, dimension in enumerate(spatial):
        if window_label(i) in at:
            stride, first = (structured.index(build, n) for n in (dimension.stride, -dimension.low))
            start = arithmetic(build, "muli", at[window_label(i)], stride)
            moved[i] = replace(dimension, count=parts[window_label(i)], low=0)
            if spatial_label(i) in sizes:
                offsets[spatial_label(i)] = arithmetic(build, "addi", start, first)
                sizes[spatial_label(i)] = moved[i].extent
    kept = tuple(label for label in tensor.labels if sizes[label] != 1)
    type = tensor.type.with_shape([sizes[label] for label in kept])
    attributes, places = _slice(build, tensor.labels, sizes, offsets, [1])
    value = build.value(
        "tensor.extract_slice", (tensor.value, *places), lowered_tensor(type), attributes
    )
    return Labelled(value, type, kept), moved


@dataclass(frozen=True)
class Places:
    """Where in the result its parts are put.

    Attributes:
        total: how many places its dimensions have.
        parts: how many a part has, of those that are divided.
        step: what a place of the last one of these is, in places of ``total``.
    """

    total: dict[str, Dim]
    parts: dict[str, Dim]
    step: Dim

    @classmethod
    def of(
        cls, labels: Sequence[str], sizes: Mapping[str, Dim], parts: Mapping[str, Dim], merge: bool
    ) -> Places:
        """With ``merge`` the last divided dimension and all within it are one, of long runs."""
        total = {label: sizes[label] for label in labels}
        if not merge:
            return cls(total, dict(parts), 1)
        last = max(labels.index(label) for label in parts)
        step = product(sizes[label] for label in labels[last + 1 :])
        total = {label: sizes[label] for label in labels[: last + 1]}
        merged = labels[last]
        return cls(
            total | {merged: total[merged] * step}, {**parts, merged: parts[merged] * step}, step
        )

    def put(
        self,
        build: Lowering,
        value: Value,
        type: TensorType,
        into: Value,
        at: Mapping[str, Value],
    ) -> Value:
        """A part of the result, at the place that it was computed for."""
        labels, sizes, offsets = list(self.total), self.total | self.parts, dict(at)
        if self.step != 1:
            step = structured.index(build, self.step)
            offsets[labels[-1]] = arithmetic(build, "muli", at[labels[-1]], step)
        shape = [size for size in sizes.values() if size != 1]
        value = reshaped(build, value, type, type.with_shape(shape))
        attributes, places = _slice(build, labels, sizes, offsets, [1, 1])
        return build.value("tensor.insert_slice", (value, into, *places), into.type, attributes)


def _slice(
    build: Lowering,
    labels: Sequence[str],
    sizes: Mapping[str, Dim],
    offsets: Mapping[str, Value],
    operands: Sequence[int],
) -> tuple[dict[str, mlir.Attribute], list[Value]]:
    """Attributes and operands of a slice that begins at ``offsets``, and at 0 elsewhere."""
    starts = [offsets[label] for label in labels if label in offsets]
    lengths = [sizes[label] for label in labels if not isinstance(sizes[label], int)]
    known = [size if isinstance(size, int) else mlir.DYNAMIC for size in (sizes[x] for x in labels)]
    static = [mlir.DYNAMIC if label in offsets else 0 for label in labels]
    attributes = {
        "static_offsets": mlir.i64_array_attr(static),
        "static_sizes": mlir.i64_array_attr(known),
        "static_strides": mlir.i64_array_attr([1] * len(labels)),
        "operandSegmentSizes": mlir.i32_array_attr([*operands, len(starts), len(lengths), 0]),
    }
    return attributes, [*starts, *(structured.index(build, length) for length in lengths)]
