"""``shlo.fft``: Fourier transforms of the last dimensions, by numpy's pocketfft.

It computes in the precision of its operand, f32 or f64, for any length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.extend import CustomCall

# The real transforms of several dimensions take the innermost one first (RFFT), or last (IRFFT).
# Along one dimension numpy has functions of less overhead.
_ONE_DIMENSION: dict[str, Callable[..., Array]] = {
    "FFT": np.fft.fft,
    "IFFT": np.fft.ifft,
    "RFFT": np.fft.rfft,
    "IRFFT": np.fft.irfft,
}
_TRANSFORMS: dict[str, Callable[..., Array]] = {
    "FFT": np.fft.fftn,
    "IFFT": np.fft.ifftn,
    "RFFT": np.fft.rfftn,
    "IRFFT": np.fft.irfftn,
}


def fft(
    operand: Array, *, attributes: Mapping[str, Any], result_types: Sequence[TensorType]
) -> Array:
    """``stablehlo.fft``; ``attributes`` give its ``fft_type`` and ``fft_length``."""
    result = result_types[0]
    if not result.size:
        return np.empty(result.static_shape, result.element_type.dtype)
    lengths = attributes["fft_length"]
    if len(lengths) == 1:
        return _ONE_DIMENSION[attributes["fft_type"]](operand, lengths[0])
    axes = range(operand.ndim - len(lengths), operand.ndim)
    # Only the last length of IRFFT is not a size of the operand.
    sizes = lengths if attributes["fft_type"] == "IRFFT" else None
    return _TRANSFORMS[attributes["fft_type"]](operand, sizes, tuple(axes))


TARGETS: dict[str, CustomCall] = {"shlo.fft": fft}
