"""The gamma function's logarithm and its derivatives, and Hurwitz' zeta function."""

from __future__ import annotations

from shlo_tools.ops.chlo._elementwise import function, real
from shlo_tools.types import Tensor


@function
def digamma(operand: Tensor) -> Tensor:
    """Derivative of ``lgamma``; NaN at 0 and at the negative integers."""
    return real(operand)


@function
def lgamma(operand: Tensor) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
    return real(operand)


@function
def polygamma(n: Tensor, x: Tensor) -> Tensor:
    """Derivative of order n of ``digamma`` at x; NaN where n is no integer or negative."""
    return real(n, x)


@function
def zeta(x: Tensor, q: Tensor) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x over k = 0, 1, 2, ..."""
    return real(x, q)
