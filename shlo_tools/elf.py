"""Object files and libraries: the layout of ELF-64 for little-endian machines, and its sections.

Source: the ELF-64 object file format, and the x86-64 psABI for the numbers of its relocations.
"""

from __future__ import annotations

import struct
from mmap import mmap
from typing import NamedTuple

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian, version 1
RELOCATABLE, SHARED, X86_64 = 1, 3, 62
BITS, SYMBOLS, STRINGS, RELOCATIONS, ZEROS = 1, 2, 3, 4, 8  # kinds of sections
WRITABLE, IN_MEMORY, CODE = 1, 2, 4  # flags of sections
UNDEFINED = 0  # the section of symbols that are elsewhere
ADDRESS = 1  # the relocation R_X86_64_64


class UnsupportedObject(Exception):
    """An object file that cannot be loaded, or joined to others, here."""


class SectionHeader(NamedTuple):
    """What a file says of one section; ``name`` is a place among the names of sections."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


def sections(image: bytes | mmap, file_kind: int = RELOCATABLE) -> tuple[list[SectionHeader], int]:
    """The sections of a file, and which of them has their names.

    Raises:
        UnsupportedObject: it is no file of that kind for this machine.
        struct.error: it ends before its sections do.
    """
    header = HEADER.unpack_from(image)
    identity, kind, machine, start, size, count, names = (
        header[k] for k in (0, 1, 2, 6, 11, 12, 13)
    )
    if not identity.startswith(MAGIC) or (kind, machine) != (file_kind, X86_64):
        raise UnsupportedObject("not such an object of this machine")
    places = range(start, start + count * size, size)
    return [SectionHeader(*SECTION.unpack_from(image, place)) for place in places], names


def text_at(image: bytes, place: int) -> str:
    """A name, which ends before the next zero."""
    return image[place : image.index(b"\0", place)].decode()
