"""Files of arrays in the safetensors format, read by memory map.

A file is the header's length (8 bytes, little-endian), the header (a JSON object) and the data.
The header names each array's type, shape and the bytes of the data that it takes:

    {"weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}

Element types that the format has no name for are stored as bytes, ``U8``, with one more dimension:
the bytes of an element in memory. Who reads such an array says what it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from shlo_tools import files
from shlo_tools.dtypes import ELEMENT_TYPES, Array, ElementType, TensorType, of_array
from shlo_tools.errors import ShloError, did_you_mean

# The format's names. Its packed types (F4, F6_E2M3, F6_E3M2) hold several elements in a byte,
# which nothing here does: those are stored as bytes.
_NAMES = {
    "BOOL": "i1",
    **{f"I{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"U{bits}": f"ui{bits}" for bits in (8, 16, 32, 64)},
    **{f"F{bits}": f"f{bits}" for bits in (16, 32, 64)},
    "BF16": "bf16",
    "F8_E4M3": "f8E4M3FN",
    "F8_E5M2": "f8E5M2",
    "F8_E8M0": "f8E8M0FNU",
    "C64": "complex<f32>",
}
_SPELLED = {name: spelling for spelling, name in _NAMES.items()}
_BYTES = ELEMENT_TYPES["ui8"]
_METADATA = "__metadata__"
_LENGTH = 8  # bytes that hold the header's length
_MOST = 100 << 20  # bytes of a header, as the format's own readers have it
_ALIGNMENT = 64


@dataclass(frozen=True)
class Entry:
    """Where an array is in a file's data, and what it is."""

    type: TensorType
    start: int
    end: int


