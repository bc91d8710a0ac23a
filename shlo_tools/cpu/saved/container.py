"""A header and arrays of bytes as one.

The header's length in eight bytes, the header as JSON, then sections; each begins at a multiple of
64 bytes, so that arrays can be read where they lie.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("<Q")
_ALIGNMENT = 64

Bytes = bytes | memoryview


class DamagedContainer(Exception):
    """Bytes that are no container; the message says why."""


def packed(header: dict[str, Any], sections: Sequence[Bytes]) -> list[Bytes]:
    """The pieces of a container."""
    places, end = [], 0
    for section in sections:
        size = memoryview(section).nbytes
        places.append((end, size))
        end += size + _gap(size)
    text = json.dumps({**header, "sections": places}).encode()
    gap = _gap(_LENGTH.size + len(text))
    pieces: list[Bytes] = [_LENGTH.pack(len(text)), text, bytes(gap)]
    for section in sections:
        pieces += [section, bytes(_gap(memoryview(section).nbytes))]
    return pieces


def unpacked(data: memoryview) -> tuple[Any, list[memoryview]]:
    """The header, and the sections as parts of the data.

    Raises:
        DamagedContainer: it is none, or not whole.
    """
    try:
        (length,) = _LENGTH.unpack_from(data)
        start = _LENGTH.size + length
        header = json.loads(bytes(data[_LENGTH.size : start]))
        start += _gap(start)
        sections = []
        for place, size in header.pop("sections"):
            sections.append(data[start + place : start + place + size])
            if place < 0 or sections[-1].nbytes != size:
                raise DamagedContainer("a part of it is missing")
    except (struct.error, ValueError, TypeError, LookupError, AttributeError) as error:
        raise DamagedContainer(f"its header cannot be read: {error}") from error
    return header, sections


def _gap(size: int) -> int:
    """Bytes up to the next place where a section may begin."""
    return -size % _ALIGNMENT
