"""Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.ops.signal import FftType
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import rounded

_ONE: dict[FftType, Callable[..., Any]] = {FftType.FFT: np.fft.fft, FftType.IFFT: np.fft.ifft}


@evaluates
def fft(
    operand: Array,
    fft_type: FftType,
    fft_length: Sequence[int],
    *,
    result_types: list[TensorType],
) -> Array:
    dtype = result_types[0].element_type.dtype
    rank, count = operand.ndim, len(fft_length)
    outer = list(range(rank - 2, rank - count - 1, -1))
    if 0 in operand.shape or 0 in fft_length:
        last = {FftType.RFFT: operand.shape[-1] // 2 + 1 if operand.shape[-1] else 0}
        size = last.get(fft_type, fft_length[-1])
        return np.zeros((*operand.shape[:-1], size), dtype)
    x: Any = operand.astype(np.result_type(operand.dtype, np.float64))
    with np.errstate(all="ignore"):
        # The real transform takes the innermost dimension first, its inverse last.
        if fft_type is FftType.RFFT:
            x = np.fft.rfft(x, axis=-1)
        elif fft_type is not FftType.IRFFT:
            x = _ONE[fft_type](x, axis=-1)
        forward = fft_type in (FftType.FFT, FftType.RFFT)
        for axis in outer:
            x = _ONE[FftType.FFT if forward else FftType.IFFT](x, axis=axis)
        if fft_type is FftType.IRFFT:
            x = np.fft.irfft(x, fft_length[-1], axis=-1)
    return rounded(np.asarray(x), dtype)
