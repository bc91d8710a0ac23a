"""Functions that are about complex numbers."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference import complex_functions as on_complex
from shlo_tools.reference import elementwise
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import closely, element_of

chlo = evaluates(dialect="chlo")


@chlo
def _asin_acos_kernel(operand: Array) -> Array:
    """For asin(z) = a + ib the number cos(a) cosh(b) + i|b|."""

    def kernel(z: Array) -> Array:
        if z.dtype.kind != "c":
            return np.asarray(np.sqrt((1 - z) * (1 + z)))
        angle = np.arcsin(z)
        real = np.cos(angle.real) * np.cosh(angle.imag)
        return on_complex.joined(real, np.abs(angle.imag))

    return closely(kernel, operand)


@chlo
def conj(operand: Array) -> Array:
    if not element_of(operand).is_complex:
        return operand
    return on_complex.joined(operand.real, elementwise.negate(operand.imag))
