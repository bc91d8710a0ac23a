"""``shlo.fft``: Fourier transforms of the last dimensions, by numpy's pocketfft.

It computes in the precision of its operand, f32 or f64, for any length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import time_limit
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.extend import CustomCall

MOST = 1 << 20  # elements between two looks at the time


def fft(
    operand: Array, *, attributes: Mapping[str, Any], result_types: Sequence[TensorType]
) -> Array:
    """``stablehlo.fft``; ``attributes`` give its ``fft_type`` and ``fft_length``."""
    result = result_types[0]
    if not result.size:
        return np.empty(result.static_shape, result.element_type.dtype)
    lengths = attributes["fft_length"]
    transformed = np.empty(result.static_shape, result.element_type.dtype)
    parts, rows = (_rows(array, len(lengths)) for array in (operand, transformed))
    count = max(1, MOST // max(1, parts[0].size))
    for start in range(0, len(parts), count):
        time_limit.check()
        part = parts[start : start + count]
        rows[start : start + count] = _transformed(part, attributes["fft_type"], lengths)
    return transformed


def _rows(array: Array, rank: int) -> Array:
    """An array as one of what is transformed by itself."""
    return array.reshape(-1, *array.shape[array.ndim - rank :])


def _transformed(operand: Array, fft_type: str, lengths: Sequence[int]) -> Array:
    *outer, last = lengths
    axes = range(-1 - len(outer), -1)
    match fft_type:
        case "FFT":
            return _each(np.fft.fft, np.fft.fft(operand), axes)
        case "IFFT":
            return _each(np.fft.ifft, np.fft.ifft(operand), axes)
        case "RFFT":  # the innermost dimension first
            return _each(np.fft.fft, np.fft.rfft(operand), axes)
        case _:  # IRFFT, last; its length is no size of the operand
            return np.fft.irfft(_each(np.fft.ifft, operand, axes), last)


def _each(transform: Callable[..., Array], array: Array, axes: range) -> Array:
    """One transform after the other; numpy's own functions for several have more overhead."""
    for axis in axes:
        array = transform(array, axis=axis)
    return array


TARGETS: dict[str, CustomCall] = {"shlo.fft": fft}
