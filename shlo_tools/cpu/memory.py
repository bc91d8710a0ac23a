"""Host memory as compiled code wants it: aligned, row-major, native byte order."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, ElementType, TensorType
from shlo_tools.errors import ArgumentError, ExecutionError

ALIGNMENT = 64


def aligned_empty(type: TensorType) -> Array:
    """A new array whose data starts at a multiple of 64 bytes.

    Raises:
        ExecutionError: it would not fit in this machine's memory.
    """
    block, start = _block(type.nbytes)
    return np.ndarray(type.static_shape, type.element_type.dtype, block, start)


def aligned_bytes(count: int) -> Array:
    """Like ``aligned_empty``, as plain bytes."""
    block, start = _block(count)
    return block[start : start + count]


def reserved_bytes() -> Array:
    """Addresses for as many bytes as the machine has; they take memory when they are used."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    try:
        return np.frombuffer(mmap.mmap(-1, _physical_memory(), flags=flags), np.uint8)
    except OSError as error:
        raise ExecutionError(f"no memory for temporaries: {error.strerror}") from error


def _block(count: int) -> tuple[Array, int]:
    """Memory for ``count`` bytes, and where in it they start."""
    if count > 1 << 20:
        check_fits(count)
    try:
        block = np.empty(count + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError, OverflowError):
        raise ExecutionError(_too_large(count)) from None
    return block, -block.ctypes.data % ALIGNMENT


def check_fits(count: int) -> None:
    """Raise ExecutionError when ``count`` bytes exceed the machine's memory."""
    if count > _physical_memory():
        raise ExecutionError(_too_large(count))


def _too_large(count: int) -> str:
    have = _physical_memory()
    return f"{count:,} bytes are needed, this machine has {have:,}"


def _physical_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def as_argument(value: Any, type: TensorType, index: int, *, cast: bool) -> Array:
    """What a caller passed, as an array that compiled code can read; no copy where none is needed.

    Raises:
        ArgumentError: wrong dtype, shape or byte order.
    """
    array = _as_array(value, type.element_type, index)
    wanted = type.element_type
    if array.dtype != wanted.dtype:
        array = _converted(array, wanted, index, cast=cast)
    if not type.admits(array.shape):
        raise ArgumentError(f"argument {index}: shape {_shape(array.shape)} given, {type} wanted")
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return array.copy(order="C")


def _shape(shape: Sequence[int]) -> str:
    return f"({', '.join(str(size) for size in shape)})"


def _as_array(value: Any, element: ElementType, index: int) -> Array:
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, bool | int | float | complex | list | tuple):
        return _from_python(value, element, index)
    try:
        if hasattr(value, "__array__"):
            return np.asarray(value)
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise ArgumentError(f"argument {index}: {error}") from error
    raise ArgumentError(f"argument {index}: {type(value).__name__} is no array")


def _from_python(value: Any, element: ElementType, index: int) -> Array:
    """Python numbers have no dtype of their own: they take the wanted one, if it can hold them."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"argument {index}: {error}") from error
    kinds = {"boolean": "b", "signed integer": "iu", "unsigned integer": "iu", "float": "iuf"}
    allowed = kinds.get(element.kind.value, "iufc")
    if array.dtype.kind not in allowed and array.size:
        raise ArgumentError(f"argument {index}: {array.dtype} values given, {element} wanted")
    converted = array.astype(element.dtype)
    if element.is_integer and not np.array_equal(converted.astype(object), array.astype(object)):
        raise ArgumentError(f"argument {index}: values do not fit {element}")
    return converted


def _converted(array: Array, wanted: ElementType, index: int, *, cast: bool) -> Array:
    if not array.dtype.isnative and array.dtype.newbyteorder("=") == wanted.dtype:
        raise ArgumentError(
            f"argument {index}: {array.dtype.str} is in another byte order",
            hint=f"x.astype({wanted.dtype.name!r})",
        )
    if not cast:
        raise ArgumentError(
            f"argument {index}: {array.dtype} given, {wanted.dtype} ({wanted}) wanted",
            hint=f"cast=True or x.astype({wanted.dtype.name!r})",
        )
    try:
        return array.astype(wanted.dtype)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"argument {index}: {error}") from error
