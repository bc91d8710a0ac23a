"""Machine code of object files, loaded without a linker.

MLIR's engine generates code of LLVM's large code model: an object file has no other relocations
than whole addresses, and its sections may lie anywhere. Layout: the ELF-64 specification and the
x86-64 psABI.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from shlo_tools import elf
from shlo_tools.elf import UnsupportedObject


@cache
def is_supported() -> bool:
    """Whether objects of this platform are of the one kind that is loaded, and may be run."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        _seal(_memory(1))
    except OSError:  # hardened systems
        return False
    return True


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int


class ObjectFile:
    """Machine code that can be loaded.

    Attributes:
        image: the file's bytes.
        defined: symbols that it has.
        undefined: symbols that it needs.

    Raises:
        UnsupportedObject: the file has what is not known here.
    """

    def __init__(self, image: bytes) -> None:
        self.image = image
        try:
            self._sections, _ = elf.sections(image)
            self._places, self._size = self._placed()
            self._symbols = self._read_symbols()
            self._words = self._read_words()
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            raise UnsupportedObject(f"{error}") from error
        named = [symbol for symbol in self._symbols if symbol.name]
        self.defined = [symbol.name for symbol in named if symbol.section in self._places]
        self.undefined = [symbol.name for symbol in named if symbol.section == elf.UNDEFINED]

    def _placed(self) -> tuple[dict[int, int], int]:
        """Places of the sections that code needs, and their size; what unwinds stacks is not."""
        places: dict[int, int] = {}
        end = 0
        for number, section in enumerate(self._sections):
            if section.kind in (elf.BITS, elf.ZEROS) and section.flags & elf.IN_MEMORY:
                if section.flags & elf.WRITABLE:
                    raise UnsupportedObject("there are variables in it")
                places[number] = -(-end // max(1, section.alignment)) * max(1, section.alignment)
                end = places[number] + section.size
        return places, end

    def _read_symbols(self) -> list[_Symbol]:
        (table,) = (section for section in self._sections if section.kind == elf.SYMBOLS)
        names = self._sections[table.link].offset
        symbols = []
        for place in range(table.offset, table.offset + table.size, elf.SYMBOL.size):
            name, _, _, section, value, _ = elf.SYMBOL.unpack_from(self.image, place)
            text = elf.text_at(self.image, names + name) if name else ""
            symbols.append(_Symbol(text, section, value))
        return symbols

    def _read_words(self) -> list[tuple[int, int, int]]:
        """Words that hold addresses: where, of which symbol, and what is added."""
        words = []
        for section in self._sections:
            if section.kind != elf.RELOCATIONS or section.info not in self._places:
                continue
            start = self._places[section.info]
            for place in range(section.offset, section.offset + section.size, elf.RELOCATION.size):
                offset, kind, addend = elf.RELOCATION.unpack_from(self.image, place)
                if kind & 0xFFFFFFFF != elf.ADDRESS:
                    raise UnsupportedObject(f"there are relocations of kind {kind & 0xFFFFFFFF}")
                words.append((start + offset, kind >> 32, addend))
        return words

    def load(self, resolve: Callable[[str], int]) -> tuple[mmap.mmap, dict[str, int]]:
        """Memory with the code, and the addresses of what it defines; both go together."""
        memory = _memory(self._size)
        start = _address(memory)
        for number, place in self._places.items():
            section = self._sections[number]
            if section.kind == elf.BITS:
                end = section.offset + section.size
                memory[place : place + section.size] = self.image[section.offset : end]
        addresses: dict[str, int] = {}
        values: list[int] = []
        for name, number, value in self._symbols:
            if number in self._places:
                values.append(start + self._places[number] + value)
                addresses[name] = values[-1]
            else:
                values.append(resolve(name) if number == elf.UNDEFINED and name else 0)
        for place, symbol, addend in self._words:
            struct.pack_into("<Q", memory, place, values[symbol] + addend)
        _seal(memory)
        return memory, addresses


def _memory(size: int) -> mmap.mmap:
    return mmap.mmap(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _address(memory: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _seal(memory: mmap.mmap) -> None:
    """From now on the memory can be run, and not be written."""
    start, size = ctypes.c_void_p(_address(memory)), ctypes.c_size_t(len(memory))
    if _process().mprotect(start, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "no memory that was written may be run")
