"""The error function, its complement and its inverse."""

from __future__ import annotations

from shlo_tools.dtypes import Array
from shlo_tools.reference import special_functions
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.chlo._special import doubled, positive

chlo = evaluates(dialect="chlo")


@chlo
def erf(operand: Array) -> Array:
    return doubled(special_functions.erf, operand)


@chlo
def erf_inv(operand: Array) -> Array:
    return doubled(special_functions.erf_inv, operand)


@chlo
def erfc(operand: Array) -> Array:
    return doubled(positive(special_functions.erfc, operand), operand)
