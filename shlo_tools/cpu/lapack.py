"""LAPACK and triangular solves of the OpenBLAS library, on numpy arrays."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from shlo_tools.cpu.symbols import blas
from shlo_tools.dtypes import Array, element_type
from shlo_tools.errors import ExecutionError
from shlo_tools.extend import lapack_targets
from shlo_tools.extend.lapack_targets import CBLAS

# LAPACK's letter for each element type that it computes with.
PREFIXES = {element_type(name).dtype: letter for letter, name in lapack_targets.PREFIXES.items()}
_PREFIX = "scipy_"
_COLUMN_MAJOR, _ROW_MAJOR = 102, 101
_OUT_OF_MEMORY = -1010  # and below


def prefix_of(dtype: np.dtype[Any]) -> str:
    """LAPACK's letter for an element type.

    Raises:
        ExecutionError: LAPACK does not compute with it.
    """
    prefix = PREFIXES.get(dtype)
    if prefix is None:
        raise ExecutionError(f"LAPACK does not compute with {dtype}")
    return prefix


def call(name: str, *arguments: int | str | Array | None) -> int:
    """Call a routine such as ``sgetrf`` by its LAPACKE arguments; returns ``info``.

    Letters are given as text, arrays by their memory: matrices column-major (``order="F"``).
    Nothing is checked: sizes must fit the arrays.
    """
    info = int(_routine(f"LAPACKE_{name}")(_COLUMN_MAJOR, *map(_passed, arguments)))
    if info <= _OUT_OF_MEMORY:
        raise MemoryError(f"{name} could not allocate its work space")
    return info + 1 if info < 0 else info  # LAPACKE counts the layout as an argument


def solve_triangular(a: Array, b: Array, side: str, uplo: str, trans: str, diag: str) -> None:
    """Overwrite ``b`` with the solution of op(a) x = b or x op(a) = b; both row-major matrices.

    Raises:
        ExecutionError: ``a`` does not fit ``b``, or LAPACK does not compute with their type.
    """
    size = b.shape[0 if side == "L" else 1]
    if a.shape != (size, size) or a.dtype != b.dtype:
        raise ExecutionError(f"a {a.dtype} matrix of shape {a.shape} does not fit {b.shape}")
    one = np.ones((), b.dtype)
    alpha: Any = one.ctypes.data_as(ctypes.c_void_p)
    if b.dtype.kind == "f":
        alpha = (ctypes.c_float if b.dtype.itemsize == 4 else ctypes.c_double)(1.0)
    options = zip(("side", "uplo", "trans_x", "diag"), (side, uplo, trans, diag), strict=True)
    rows, columns = b.shape
    _routine(f"cblas_{prefix_of(b.dtype)}trsm")(
        _ROW_MAJOR,
        *(CBLAS[option][letter] for option, letter in options),
        *(rows, columns, alpha),
        *(_passed(a), max(1, a.shape[1]), _passed(b), max(1, columns)),
    )


def call_fortran(name: str, *arguments: int | float | Array) -> None:
    """Call a routine that LAPACKE lacks; every argument is an array or becomes one."""
    arrays = [_by_reference(argument) for argument in arguments]
    _routine(f"{name}_")(*map(_passed, arrays))


def _by_reference(argument: int | float | Array) -> Array:
    if isinstance(argument, int):
        return np.array(argument, np.int32)
    return np.asarray(argument)


def _passed(argument: int | str | Array | None) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return ctypes.c_char(argument.encode()) if isinstance(argument, str) else argument


@cache
def _routine(name: str) -> Any:
    return getattr(blas(), _PREFIX + name)