# --- writing --------------------------------------------------------------------------------------
def write(
    path: str, arrays: Mapping[str, Array], metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays to a file, which appears whole or not at all.

    Args:
        metadata: texts about the file.

    Raises:
        ShloError: the file cannot be written.
    """
    stored = {name: _stored(array) for name, array in arrays.items()}
    # Wide elements first: each is then aligned for its own type.
    order = sorted(stored, key=lambda name: -stored[name].dtype.itemsize)
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    at = 0
    for name in order:
        type = of_array(stored[name])
        header[name] = {
            "dtype": _SPELLED[type.element_type.name],
            "shape": list(type.static_shape),
            "data_offsets": [at, at + type.nbytes],
        }
        at += type.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + _LENGTH) % _ALIGNMENT)

    def pieces() -> Iterator[bytes | memoryview]:
        yield len(text).to_bytes(_LENGTH, "little")
        yield text
        for name in order:
            yield stored[name].reshape(-1).view(np.uint8).data

    files.write_pieces(path, pieces())


def _stored(array: Array) -> Array:
    """An array as the format has it: row-major, and as bytes where it does not name its type."""
    array = np.asarray(array, order="C")
    if of_array(array).element_type.name in _SPELLED:
        return array
    return array.reshape(-1).view(np.uint8).reshape(*array.shape, array.dtype.itemsize)


# --- reading --------------------------------------------------------------------------------------
class Arrays:
    """The arrays of a file. They are read from it when their elements are; nobody can write them.

    Whoever writes into the file while it is open changes the arrays; who cuts it off ends the
    process that reads on. Files that are replaced by a rename, as ``write`` does, are safe.

    Attributes:
        path: what messages call the file.
        entries: by the arrays' names.
        metadata: texts about the file.

    Raises:
        ShloError: the file cannot be read, or is no such file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        files.check_path(path, "read")
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
            raise ShloError(f"cannot read {path!r}: it is no regular file")
        try:
            data = np.memmap(path, np.uint8, "r")
        except OSError as error:
            raise ShloError(f"cannot read {path!r}: {error.strerror or error}") from error
        except ValueError as error:  # an empty file cannot be mapped
            raise _broken(path, "it is empty") from error
        self._data, header = _split(data, path)
        self.metadata: dict[str, str] = header.pop(_METADATA, {})
        texts = self.metadata.values() if isinstance(self.metadata, dict) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise _broken(path, f"{_METADATA} is no object of texts")
        self.entries = {name: _entry(name, row, path) for name, row in header.items()}
        self._check_places()

    def _check_places(self) -> None:
        """Raise ShloError unless the arrays fill the data, one behind the other."""
        at, last = 0, ""
        for name, entry in sorted(self.entries.items(), key=lambda row: (row[1].start, row[1].end)):
            if entry.end > len(self._data):
                size = len(self._data)
                raise _broken(
                    self.path,
                    f"{name!r} ends at byte {entry.end:,} of the data, which has {size:,}",
                )
            if entry.start < at:
                raise _broken(self.path, f"{name!r} and {last!r} overlap")
            if entry.start > at:
                raise _broken(self.path, f"nothing is in the bytes {at:,} to {entry.start:,}")
            at, last = entry.end, name
        if at < len(self._data):
            raise _broken(self.path, f"nothing is in the bytes from {at:,} on")

    def array(self, name: str, type: TensorType) -> Array:
        """The array of a name, which has to be of a type.

        Raises:
            ShloError: there is none, or of another type; or it holds what its type cannot.
        """
        if name not in self.entries:
            hint = did_you_mean(name, self.entries)
            raise ShloError(f"{self.path}: there is no array {name!r}", hint=hint)
        entry, element = self.entries[name], type.element_type
        own = type
        if element.name not in _SPELLED:
            own = TensorType((*type.shape, element.dtype.itemsize), _BYTES)
        if entry.type != own:
            raise ShloError(f"{self.path}: {name!r} is a {entry.type}, a {own} is wanted")
        raw = self._data[entry.start : entry.end]
        if element.is_boolean or element.bits < 8:
            _check_bits(raw, element, f"{self.path}: {name!r}")
        if not raw.size:
            return np.zeros(type.static_shape, element.dtype)
        array: Array = np.asarray(raw).view(element.dtype).reshape(type.static_shape)
        return array


def _check_bits(raw: Array, element: ElementType, where: str) -> None:
    """Raise ShloError where a byte is no element of a type that has fewer bits."""
    if raw.size and int(raw.max()) >> element.bits:
        raise ShloError(f"{where} holds the byte {int(raw.max())}, which is no {element}")


def _split(data: Array, path: str) -> tuple[Array, dict[str, Any]]:
    """A file's data and its header."""
    length = int.from_bytes(bytes(data[:_LENGTH]), "little")
    if len(data) < _LENGTH or length > len(data) - _LENGTH:
        raise _broken(path, f"it is cut off in its header: {len(data):,} bytes")
    if length > _MOST:
        raise _broken(path, f"its header has {length:,} bytes, more than {_MOST:,}")
    try:
        text = bytes(data[_LENGTH : _LENGTH + length]).decode()
        header = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"its header is no JSON: {error}") from error
    if not isinstance(header, dict):
        raise _broken(path, "its header is no JSON object")
    return data[_LENGTH + length :], header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises ValueError where a key is there twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)!r} is there twice")
    return values


def _entry(name: str, row: Any, path: str) -> Entry:
    """A row of the header; raises ShloError where it makes no sense."""
    if not isinstance(row, dict) or set(row) != {"dtype", "shape", "data_offsets"}:
        raise _broken(path, f"{name!r} has to have a dtype, a shape and data_offsets, no more")
    spelling, shape, offsets = row["dtype"], row["shape"], row["data_offsets"]
    if not isinstance(spelling, str) or spelling not in _NAMES:
        hint = f"there are {', '.join(_NAMES)}"
        raise ShloError(f"{path}: {name!r} has the dtype {spelling!r}, not supported", hint=hint)
    if not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
        raise _broken(path, f"the shape and data_offsets of {name!r} are no lists of sizes")
    element = ELEMENT_TYPES[_NAMES[spelling]]
    start, end = offsets
    size = prod(shape) * element.dtype.itemsize
    if end - start != size:
        message = f"{name!r} takes {size:,} bytes, and has those from {start:,} to {end:,}"
        raise _broken(path, message)
    return Entry(TensorType(tuple(shape), element), start, end)


def _are_sizes(values: Any) -> bool:
    if not isinstance(values, list) or len(values) > 64:
        return False
    return all(type(n) is int and 0 <= n < 1 << 63 for n in values)


def _broken(path: str, what: str) -> ShloError:
    return ShloError(f"{path}: a broken safetensors file: {what}")
