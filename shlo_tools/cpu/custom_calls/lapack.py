"""``lapack_{s,d,c,z}<routine>_ffi``: the LAPACK calls that JAX exports for CPUs.

Leading dimensions are a batch. Options are letters, as character codes of type ui8. A failure
is told by the ``info`` result as LAPACK tells it; what a routine leaves unset (vectors that
``mode`` does not ask for) is zeros. Each function below computes one matrix of the batch and
returns what its targets return, None for what stays unset.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.cpu import lapack
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError
from shlo_tools.extend import CustomCall, lapack_targets
from shlo_tools.extend.lapack_targets import LETTERS, NOT_FINITE, letter_of, spelled

Results = tuple[Array | int | None, ...]


def run(
    function: Callable[..., Results],
    *operands: Array,
    attributes: Mapping[str, Any],
    result_types: Sequence[TensorType],
) -> tuple[Array, ...]:
    """Apply a function on one matrix to each of a batch."""
    rank = max((operand.ndim for operand in operands), default=0)
    batch = operands[0].shape[: rank - 2] if rank >= 2 else None
    if batch is None or any(operand.shape[: len(batch)] != batch for operand in operands):
        raise ExecutionError(f"LAPACK call: {[o.shape for o in operands]} is no batch of matrices")
    options = {name: _decoded(name, value) for name, value in attributes.items()}
    _check_signature(function, len(operands), tuple(options))
    results = tuple(np.zeros(t.static_shape, t.element_type.dtype) for t in result_types)
    for index in np.ndindex(batch):
        values = function(*(operand[index] for operand in operands), **options)
        _require(len(values) == len(results), f"it has {len(values)} results")
        for result, value in zip(results, values, strict=True):
            if value is not None:
                array = np.asarray(value, np.int32 if isinstance(value, int) else None)
                if array.shape != result[index].shape or array.dtype != result.dtype:
                    actual = f"{array.dtype} of shape {array.shape}"
                    raise ExecutionError(f"LAPACK call: a result is {actual}")
                result[index] = array
    return results


@functools.cache
def _check_signature(function: Callable[..., Results], count: int, options: Iterable[str]) -> None:
    try:
        inspect.signature(function).bind(*range(count), **dict.fromkeys(options))
    except TypeError as error:
        raise ExecutionError(f"LAPACK call: {error}") from error


def _decoded(name: str, value: Any) -> Any:
    if name not in LETTERS:
        return value
    letter = letter_of(name, value)
    if letter is None:
        raise ExecutionError(f"LAPACK option {name} = {value!r} is none of {LETTERS[name]!r}")
    return letter


def _call(routine: str, *arguments: int | str | Array | None, of: Array) -> int:
    """A routine for the element type of a matrix."""
    prefix = lapack.prefix_of(of.dtype)
    return lapack.call(prefix + spelled(routine, prefix), *arguments)


def _columns(a: Array) -> tuple[Array, int, int, int]:
    """A column-major copy of a matrix, its numbers of rows and columns, its leading dimension."""
    _require(a.ndim == 2, "a matrix is needed")
    rows, columns = a.shape
    return np.array(a, order="F"), rows, columns, max(1, rows)


def _square(a: Array) -> tuple[Array, int, int]:
    """The same of a square matrix."""
    copy, size, columns, leading = _columns(a)
    _require(size == columns, "the matrix is not square")
    return copy, size, leading


def _require(holds: bool, message: str) -> None:
    """LAPACK reads and writes by the sizes it is told: they must fit."""
    if not holds:
        raise ExecutionError(f"LAPACK call: {message}")


def _real(a: Array, *shape: int) -> Array:
    """Zeros of the real type that belongs to the element type of a matrix."""
    return np.zeros(shape, a.real.dtype)


def _is_real(a: Array) -> bool:
    return bool(a.dtype.kind == "f")


# --- factorizations -------------------------------------------------------------------------------
def potrf(a: Array, *, uplo: str) -> Results:
    """Cholesky factor in one triangle; the other keeps its values.

    The lower factor by rows is the upper one of the transposed matrix by columns.
    """
    transposed, size, leading = _square(a.T)
    info = _call("potrf", {"L": "U", "U": "L"}[uplo], size, transposed, leading, of=a)
    return transposed.T, info


def getrf(a: Array) -> Results:
    """LU factors and pivots (from 1)."""
    a, rows, columns, leading = _columns(a)
    pivots = np.zeros(min(rows, columns), np.int32)
    return a, pivots, _call("getrf", rows, columns, a, leading, pivots, of=a)


def geqrf(a: Array) -> Results:
    """R, reflectors below it, and their factors."""
    a, rows, columns, leading = _columns(a)
    tau = np.zeros(min(rows, columns), a.dtype)
    _call("geqrf", rows, columns, a, leading, tau, of=a)
    return a, tau


def geqp3(a: Array, pivots: Array) -> Results:
    """As ``geqrf`` with columns swapped; nonzero pivots ask for a column to come first."""
    a, rows, columns, leading = _columns(a)
    _require(pivots.shape == (columns,) and pivots.dtype == np.int32, "pivots do not fit")
    pivots, tau = np.array(pivots), np.zeros(min(rows, columns), a.dtype)
    _call("geqp3", rows, columns, a, leading, pivots, tau, of=a)
    return a, pivots, tau


def orgqr(a: Array, tau: Array) -> Results:
    """The first columns of the product of the reflectors of ``geqrf``."""
    a, rows, columns, leading = _columns(a)
    tau = np.array(tau, a.dtype)
    _require(tau.ndim == 1 and len(tau) <= columns <= rows, "reflectors do not fit")
    _call("orgqr", rows, columns, len(tau), a, leading, tau, of=a)
    return (a,)


def ormqr(a: Array, tau: Array, c: Array, *, left: bool, transpose: bool) -> Results:
    """``c`` times the product of the reflectors, from the left or right, or its adjoint."""
    a, rows, columns, leading = _columns(a)
    c, *sizes, leading_c = _columns(c.astype(a.dtype, copy=False))
    tau = np.array(tau, a.dtype)
    _require(rows == sizes[0 if left else 1], "the matrices do not fit")
    _require(tau.ndim == 1 and len(tau) <= min(rows, columns), "reflectors do not fit")
    adjoint = "T" if _is_real(a) else "C"
    letters = ("L" if left else "R", adjoint if transpose else "N")
    _call("ormqr", *letters, *sizes, len(tau), a, leading, tau, c, leading_c, of=a)
    return (c,)


# --- singular values and eigenvalues --------------------------------------------------------------
def gesdd(a: Array, *, mode: str, by_qr: bool = False) -> Results:
    """``a`` (used up), singular values, and vectors: all, ``S`` as many as values, ``N`` none.

    By columns, ``a`` is its transposed matrix, whose left vectors are the right ones of ``a``.
    """
    by_columns, columns, rows, leading = _columns(a.T)
    a = by_columns.T
    values = _real(a, min(rows, columns))
    is_finite = _made_finite(a)
    u = np.zeros((rows, rows if mode == "A" else len(values)), a.dtype)
    v = np.zeros((columns if mode == "A" else len(values), columns), a.dtype)
    vectors = (v, leading, u, max(1, u.shape[1]))
    sizes = (columns, rows, a, leading)
    if by_qr:
        unused = (_real(a, max(1, len(values))),)
        info = _call("gesvd", mode, mode, *sizes, values, *vectors, *unused, of=a)
    else:
        info = _call("gesdd", mode, *sizes, values, *vectors, of=a)
    vectors_or_none = (None, None) if mode == "N" else (u, v)
    return a, values, *vectors_or_none, info if is_finite else NOT_FINITE


def _made_finite(a: Array) -> bool:
    """Whether a matrix is finite; it is 0 behind this if not, as routines would iterate on it."""
    is_finite = bool(np.isfinite(a).all())
    if not is_finite:
        a[...] = 0
    return is_finite


def syevd(a: Array, *, mode: str, uplo: str) -> Results:
    """Eigenvectors of a symmetric or Hermitian matrix, and eigenvalues in ascending order."""
    a, size, leading = _square(a)
    values = _real(a, size)
    return a, values, _call("syevd", mode, uplo, size, a, leading, values, of=a)


def geev(a: Array, *, compute_left: str, compute_right: str) -> Results:
    """Eigenvalues (of a real matrix in two parts), left and right eigenvectors, complex."""
    a, size, leading = _square(a)
    values = [np.zeros(size, a.dtype) for _ in range(2 if _is_real(a) else 1)]
    is_finite = _made_finite(a)
    letters = compute_left, compute_right
    left, right = (np.zeros_like(a, order="F") if letter == "V" else None for letter in letters)
    vectors = (left, leading, right, leading)
    info = _call("geev", compute_left, compute_right, size, a, leading, *values, *vectors, of=a)
    if _is_real(a):
        left, right = (None if v is None else _paired(v, values[1]) for v in (left, right))
    return *values, left, right, info if is_finite else NOT_FINITE


def _paired(vectors: Array, imaginary: Array) -> Array:
    """Complex eigenvectors: those of a conjugate pair are stored as real and imaginary part."""
    unpacked = vectors + np.zeros((), np.result_type(vectors, np.complex64))
    first = np.flatnonzero(imaginary > 0)
    first = first[first + 1 < len(imaginary)]
    unpacked[:, first] = vectors[:, first] + 1j * vectors[:, first + 1]
    unpacked[:, first + 1] = vectors[:, first] - 1j * vectors[:, first + 1]
    return unpacked


def gees(a: Array, *, mode: str, sort: str) -> Results:
    """Schur form, Schur vectors, eigenvalues, and how many were sorted to the front (none)."""
    a, size, leading = _square(a)
    vectors, count = np.zeros_like(a, order="F"), np.zeros((), np.int32)
    values = [np.zeros(size, a.dtype) for _ in range(2 if _is_real(a) else 1)]
    is_finite = _made_finite(a)
    outputs: list[Any] = [*values, vectors, leading]
    info = _call("gees", mode, sort, None, size, a, leading, count, *outputs, of=a)
    return a, vectors if mode == "V" else None, *values, count, info if is_finite else NOT_FINITE


def gehrd(a: Array, *, low: int, high: int) -> Results:
    """Hessenberg form with reflectors below it, and their factors."""
    a, size, leading = _square(a)
    bounds = 1 <= low <= high <= size if size else (low, high) == (1, 0)
    _require(bounds, f"low = {low} and high = {high} do not fit")
    tau = np.zeros(max(0, size - 1), a.dtype)
    return a, tau, _call("gehrd", size, low, high, a, leading, tau, of=a)


def sytrd(a: Array, *, uplo: str) -> Results:
    """Reflectors to tridiagonal form, its diagonal and off-diagonal, and the factors."""
    a, size, leading = _square(a)
    diagonal, beside = _real(a, size), _real(a, max(0, size - 1))
    tau = np.zeros(len(beside), a.dtype)
    info = _call("sytrd", uplo, size, a, leading, diagonal, beside, tau, of=a)
    return a, diagonal, beside, tau, info


# --- systems of equations -------------------------------------------------------------------------
def trsm(a: Array, b: Array, *, side: str, uplo: str, trans_x: str, diag: str) -> Results:
    """The solution of a triangular system."""
    b = np.array(b, order="C")
    lapack.solve_triangular(np.ascontiguousarray(a, b.dtype), b, side, uplo, trans_x, diag)
    return (b,)


def gtsv(lower: Array, diagonal: Array, upper: Array, b: Array) -> Results:
    """The diagonals (used up) and the solution; ``lower[0]`` and ``upper[-1]`` are not read."""
    b, size, count, leading = _columns(b)
    lower, diagonal, upper = _diagonals(lower, diagonal, upper, b)
    bands = (lower[1:], diagonal, upper[:-1])
    info = _call("gtsv", size, count, *bands, b, leading, of=b)
    return lower, diagonal, upper, b, info


def perturbed(lower: Array, diagonal: Array, upper: Array, b: Array) -> Results:
    """As ``gtsv``; pivots too small are replaced by about eps times the largest element of U."""
    if not _is_real(b):
        raise ExecutionError("tridiagonal_solve_perturbed_ffi: LAPACK has it for real types only")
    lower, diagonal, upper = _diagonals(lower, diagonal, upper, b)
    size, prefix = len(diagonal), lapack.prefix_of(b.dtype)
    solution, zero = np.array(b, order="F"), np.zeros((), b.dtype)
    second, swaps = np.zeros(size, b.dtype), np.zeros(size, np.int32)
    info = np.zeros((), np.int32)
    factors = (diagonal, upper, lower[1:], second, swaps)
    lapack.call_fortran(
        f"{prefix}lagtf", size, diagonal, zero, upper, lower[1:], zero, second, swaps, info
    )
    for column in solution.T:
        tolerance = np.zeros((), b.dtype)  # 0: chosen, and written here
        lapack.call_fortran(f"{prefix}lagts", -1, size, *factors, column, tolerance, info)
    return (solution,)


def _diagonals(lower: Array, diagonal: Array, upper: Array, b: Array) -> list[Array]:
    bands = [np.array(band, b.dtype) for band in (lower, diagonal, upper)]
    _require(all(band.shape == b.shape[:1] for band in bands), "the diagonals do not fit")
    return bands


_ROUTINES: dict[str, Callable[..., Results]] = {
    "potrf": potrf,
    "getrf": getrf,
    "geqrf": geqrf,
    "geqp3": geqp3,
    "orgqr": orgqr,
    "ormqr": ormqr,
    "gesdd": gesdd,
    "gesvd": functools.partial(gesdd, by_qr=True),
    "syevd": syevd,
    "geev": geev,
    "gees": gees,
    "gehrd": gehrd,
    "sytrd": sytrd,
    "trsm": trsm,
    "gtsv": gtsv,
}

TARGETS: dict[str, CustomCall] = {
    "tridiagonal_solve_perturbed_ffi": functools.partial(run, perturbed),
    **{
        name: functools.partial(run, _ROUTINES[target.routine])
        for name, target in lapack_targets.TARGETS.items()
    },
}
