"""The gamma function's logarithm and its derivatives, and Hurwitz' zeta function."""

from __future__ import annotations

from shlo_tools.dtypes import Array
from shlo_tools.reference import special_functions
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.chlo._special import doubled, positive

chlo = evaluates(dialect="chlo")


@chlo
def digamma(operand: Array) -> Array:
    return doubled(special_functions.digamma, operand)


@chlo
def lgamma(operand: Array) -> Array:
    return doubled(special_functions.lgamma, operand)


@chlo
def polygamma(n: Array, x: Array) -> Array:
    return doubled(special_functions.polygamma, n, x)


@chlo
def zeta(x: Array, q: Array) -> Array:
    return doubled(positive(special_functions.zeta, x), x, q)
