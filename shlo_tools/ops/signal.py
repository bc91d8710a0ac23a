"""Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import require, same_shape
from shlo_tools.dtypes import ELEMENT_TYPES, Dim
from shlo_tools.ops._attributes import AttributeEnum
from shlo_tools.ops._op import op
from shlo_tools.types import Tensor


class FftType(AttributeEnum):
    """Direction and element types of a Fourier transform."""

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


_COMPLEX_OF = {"f32": "complex<f32>", "f64": "complex<f64>"}
_REAL_OF = {complex: real for real, complex in _COMPLEX_OF.items()}


@op
def fft(operand: Tensor, fft_type: FftType, fft_length: Sequence[int]) -> Tensor:
    """Fourier transform of the last one to three dimensions; ``fft_length`` are their real sizes.

    RFFT keeps the first n / 2 + 1 numbers of the last dimension, IRFFT takes as many. IFFT and
    IRFFT divide by the number of values.
    """
    count = len(fft_length)
    require("C1", count <= operand.rank, f"{count} lengths for {operand.type}")
    require("C3", 1 <= count <= 3, f"{count} lengths: 1, 2 or 3 are wanted")
    require("C4", all(size >= 0 for size in fft_length), f"lengths {list(fft_length)}")
    element_of = _COMPLEX_OF if fft_type is FftType.RFFT else _REAL_OF
    name = operand.element_type.name
    require("C2", name in element_of, f"{fft_type.name} of {operand.type}")
    outer, half = list(operand.shape[:-1]), _half(fft_length[-1])
    if fft_type is FftType.RFFT:
        fits = same_shape(operand.shape[-count:], fft_length)
        require("C4", fits, f"{operand.type} does not end with sizes {list(fft_length)}")
        return operand.like(shape=[*outer, half], element_type=ELEMENT_TYPES[_COMPLEX_OF[name]])
    if fft_type is FftType.IRFFT:
        fits = same_shape(operand.shape[-count:], [*fft_length[:-1], half])
        require("C5", fits, f"{operand.type} does not fit lengths {list(fft_length)}")
        real = ELEMENT_TYPES[_REAL_OF[name]]
        return operand.like(shape=[*outer, fft_length[-1]], element_type=real)
    return operand.like()


def _half(size: int) -> Dim:
    """How many numbers of a transform of real values determine the others."""
    return size // 2 + 1 if size else 0
