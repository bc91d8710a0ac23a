"""Relocatable object files as sections and symbols that can be joined, and written again.

Joining is what ``ld -r`` does: sections stay as they are, one behind the other, and what one object
needs and another defines becomes one symbol. Only what is exported keeps a global name, so objects
of several programs can stand in one executable.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shlo_tools import elf
from shlo_tools.elf import UnsupportedObject

_LOCAL, _GLOBAL = 0, 1
_OBJECT, _FUNCTION, _SECTION, _FILE = 1, 2, 3, 4  # types of symbols
_FROM_TABLE, _FAR = 27, 4  # the relocations R_X86_64_GOT64 and R_X86_64_PLT32
_JUMP = b"\xe9\0\0\0\0\xcc\xcc\xcc"  # jmp, and what nobody reaches
_LARGE = 0x1000_0000  # a section that may lie beyond 2 GB
_EXCLUDED = 0x8000_0000
_ALIGNMENT = 8  # of tables in files
_KEPT_KINDS = (elf.BITS, elf.ZEROS, 0x7000_0001)  # the last one: what unwinds stacks


@dataclass(eq=False)
class Symbol:
    """A name of a place.

    Attributes:
        section: where it is defined; None where it is elsewhere.
        kind: function, object, section, or nothing.
    """

    name: str
    section: Section | None = None
    value: int = 0
    size: int = 0
    kind: int = 0
    is_global: bool = False


class Relocation(NamedTuple):
    """A place of a section that the linker writes."""

    offset: int
    kind: int
    symbol: Symbol
    addend: int


@dataclass(eq=False)
class Section:
    """Bytes that are linked as a whole; ``size`` counts where there are none in the file."""

    name: str
    data: bytes | memoryview
    kind: int = elf.BITS
    flags: int = elf.IN_MEMORY
    alignment: int = 8
    entry_size: int = 0
    size: int = 0
    relocations: list[Relocation] = field(default_factory=list)


@dataclass
class Relocatable:
    """An object file."""

    sections: list[Section] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)

    def defined(self) -> dict[str, Symbol]:
        """The symbols that have names and places here; sections are none."""
        return {s.name: s for s in self.symbols if s.section is not None and s.kind != _SECTION}

    def undefined(self) -> list[str]:
        """The names that are needed from elsewhere."""
        return [symbol.name for symbol in self.symbols if symbol.section is None and symbol.name]


def read(image: bytes) -> Relocatable:
    """The sections and symbols of an object file that matter when it is linked.

    Raises:
        UnsupportedObject: it is none of this machine, or damaged.
    """
    try:
        return _read(image)
    except (struct.error, IndexError, KeyError, ValueError, OverflowError) as error:
        raise UnsupportedObject(f"its tables cannot be read: {error}") from error


def _read(image: bytes) -> Relocatable:
    headers, names = elf.sections(image)
    sections: dict[int, Section] = {}
    for number, header in enumerate(headers):
        if header.kind not in _KEPT_KINDS or header.flags & _EXCLUDED:
            continue
        name = elf.text_at(image, headers[names].offset + header.name)
        if not header.flags & elf.IN_MEMORY:
            continue  # notes
        end = header.offset + header.size
        data = b"" if header.kind == elf.ZEROS else image[header.offset : end]
        sections[number] = Section(
            name.replace(".l", ".", 1) if header.flags & _LARGE else name,
            data,
            header.kind,
            header.flags & ~_LARGE,
            max(1, header.alignment),
            header.entry_size,
            header.size,
        )
    symbols = _symbols(image, headers, sections)
    for header in headers:
        if header.kind == elf.RELOCATIONS and header.info in sections:
            section = sections[header.info]
            end = header.offset + header.size
            for place in range(header.offset, end, elf.RELOCATION.size):
                offset, info, addend = elf.RELOCATION.unpack_from(image, place)
                relocation = Relocation(offset, info & 0xFFFFFFFF, symbols[info >> 32], addend)
                section.relocations.append(relocation)
    return Relocatable(list(sections.values()), list(symbols.values()))


def _symbols(
    image: bytes, headers: Sequence[elf.SectionHeader], sections: Mapping[int, Section]
) -> dict[int, Symbol]:
    (table,) = (header for header in headers if header.kind == elf.SYMBOLS)
    names = headers[table.link].offset
    symbols: dict[int, Symbol] = {}
    for number in range(1, table.size // elf.SYMBOL.size):
        place = table.offset + number * elf.SYMBOL.size
        name, info, _, home, value, size = elf.SYMBOL.unpack_from(image, place)
        kind, binding = info & 15, info >> 4
        if kind == _FILE or (home != elf.UNDEFINED and home not in sections):
            continue
        text = elf.text_at(image, names + name) if name else ""
        symbols[number] = Symbol(
            text, sections.get(home), value, size, kind, is_global=binding != _LOCAL
        )
    return symbols


def join(objects: Iterable[Relocatable]) -> Relocatable:
    """One object of several; what is undefined in one and defined in another becomes one symbol.

    Raises:
        UnsupportedObject: two of them define the same name for others.
    """
    parts = list(objects)
    known: dict[str, Symbol] = {}
    for symbol in itertools.chain.from_iterable(part.symbols for part in parts):
        if symbol.is_global and symbol.section is not None:
            if symbol.name in known:
                raise UnsupportedObject(f"{symbol.name} is defined twice")
            known[symbol.name] = symbol
    symbols: dict[Symbol, None] = {}
    for part in parts:
        for symbol in part.symbols:
            is_here = symbol.section is not None
            symbols[symbol if is_here else known.setdefault(symbol.name, symbol)] = None
        for section in part.sections:
            section.relocations = [
                relocation
                if relocation.symbol.section is not None
                else relocation._replace(symbol=known[relocation.symbol.name])
                for relocation in section.relocations
            ]
    return Relocatable([s for part in parts for s in part.sections], list(symbols))


def through_jumps(one: Relocatable, prefix: str) -> None:
    """Let code call other libraries' functions by jumps of this object.

    LLVM's large code model reads their addresses from a table (R_X86_64_GOT64). Linkers cannot
    fill it for those that a static C library chooses when a program starts, such as ``memcpy``;
    to jump there they can (R_X86_64_PLT32).

    Args:
        prefix: of functions that are none of a library that may do so.
    """
    jumps = Section(".text", b"", flags=elf.IN_MEMORY | elf.CODE, alignment=16)
    symbols: dict[Symbol, Symbol] = {}

    def jump(relocation: Relocation) -> Relocation:
        other = relocation.symbol
        if other.section is not None or relocation.kind != _FROM_TABLE:
            return relocation
        if other.name.startswith(prefix):
            return relocation
        if other not in symbols:
            start = len(symbols) * len(_JUMP)
            symbols[other] = Symbol(f"{other.name}.jump", jumps, start, len(_JUMP), _FUNCTION)
            jumps.relocations.append(Relocation(start + 1, _FAR, other, -4))
        return relocation._replace(symbol=symbols[other])

    for section in one.sections:
        section.relocations = list(map(jump, section.relocations))
    jumps.data = _JUMP * len(symbols)
    jumps.size = len(jumps.data)
    one.sections.append(jumps)
    one.symbols += symbols.values()


def export(one: Relocatable, names: Collection[str]) -> None:
    """Let others see these names, and no other that is defined here."""
    for symbol in one.symbols:
        if symbol.section is not None:
            symbol.is_global = symbol.name in names and symbol.kind != _SECTION


def data(name: str, contents: bytes | memoryview, alignment: int = 64) -> Relocatable:
    """An object of constants that others reach by a name."""
    size = memoryview(contents).nbytes
    section = Section(".rodata.shlo", contents, alignment=alignment, size=size)
    return Relocatable([section], [Symbol(name, section, 0, size, _OBJECT, is_global=True)])


def table(name: str, words: Sequence[int], addresses: Mapping[int, tuple[str, int]]) -> Relocatable:
    """An object of words of eight bytes that others reach by a name.

    Args:
        addresses: by words, the symbols whose addresses they are, and what is added to those.
    """
    contents = struct.pack(f"<{len(words)}q", *words)
    section = Section(
        ".data.rel.ro.shlo", contents, flags=elf.IN_MEMORY | elf.WRITABLE, size=len(contents)
    )
    others: dict[str, Symbol] = {}
    for word, (other, addend) in sorted(addresses.items()):
        symbol = others.setdefault(other, Symbol(other, is_global=True))
        section.relocations.append(Relocation(8 * word, elf.ADDRESS, symbol, addend))
    own = Symbol(name, section, 0, len(contents), _OBJECT, is_global=True)
    return Relocatable([section], [own, *others.values()])


# --- writing --------------------------------------------------------------------------------------
class _Names:
    """Names behind each other, as tables of strings have them."""

    def __init__(self) -> None:
        self.data = bytearray(1)
        self._places: dict[str, int] = {"": 0}

    def place(self, name: str) -> int:
        if name not in self._places:
            self._places[name] = len(self.data)
            self.data += name.encode() + b"\0"
        return self._places[name]


@dataclass
class _Row:
    """A section of the file, and what its header says of others."""

    section: Section
    link: int = 0
    info: int = 0


def write(one: Relocatable) -> list[bytes | memoryview]:
    """The object file, in pieces."""
    strings = _Names()
    symbols = sorted(one.symbols, key=lambda symbol: symbol.is_global)  # linkers want locals first
    numbers = {symbol: number for number, symbol in enumerate(symbols, 1)}
    homes = {section: number for number, section in enumerate(one.sections, 1)}
    rows = [_Row(section) for section in one.sections]
    first_global = 1 + sum(not symbol.is_global for symbol in symbols)
    table_number = len(rows) + 1
    rows.append(_Row(_symbol_table(symbols, homes, strings), table_number + 1, first_global))
    rows.append(_Row(_file_section(".strtab", elf.STRINGS, strings.data, 1)))
    for section in one.sections:
        if section.relocations:
            rows.append(_Row(_relocations(section, numbers), table_number, homes[section]))
    rows.append(_Row(_file_section(".note.GNU-stack", elf.BITS, b"", 1)))  # no code on stacks
    return _file(rows)


def _file_section(
    name: str, kind: int, contents: bytes | bytearray, alignment: int, entry_size: int = 0
) -> Section:
    return Section(name, bytes(contents), kind, 0, alignment, entry_size, len(contents))


def _symbol_table(
    symbols: Sequence[Symbol], homes: Mapping[Section, int], strings: _Names
) -> Section:
    contents = bytearray(elf.SYMBOL.size)
    for symbol in symbols:
        home = elf.UNDEFINED if symbol.section is None else homes[symbol.section]
        info = (_GLOBAL if symbol.is_global else _LOCAL) << 4 | symbol.kind
        name = strings.place(symbol.name)
        contents += elf.SYMBOL.pack(name, info, 0, home, symbol.value, symbol.size)
    return _file_section(".symtab", elf.SYMBOLS, contents, _ALIGNMENT, elf.SYMBOL.size)


def _relocations(section: Section, numbers: Mapping[Symbol, int]) -> Section:
    contents = b"".join(
        elf.RELOCATION.pack(offset, numbers[symbol] << 32 | kind, addend)
        for offset, kind, symbol, addend in section.relocations
    )
    name = f".rela{section.name}"
    return _file_section(name, elf.RELOCATIONS, contents, _ALIGNMENT, elf.RELOCATION.size)


def _file(rows: list[_Row]) -> list[bytes | memoryview]:
    """Header, sections, and the table of sections."""
    names = _Names()
    for row in rows:
        names.place(row.section.name)
    names.place(".shstrtab")
    rows.append(_Row(_file_section(".shstrtab", elf.STRINGS, names.data, 1)))
    pieces: list[bytes | memoryview] = []
    headers = bytearray(elf.SECTION.size)
    end = elf.HEADER.size
    for row in rows:
        section = row.section
        gap = -end % section.alignment
        pieces += [bytes(gap), section.data]
        headers += elf.SECTION.pack(
            names.place(section.name),
            section.kind,
            section.flags,
            0,
            end + gap,
            section.size,
            row.link,
            row.info,
            section.alignment,
            section.entry_size,
        )
        end += gap + memoryview(section.data).nbytes
    gap = -end % _ALIGNMENT
    count = len(rows) + 1
    header = elf.HEADER.pack(
        elf.MAGIC.ljust(16, b"\0"),
        *(elf.RELOCATABLE, elf.X86_64, 1, 0, 0, end + gap, 0, elf.HEADER.size, 0, 0),
        *(elf.SECTION.size, count, count - 1),
    )
    return [header, *pieces, bytes(gap), bytes(headers)]
