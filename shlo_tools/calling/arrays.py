"""What callers pass, as arrays of whatever type it has. Free of MLIR."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard

import numpy as np

from shlo_tools.calling import dlpack
from shlo_tools.errors import ArgumentError

Array = np.ndarray[Any, Any]
PYTHON_VALUES = (bool, int, float, complex, list, tuple)


def offered(value: Any, index: int) -> Any:
    """The array that a value is or offers; Python numbers and lists as they are.

    Args:
        index: number of the argument, for messages.

    Raises:
        ArgumentError: it offers none, or one with elements that are masked.
    """
    if isinstance(value, np.ndarray):
        return _unmasked(value, index) if _is_masked(value) else value
    if isinstance(value, PYTHON_VALUES) and not isinstance(value, np.generic):
        return value
    try:
        if hasattr(value, "__array__"):
            return _by_array(value)
        if hasattr(value, "__dlpack__"):
            return dlpack.array(value)
        if not isinstance(value, str):
            return np.asarray(memoryview(value))
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        if not hasattr(value, "__array__") and not hasattr(value, "__dlpack__"):
            raise ArgumentError(f"argument {index}: {type(value).__name__} is no array") from error
        raise ArgumentError(f"argument {index}: {error}") from error
    raise ArgumentError(f"argument {index}: {type(value).__name__} is no array")


def _is_masked(array: Array) -> TypeGuard[np.ma.MaskedArray[Any, Any]]:
    """Whether an array has a mask; nobody has one before numpy.ma was loaded, which takes long."""
    return "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray)


def _unmasked(array: np.ma.MaskedArray[Any, Any], index: int) -> Array:
    masked = int(np.count_nonzero(np.ma.getmaskarray(array)))
    if masked:
        what = "1 element is" if masked == 1 else f"{masked} elements are"
        raise ArgumentError(
            f"argument {index}: {what} masked, and programs know no masks",
            hint="x.filled(value)",
        )
    return array.data


def _by_array(value: Any) -> Any:
    """By ``__array__``; where numpy lacks the type (bf16 of other libraries), by DLPack."""
    try:
        array = np.asarray(value)
    except TypeError:
        if not hasattr(value, "__dlpack__"):
            raise
        return dlpack.array(value)
    return array
