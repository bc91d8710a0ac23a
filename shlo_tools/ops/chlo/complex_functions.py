"""Functions that are about complex numbers."""

from __future__ import annotations

from shlo_tools.ops.chlo._elementwise import function, number
from shlo_tools.types import Tensor


@function
def _asin_acos_kernel(operand: Tensor) -> Tensor:
    """The common part w of the complex inverse functions of z = x + iy: asin(z) has the real part
    atan2(x, re w) and the imaginary part sign(y) * im w."""
    return number(operand)


@function
def conj(operand: Tensor) -> Tensor:
    """Complex conjugate; the operand itself where that is real."""
    return number(operand)
