"""C functions that custom calls name."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

POINTER, TEXT, SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
ORIGINAL = ctypes.CFUNCTYPE(None, POINTER, ctypes.POINTER(POINTER))


def floats(address: int, count: int = 6) -> Any:
    """Memory as an array of floats."""
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), (count,))
