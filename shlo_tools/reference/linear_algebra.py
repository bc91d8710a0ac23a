"""Ops on matrices; leading dimensions are a batch."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.ops.linear_algebra import Transpose
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import extended, rounded


@evaluates
def cholesky(a: Array, lower: bool = False) -> Array:
    with np.errstate(all="ignore"):
        wide = extended(a)
        # u^H u = a has the factor u = l^H, of the matrix whose lower triangle is the upper's.
        lower_factor = _factor(wide if lower else np.conj(np.swapaxes(wide, -1, -2)))
        factor = lower_factor if lower else np.conj(np.swapaxes(lower_factor, -1, -2))
    return rounded(factor, a.dtype)


def _factor(a: Array) -> Array:
    """The lower factor, column by column for the whole batch; NaN where there is none."""
    size = a.shape[-1]
    factor = np.zeros_like(a)
    good = np.ones(a.shape[:-2], np.bool_)
    for j in range(size):
        row = factor[..., j, :j]
        pivot = a[..., j, j].real - (row.real**2 + row.imag**2).sum(axis=-1)
        good &= pivot > 0
        root = np.sqrt(np.where(pivot > 0, pivot, 1))
        factor[..., j, j] = root
        products = np.matmul(factor[..., j + 1 :, :j], np.conj(row)[..., None])[..., 0]
        factor[..., j + 1 :, j] = (a[..., j + 1 :, j] - products) / root[..., None]
    return np.where(good[..., None, None], factor, np.nan)


@evaluates
def triangular_solve(
    a: Array,
    b: Array,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose_a: Transpose,
) -> Array:
    matrix, right = extended(a), extended(b)
    if transpose_a is not Transpose.NO_TRANSPOSE:
        matrix, lower = np.swapaxes(matrix, -1, -2), not lower
    if transpose_a is Transpose.ADJOINT:
        matrix = np.conj(matrix)
    if not left_side:  # x a = b is a^T x^T = b^T
        matrix, lower = np.swapaxes(matrix, -1, -2), not lower
        right = np.swapaxes(right, -1, -2)
    with np.errstate(all="ignore"):
        x = _substituted(matrix, right, lower, unit_diagonal)
    return rounded(x if left_side else np.swapaxes(x, -1, -2), b.dtype)


def _substituted(a: Array, b: Array, lower: bool, unit_diagonal: bool) -> Array:
    """Row by row, from the end of the triangle that has one element."""
    size = a.shape[-1]
    x = np.zeros_like(b)
    for i in range(size) if lower else reversed(range(size)):
        known = slice(0, i) if lower else slice(i + 1, size)
        products = np.matmul(a[..., i : i + 1, known], x[..., known, :])[..., 0, :]
        rest = b[..., i, :] - products
        x[..., i, :] = rest if unit_diagonal else rest / a[..., i, i][..., None]
    return x
