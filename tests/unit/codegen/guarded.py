"""Arrays against unmapped pages: what reads or writes outside ends the process."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np

_PAGE = mmap.PAGESIZE
_kept: list[mmap.mmap] = []  # numpy arrays do not own the mapping's neighbours


def guarded(array: np.ndarray, *, at_end: bool) -> np.ndarray:
    """A copy whose last (or first) byte has an unmapped page beside it."""
    pages = max(1, -(-array.nbytes // _PAGE))
    block = mmap.mmap(-1, (pages + 2) * _PAGE)
    _kept.append(block)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    for page in (0, pages + 1):
        status = _mprotect(start + page * _PAGE, _PAGE, 0)
        if status:
            raise OSError("mprotect failed")
    offset = _PAGE * (pages + 1) - array.nbytes if at_end else _PAGE
    copy = np.frombuffer(block, array.dtype, array.size, offset).reshape(array.shape)
    copy[...] = array
    return copy


def _mprotect(address: int, size: int, protection: int) -> int:
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return int(mprotect(address, size, protection))
