"""What an op with windows says of them, read from its attributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shlo_tools import ir
from shlo_tools.dtypes import from_attribute
from shlo_tools.mlir import Operation


@dataclass(frozen=True)
class Windows:
    """The attributes of an op with windows, one entry per dimension."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    base_dilation: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @classmethod
    def of(cls, op: Operation) -> Windows:
        """Read from an op; what it leaves out is 1, or 0 for the padding."""
        size = tuple(ir.integers_of(op, "window_dimensions"))
        padding = np.zeros((len(size), 2), np.int64)
        if "padding" in op.attributes:
            padding = from_attribute(op.attributes["padding"])

        def factors(name: str) -> tuple[int, ...]:
            return tuple(ir.integers_of(op, name, [1] * len(size)))

        return cls(
            size,
            stride=factors("window_strides"),
            base_dilation=factors("base_dilations"),
            dilation=factors("window_dilations"),
            low=tuple(padding[:, 0].tolist()),
            high=tuple(padding[:, 1].tolist()),
        )

    @property
    def moving(self) -> list[int]:
        """The dimensions along which a window has more than one element."""
        return [d for d, size in enumerate(self.size) if size > 1]
