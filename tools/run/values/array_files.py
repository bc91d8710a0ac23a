"""Arrays in .npy and .npz files, without pickled objects in either direction.

numpy has no name for bf16, f8, f6, f4 and the narrow integers: such an array is stored as void
of its width (``V2``, ``V1``), and whoever reads it says what it is:
``numpy.load("out.npz")["result0"].view(ml_dtypes.bfloat16)``.
"""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from shlo_tools.cpu import memory
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError, did_you_mean

_NPY_MAGIC = b"\x93NUMPY"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

# What numpy's and zipfile's readers raise on damaged files: found by damaging files.
_DAMAGED = (
    ValueError,
    EOFError,
    KeyError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def members(path: str) -> list[str] | None:
    """The names of the arrays in an .npz file, in its order; None for an .npy file.

    Raises:
        ShloError: the file cannot be read, or is neither.
    """
    try:
        with open(path, "rb") as file:
            if not _is_archive(file, path):
                return None
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
    except OSError as error:
        raise ShloError(f"cannot read {path!r}: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise _damaged(path, error) from error
    return [name.removesuffix(".npy") for name in names]


def read(path: str, member: str | None = None) -> Array:
    """The array in an .npy file, or the one called ``member`` in an .npz file.

    Raises:
        ShloError: the file cannot be read, is damaged, or holds pickled objects.
    """
    known = members(path)
    if known is None and member is not None:
        raise ShloError(f"{path!r} is an .npy file: it holds one array, and no {member!r}")
    if known is not None and member not in known:
        hint = did_you_mean(member or "", known) or f"it has {', '.join(known[:10]) or 'none'}"
        raise ShloError(f"{path!r} has no array {member!r}", hint=hint)
    try:
        with open(path, "rb") as file:
            return _read_npy(file) if member is None else _read_member(file, member)
    except OSError as error:
        raise ShloError(f"cannot read {path!r}: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise _damaged(path, error) from error


def _is_archive(file: IO[bytes], path: str) -> bool:
    head = file.read(len(_NPY_MAGIC))
    file.seek(0)
    if not head.startswith((_NPY_MAGIC, *_ZIP_MAGIC)):
        what = "is empty" if not head else "is neither an .npy nor an .npz file"
        raise ShloError(f"{path!r} {what}")
    return head != _NPY_MAGIC


def _read_member(file: IO[bytes], member: str) -> Array:
    with zipfile.ZipFile(file) as archive:
        name = f"{member}.npy" if f"{member}.npy" in archive.namelist() else member
        memory.check_fits(archive.getinfo(name).file_size)
        with archive.open(name) as inner:
            return _read_npy(inner)


def _read_npy(file: IO[bytes]) -> Array:
    array: Array = np.lib.format.read_array(file, allow_pickle=False)
    if array.dtype == np.bool_:  # a foreign file may hold other bytes than 0 and 1
        array = np.asarray(array.view(np.uint8) != 0)
    return array


def _damaged(path: str, error: BaseException) -> ShloError:
    if "allow_pickle" in str(error):
        return ShloError(f"{path!r} holds pickled Python objects, which are never loaded")
    reason = str(error).split("\n")[0][:200] or type(error).__name__
    return ShloError(f"{path!r} is damaged: {reason}")


# --- writing --------------------------------------------------------------------------------------
def check_count(path: str, count: int) -> None:
    """Raise the ShloError of results that an .npy file cannot hold, before they are computed."""
    if path.endswith(".npy") and count != 1:
        raise ShloError(f"--output={path}: {count} results do not fit an .npy file, use .npz")


def write(file: IO[bytes], path: str, results: Sequence[Array]) -> None:
    """Write results to ``file``, which is to become ``path``.

    An .npy file takes one; an .npz file all of them, as result0, result1, ...
    """
    stored = [storable(array) for array in results]
    if path.endswith(".npy"):
        # numpy asks a real file for its position, which a pipe has not got.
        stream: Any = SimpleNamespace(write=file.write)
        np.lib.format.write_array(stream, stored[0], allow_pickle=False)
        return
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for number, array in enumerate(stored):
            with archive.open(f"result{number}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def storable(array: Array) -> Array:
    """The array itself, or as void where numpy would write a type that it cannot read back."""
    if array.dtype.isbuiltin == 1:
        return array
    return array.view(f"V{array.dtype.itemsize}")
