"""Bessel functions."""

from __future__ import annotations

from shlo_tools.dtypes import Array
from shlo_tools.errors import UnsupportedError
from shlo_tools.reference import special_functions
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.chlo._special import doubled
from shlo_tools.reference.rounding import element_of

chlo = evaluates(dialect="chlo")


@chlo
def bessel_i1e(operand: Array) -> Array:
    if element_of(operand).is_complex:
        raise UnsupportedError("neither JAX nor XLA says what it is of complex numbers")
    return doubled(special_functions.bessel_i1e, operand)
