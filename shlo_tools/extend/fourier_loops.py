"""Fourier transforms of rows as C functions: the loops of the ufuncs that ``numpy.fft`` is made of.

numpy's C API lays down how the object of a ufunc begins; its loops run without the interpreter:
``loop(args, dimensions, steps, data)``, where the operands are the input, a factor of the real type
and the result, and dimensions are rows, elements of a row and elements of its result.
"""

from __future__ import annotations

import ctypes
import importlib
from functools import cache
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array

_UFUNCS = "numpy.fft._pocketfft_umath"
_PREFIX = "numpy.fft."  # how names begin of what is in this process
_NAMES = ("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft")
_LETTERS: dict[np.dtype[Any], str] = {np.dtype(np.float32): "f", np.dtype(np.float64): "d"}
_LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
_PROOF = 6  # elements of a row that tells whether a loop is what it is held for


class _Ufunc(ctypes.Structure):
    """How a ufunc begins behind the header that all of Python's objects have."""

    _fields_ = (
        *[(name, ctypes.c_int) for name in ("inputs", "outputs", "operands", "identity")],
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("types", ctypes.c_int),
    )


@cache
def ufuncs() -> Any:
    """What ``numpy.fft`` is made of; None where another numpy has that elsewhere."""
    try:
        return importlib.import_module(_UFUNCS)
    except ModuleNotFoundError:
        return None


def names(kind: str, real: np.dtype[Any]) -> tuple[str, str | int] | None:
    """How the loop of a ufunc and its data are called in contexts of jobs; 0 is no data.

    None where there is none for a type, or numpy is not what it is held for.
    """
    if real not in _LETTERS or not _are_known():
        return None
    name = f"{_PREFIX}{kind}.{_LETTERS[real]}"
    _, data = _loop(kind, _LETTERS[real])
    return f"{name}.loop", f"{name}.data" if data else 0


def is_name(name: str) -> bool:
    """Whether a name is one of ``names``."""
    return name.startswith(_PREFIX)


def address(name: str) -> int:
    """What ``names`` has named; 0 where there is no such thing."""
    kind, letter, what = name.removeprefix(_PREFIX).split(".")
    if not _are_known():
        return 0
    loop, data = _loop(kind, letter)
    return loop if what == "loop" else data


@cache
def _loop(kind: str, letter: str) -> tuple[int, int]:
    """The addresses of a loop and its data."""
    ufunc = getattr(ufuncs(), kind)
    known = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    number = [types.lower()[0] for types in ufunc.types].index(letter)
    return known.functions[number] or 0, (known.data[number] or 0) if known.data else 0


@cache
def _are_known() -> bool:
    """Whether all ufuncs are there, and begin as told, and their loops compute what they do."""
    if ufuncs() is None:
        return False
    return all(_is_known(kind, real) for kind in _NAMES for real in _LETTERS)


def _is_known(kind: str, real: np.dtype[Any]) -> bool:
    ufunc = getattr(ufuncs(), kind)
    letter = _LETTERS[real]
    known = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    if (known.inputs, known.outputs, known.types) != (ufunc.nin, ufunc.nout, ufunc.ntypes):
        return False
    if letter not in [types.lower()[0] for types in ufunc.types]:
        return False
    row, result = _proof(kind, real)
    factor = np.ones((), real)
    expected = ufunc(row, factor, np.empty_like(result), axes=[(-1,), (), (-1,)])
    loop, data = _loop(kind, letter)
    pointers = (ctypes.c_void_p * 3)(row.ctypes.data, factor.ctypes.data, result.ctypes.data)
    dimensions = (ctypes.c_ssize_t * 3)(1, row.size, result.size)
    steps = (ctypes.c_ssize_t * 5)(0, 0, 0, row.itemsize, result.itemsize)
    _LOOP(loop)(*[ctypes.addressof(words) for words in (pointers, dimensions, steps)], data)
    return bool(result.tobytes() == expected.tobytes())


def _proof(kind: str, real: np.dtype[Any]) -> tuple[Array, Array]:
    """A row of numbers, and room for its transform."""
    complex_type = np.result_type(real, np.complex64)
    numbers = np.arange(1, _PROOF + 1)
    if kind.startswith("rfft"):
        count = _PROOF - (kind == "rfft_n_odd")
        return numbers[:count].astype(real), np.zeros(count // 2 + 1, complex_type)
    if kind == "irfft":
        return numbers[: _PROOF // 2 + 1].astype(complex_type), np.zeros(_PROOF, real)
    return numbers.astype(complex_type), np.zeros(_PROOF, complex_type)
