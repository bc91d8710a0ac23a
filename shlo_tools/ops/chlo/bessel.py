"""Bessel functions."""

from __future__ import annotations

from shlo_tools.ops.chlo._elementwise import function, number
from shlo_tools.types import Tensor


@function
def bessel_i1e(operand: Tensor) -> Tensor:
    """exp(-|x|) I1(x), with the modified Bessel function of order 1."""
    return number(operand)
