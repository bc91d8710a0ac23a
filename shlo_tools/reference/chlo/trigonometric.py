"""Inverse trigonometric and hyperbolic functions."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import closely

chlo = evaluates(dialect="chlo")


@chlo
def acos(operand: Array) -> Array:
    return closely(np.arccos, operand)


@chlo
def acosh(operand: Array) -> Array:
    return closely(np.arccosh, operand)


@chlo
def asin(operand: Array) -> Array:
    return closely(np.arcsin, operand)


@chlo
def asinh(operand: Array) -> Array:
    return closely(np.arcsinh, operand)


@chlo
def atan(operand: Array) -> Array:
    return closely(np.arctan, operand)


@chlo
def atanh(operand: Array) -> Array:
    return closely(np.arctanh, operand)


@chlo
def cosh(operand: Array) -> Array:
    return closely(np.cosh, operand)


@chlo
def sinh(operand: Array) -> Array:
    return closely(np.sinh, operand)
