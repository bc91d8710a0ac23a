"""Host memory as compiled code wants it: aligned, row-major, native byte order."""

from __future__ import annotations

import gc
import mmap
import os
import resource
import sys

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError

ALIGNMENT = 64
_LEAST_RESERVED = 1 << 20
# Python 3.11 has no name for it. Without it a fork that copies the addresses may be refused, as
# they are more than the machine has memory for.
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
_PARTS = 16  # of the addresses that a process may have, of which one is reserved at a time


def aligned_empty(type: TensorType) -> Array:
    """A new array whose data starts at a multiple of 64 bytes.

    Raises:
        ExecutionError: it would not fit in this machine's memory.
    """
    return aligned_at(type)[0]


def aligned_at(type: TensorType) -> tuple[Array, int]:
    """Like ``aligned_empty``, with the address."""
    data, start, address = block(type.nbytes)
    return np.ndarray(type.static_shape, type.element_type.dtype, data, start), address


def aligned_bytes(count: int) -> Array:
    """Like ``aligned_empty``, as plain bytes."""
    data, start, _ = block(count)
    return data[start : start + count]


def reserved_bytes(least: int) -> Array:
    """Addresses for as many bytes as the machine has; they take memory when they are used.

    Where a process may not have so many addresses, it is a part of those, which leaves some.

    Raises:
        ExecutionError: there are fewer than ``least``.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    most = _physical_memory()
    size = most = most if limit == resource.RLIM_INFINITY else min(most, limit // _PARTS)
    check_fits(least)
    while True:
        try:
            return np.frombuffer(mmap.mmap(-1, max(size, least), flags=flags), np.uint8)
        except OSError as error:
            if size <= max(_LEAST_RESERVED, least):
                raise ExecutionError(f"no memory for temporaries: {error.strerror}") from error
        if size == most:
            gc.collect()  # executables that nobody has any more may have some
        size //= 4


def block(count: int) -> tuple[Array, int, int]:
    """Memory for ``count`` bytes, where in it they start, and the address of that."""
    if count > 1 << 20:
        check_fits(count)
    try:
        data = np.empty(count + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError, OverflowError):
        raise ExecutionError(_too_large(count)) from None
    address = data.ctypes.data
    start = -address % ALIGNMENT
    return data, start, address + start


def check_fits(count: int) -> None:
    """Raise ExecutionError when ``count`` bytes exceed the machine's memory."""
    if count > _physical_memory():
        raise ExecutionError(_too_large(count))


def _too_large(count: int) -> str:
    have = _physical_memory()
    return f"{count:,} bytes are needed, this machine has {have:,}"


def _physical_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
