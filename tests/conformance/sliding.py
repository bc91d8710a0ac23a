"""Windows in numpy, as the specification defines them: pad, slice, reverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]


@dataclass(frozen=True)
class Sliding:
    """Window attributes, one entry per dimension; the names are the spec's."""

    window_dimensions: Sequence[int]
    window_strides: Sequence[int]
    padding: Sequence[tuple[int, int]]
    base_dilations: Sequence[int]
    window_dilations: Sequence[int]

    def num_windows(self, shape: Sequence[int]) -> Index:
        """(C15): the number of windows along each dimension."""
        counts = []
        rows = zip(
            shape,
            self.window_dimensions,
            self.window_strides,
            self.padding,
            self.base_dilations,
            self.window_dilations,
            strict=True,
        )
        for size, window, stride, (low, high), base, apart in rows:
            dilated = 0 if size == 0 else (size - 1) * base + 1
            extent = low + dilated + high
            reach = 0 if window == 0 else (window - 1) * apart + 1
            empty = extent <= 0 or reach > extent
            counts.append(0 if empty else (extent - reach) // stride + 1)
        return tuple(counts)

    def windows(self, operand: Array, value: Any) -> Iterator[tuple[Index, Array]]:
        """Each result index with its window of the operand padded with ``value``."""
        padded = pad(operand, value, self.padding, self.base_dilations)
        for index in product(*map(range, self.num_windows(operand.shape))):
            starts = [i * s for i, s in zip(index, self.window_strides, strict=True)]
            slices = tuple(
                slice(start, start + (size - 1) * apart + 1, apart)
                for start, size, apart in zip(
                    starts, self.window_dimensions, self.window_dilations, strict=True
                )
            )
            yield index, padded[slices]


def pad(
    operand: Array, value: Any, edges: Sequence[tuple[int, int]], dilations: Sequence[int]
) -> Array:
    """The spec's ``pad``: elements ``dilation`` apart, cells added to or taken from the ends."""
    rows = zip(operand.shape, edges, dilations, strict=True)
    inner = [
        0 if size == 0 else (size - 1) * apart + 1
        for size, apart in zip(operand.shape, dilations, strict=True)
    ]
    spread = np.full(inner, value, operand.dtype)
    spread[tuple(slice(None, None, apart) for apart in dilations)] = operand
    for axis, (_, (low, high), _) in enumerate(rows):
        for amount, front in ((low, True), (high, False)):
            if amount >= 0:
                shape = list(spread.shape)
                shape[axis] = amount
                cells = np.full(shape, value, operand.dtype)
                spread = np.concatenate([cells, spread] if front else [spread, cells], axis)
            else:
                kept = slice(-amount, None) if front else slice(0, spread.shape[axis] + amount)
                spread = spread[(slice(None),) * axis + (kept,)]
    return spread
