"""How special functions are applied to arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference.rounding import above_zero, element_of, rounded


def doubled(function: Callable[..., Array], *operands: Array) -> Array:
    """A function that computes in float64 or longer itself."""
    with np.errstate(all="ignore"):
        wide = [operand.astype(np.float64) for operand in operands]
        return rounded(function(*wide), operands[0].dtype)


def positive(function: Callable[..., Array], operand: Array) -> Callable[..., Array]:
    """A function that is positive where the operand is."""
    return above_zero(function) if element_of(operand).name == "f8E8M0FNU" else function
