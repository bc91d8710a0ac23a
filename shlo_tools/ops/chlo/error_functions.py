"""The error function, its complement and its inverse."""

from __future__ import annotations

from shlo_tools.ops.chlo._elementwise import function, real
from shlo_tools.types import Tensor


@function
def erf(operand: Tensor) -> Tensor:
    """Error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to the operand."""
    return real(operand)


@function
def erfc(operand: Tensor) -> Tensor:
    """1 - erf(operand), accurate where that is small."""
    return real(operand)


@function
def erf_inv(operand: Tensor) -> Tensor:
    """Inverse of ``erf``: infinite at -1 and 1, NaN beyond."""
    return real(operand)
