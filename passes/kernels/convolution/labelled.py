"""Tensors of a convolution whose dimensions carry names, so that any order of them is one case.

    lhs     batch, spatial0, spatial1, ..., input_feature
    rhs     tap0, tap1, ..., input_feature, output_feature
    result  batch, window0, window1, ..., output_feature

A spatial dimension of the input is read by two loops, which window and which tap in it:
spatial0 = window0 * stride + tap0 * dilation - low. A dimension split into groups has the name
``group`` before its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shlo_tools.dims import Dim, maximum
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.data_movement import (
    extracted,
    reshaped,
    transposed,
)

BATCH, GROUP = "batch", "group"
INPUT_FEATURE, OUTPUT_FEATURE = "input_feature", "output_feature"


def spatial_label(i: int) -> str:
    return f"spatial{i}"


def tap_label(i: int) -> str:
    return f"tap{i}"


def window_label(i: int) -> str:
    return f"window{i}"


@dataclass(frozen=True)
class Spatial:
    """One spatial dimension: ``size`` elements, ``count`` windows of ``window`` taps.

    The first window begins ``low`` cells before the first element, or after it where negative.
    """

    size: Dim
    window: Dim
    stride: int
    low: int
    base_dilation: int
    dilation: int
    count: Dim

    @property
    def extent(self) -> Dim:
        """How many elements the windows reach over, padding included."""
        reach = (self.count - 1) * self.stride + (self.window - 1) * self.dilation + 1
        return maximum(reach, 0)  # without windows, or with ones that are empty


@dataclass(frozen=True)
class Labelled:
    """A tensor whose dimensions have names."""

    value: Value
    type: TensorType
    labels: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, Dim]:
        return dict(zip(self.labels, self.type.shape, strict=True))

    def without_ones(self, build: Lowering) -> Labelled:
        """Without dimensions of size 1."""
        labels = tuple(label for label, size in self.sizes.items() if size != 1)
        type = self.type.with_shape([self.sizes[label] for label in labels])
        return Labelled(reshaped(build, self.value, self.type, type), type, labels)

    def ordered(self, build: Lowering, labels: Sequence[str]) -> Labelled:
        """With its dimensions in another order."""
        type = self.type.with_shape([self.sizes[label] for label in labels])
        order = [self.labels.index(label) for label in labels]
        return Labelled(transposed(build, self.value, order, type), type, tuple(labels))

    def cut(
        self,
        build: Lowering,
        sizes: Mapping[str, Dim],
        first: Mapping[str, int],
        steps: Mapping[str, int] | None = None,
    ) -> Labelled:
        """Every ``steps``-th element from ``first`` on; whole dimensions where none is given."""
        type = self.type.with_shape({**self.sizes, **sizes}.values())
        if type == self.type:
            return self
        offsets = [first.get(label, 0) for label in self.labels]
        strides = [(steps or {}).get(label, 1) for label in self.labels]
        value = extracted(build, self.value, type, offsets, strides)
        return Labelled(value, type, self.labels)


def places(
    labels: Sequence[str], loops: Mapping[str, int], spatial: Sequence[Spatial]
) -> list[str | int]:
    """Where a tensor is read within loops, as the results of an affine map."""
    positions: list[str | int] = []
    for label in labels:
        terms, first = {label: 1}, 0
        for i, dimension in enumerate(spatial):
            if label == spatial_label(i):
                terms = {window_label(i): dimension.stride, tap_label(i): dimension.dilation}
                first = -dimension.low
        written = [f"d{loops[name]} * {by}" for name, by in terms.items() if name in loops]
        positions.append(" + ".join([*written, str(first)]))
    return positions
