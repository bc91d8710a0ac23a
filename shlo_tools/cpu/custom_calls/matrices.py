"""``shlo.cholesky`` and ``shlo.triangular_solve``, as the specification has them.

Types narrower than f32 are computed in f32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shlo_tools import time_limit
from shlo_tools.cpu import lapack
from shlo_tools.dtypes import Array
from shlo_tools.extend import CustomCall

MOST, LEAST = 1 << 31, 32  # multiplications and columns between two looks at the time


def cholesky(a: Array, *, attributes: Mapping[str, Any]) -> Array:
    """Reads the chosen triangle; zeros in the other; a matrix of NaN where there is no factor."""
    uplo, keep = ("L", np.tril) if attributes.get("lower") else ("U", np.triu)
    factors = _computable(a)
    routine = lapack.prefix_of(factors.dtype) + "potrf"
    size = a.shape[-1]
    for index in np.ndindex(a.shape[:-2]):
        time_limit.check()
        columns = np.array(factors[index], order="F")
        info = lapack.call(routine, uplo, size, columns, max(1, size))
        factors[index] = keep(columns) if info == 0 else np.nan
    return factors.astype(a.dtype)


def triangular_solve(a: Array, b: Array, *, attributes: Mapping[str, Any]) -> Array:
    """Reads the chosen triangle, without its diagonal where that is said to be 1."""
    letters = (
        "L" if attributes["left_side"] else "R",
        "L" if attributes["lower"] else "U",
        {"NO_TRANSPOSE": "N", "TRANSPOSE": "T", "ADJOINT": "C"}[attributes["transpose_a"]],
        "U" if attributes["unit_diagonal"] else "N",
    )
    coefficients, solution = _computable(a), _computable(b)
    for index in np.ndindex(b.shape[:-2]):
        for part in _parts(solution[index], along=1 if attributes["left_side"] else 0):
            time_limit.check()
            rows = np.ascontiguousarray(part)
            lapack.solve_triangular(coefficients[index], rows, *letters)
            part[...] = rows
    return solution.astype(b.dtype)


def _parts(matrix: Array, along: int) -> list[Array]:
    """Views of columns or rows that are solved for alone."""
    size = matrix.shape[1 - along]
    count = max(LEAST, MOST // max(1, size * size))
    starts = range(0, max(1, matrix.shape[along]), count)
    return [matrix[:, s : s + count] if along else matrix[s : s + count] for s in starts]


def _computable(array: Array) -> Array:
    """A new array of an element type that LAPACK computes with."""
    narrow = array.dtype not in lapack.PREFIXES
    return np.array(array, np.float32 if narrow else array.dtype, order="C")


TARGETS: dict[str, CustomCall] = {
    "shlo.cholesky": cholesky,
    "shlo.triangular_solve": triangular_solve,
}
