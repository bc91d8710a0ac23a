"""``shlo.fft``: Fourier transforms of the last dimensions, by numpy's pocketfft.

It computes in the precision of its operand, f32 or f64, for any length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.extend import CustomCall


def fft(
    operand: Array, *, attributes: Mapping[str, Any], result_types: Sequence[TensorType]
) -> Array:
    """``stablehlo.fft``; ``attributes`` give its ``fft_type`` and ``fft_length``."""
    result = result_types[0]
    if not result.size:
        return np.empty(result.static_shape, result.element_type.dtype)
    *outer, last = attributes["fft_length"]
    axes = range(-1 - len(outer), -1)
    match attributes["fft_type"]:
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
