"""Inverse trigonometric and hyperbolic functions."""

from __future__ import annotations

from shlo_tools.ops.chlo._elementwise import function, number
from shlo_tools.types import Tensor


@function
def acos(operand: Tensor) -> Tensor:
    """Inverse cosine, in [0, pi] for reals; NaN beyond [-1, 1]."""
    return number(operand)


@function
def acosh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic cosine, nonnegative for reals; NaN below 1."""
    return number(operand)


@function
def asin(operand: Tensor) -> Tensor:
    """Inverse sine, in [-pi/2, pi/2] for reals; NaN beyond [-1, 1]."""
    return number(operand)


@function
def asinh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic sine."""
    return number(operand)


@function
def atan(operand: Tensor) -> Tensor:
    """Inverse tangent, in [-pi/2, pi/2] for reals."""
    return number(operand)


@function
def atanh(operand: Tensor) -> Tensor:
    """Inverse hyperbolic tangent; for reals infinite at -1 and 1, NaN beyond."""
    return number(operand)


@function
def cosh(operand: Tensor) -> Tensor:
    """Hyperbolic cosine."""
    return number(operand)


@function
def sinh(operand: Tensor) -> Tensor:
    """Hyperbolic sine."""
    return number(operand)
