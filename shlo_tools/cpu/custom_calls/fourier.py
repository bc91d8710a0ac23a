"""``shlo.fft``: Fourier transforms of the last dimensions, by numpy's pocketfft.

It computes in the precision of its operand, f32 or f64, for any length. ``numpy.fft`` has single
precision, too, but computes it in double where nothing is scaled: it passes the factor 1 as an
integer. So its ufuncs are called with a factor of the operand's precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import time_limit
from shlo_tools.dtypes import Array
from shlo_tools.extend import CustomCall, fourier_loops

MOST = 1 << 20  # elements between two looks at the time


def fft(operand: Array, *, attributes: Mapping[str, Any], memory: Sequence[Array]) -> None:
    """``stablehlo.fft``; ``attributes`` give its ``fft_type`` and ``fft_length``."""
    (result,) = memory
    if not result.size:
        return
    kind, lengths = attributes["fft_type"], attributes["fft_length"]
    parts, rows = (_rows(array, len(lengths)) for array in (operand, result))
    count = max(1, MOST // parts[0].size)
    for start in range(0, len(parts), count):
        time_limit.check()
        _transform(parts[start : start + count], rows[start : start + count], kind, lengths)


def _rows(array: Array, rank: int) -> Array:
    """An array as one of what is transformed by itself."""
    return array.reshape(-1, *array.shape[array.ndim - rank :])


def _transform(operand: Array, result: Array, kind: str, lengths: Sequence[int]) -> None:
    *outer, last = lengths
    axes = list(enumerate(outer, -1 - len(outer)))
    if kind == "IRFFT":  # the innermost dimension last; its length is no size of the operand
        for axis, size in axes:
            operand = _along("ifft", operand, np.empty_like(operand), axis, size)
        _along("irfft", operand, result, -1, last)
        return
    _along(kind.lower(), operand, result, -1, last)
    for axis, size in axes:
        _along("ifft" if kind == "IFFT" else "fft", result, result, axis, size)


def _along(name: str, operand: Array, result: Array, axis: int, size: int) -> Array:
    """Transform one axis; inverses are scaled."""
    ufuncs = fourier_loops.ufuncs()
    if ufuncs is None:
        getattr(np.fft, name)(operand, size, axis, out=result)
        return result
    factor = np.reciprocal(size if name[0] == "i" else 1, dtype=operand.real.dtype)
    if name == "rfft":
        name = "rfft_n_odd" if size % 2 else "rfft_n_even"
    getattr(ufuncs, name)(operand, factor, result, axes=[(axis,), (), (axis,)])
    return result


TARGETS: dict[str, CustomCall] = {"shlo.fft": fft}
