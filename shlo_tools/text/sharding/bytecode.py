"""Shardy's annotations in bytecode and portable artifacts, as ``jax.export`` serializes them.

Attributes of the dialect have an encoding of their own, which nobody else can read. They are
overwritten in place by ``1``; the ops are then read as unregistered ones, and removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import Diagnostic, Place, UnsupportedError
from shlo_tools.text.sharding import HINT, IDENTITIES, NOTES

_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS = range(4)  # ids of sections
_DIALECT = b"sdy"


def is_annotated(source: bytes) -> bool:
    """Whether bytecode may name the dialect."""
    return _DIALECT + b"\0" in source


# --- before it is read ----------------------------------------------------------------------------
# A file is a magic number, a version, a producer and sections; numbers are prefix varints. The
# section of offsets has, grouped by dialect, for each attribute its size and whether its encoding
# is the dialect's own. Without that mark it is text.
def readable(source: bytes) -> bytes:
    """Bytecode whose attributes of the dialect are replaced; as it was where it is broken."""
    buffer = bytearray(source)
    try:
        sections = dict(_sections(source))
        number = _number_of_dialect(source, sections)
        at, _ = sections[_OFFSETS]
        count, at = _varint(source, at)
        _, at = _varint(source, at)
        target, end = sections[_ATTRIBUTES]
        done = 0
        while done < count:
            dialect, at = _varint(source, at)
            elements, at = _varint(source, at)
            for _ in range(elements):
                entry, after = _varint(source, at)
                size = entry >> 1
                if target + size > min(end, len(source)):
                    return source
                if dialect == number and size >= 2:
                    buffer[at:after] = _encoded(size << 1, after - at)
                    buffer[target : target + size] = b"1".ljust(size - 1) + b"\0"
                at, target = after, target + size
            done += elements
    except (IndexError, KeyError, ValueError):  # MLIR's reader says what is wrong
        return source
    return bytes(buffer)


def _sections(source: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    """The sections' ids, and where each begins and ends."""
    _, at = _varint(source, 4)
    at = source.index(0, at) + 1
    while at < len(source):
        id, at = source[at], at + 1
        length, at = _varint(source, at)
        if id & 0x80:  # aligned
            alignment, at = _varint(source, at)
            at += -at % alignment if alignment else 0
        yield id & 0x7F, (at, at + length)
        at += length


def _number_of_dialect(source: bytes, sections: dict[int, tuple[int, int]]) -> int:
    """Which of the file's dialects Shardy's is; raises ValueError where it is none."""
    count, at = _varint(source, sections[_DIALECTS][0])
    names = []
    for _ in range(count):
        name, at = _varint(source, at)
        names.append(name >> 1)
        if name & 1:  # a section of versions follows
            length, at = _varint(source, at + 1)
            at += length
    strings = _strings(source, sections[_STRINGS][0])
    return [strings[name] for name in names].index(_DIALECT)


def _strings(source: bytes, at: int) -> list[bytes]:
    """The strings of a file: their sizes, last one first, come before them."""
    count, at = _varint(source, at)
    sizes = []
    for _ in range(count):
        size, at = _varint(source, at)
        sizes.append(size)
    strings = []
    for size in reversed(sizes):
        strings.append(source[at : at + size - 1])  # without its NUL
        at += size
    return strings


def _varint(source: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends. Its first byte's trailing zeros count the bytes that follow."""
    first = source[at]
    if first == 0:
        return int.from_bytes(source[at + 1 : at + 9], "little"), at + 9
    size = (first & -first).bit_length()
    return int.from_bytes(source[at : at + size], "little") >> size, at + size


def _encoded(value: int, size: int) -> bytes:
    if size == 9:
        return b"\0" + value.to_bytes(8, "little")
    return ((value << size) | (1 << (size - 1))).to_bytes(size, "little")


# --- once it is read ------------------------------------------------------------------------------
def remove(module: mlir.Module, name: str) -> None:
    """Remove the dialect's ops and attributes from a module that was read so.

    Raises:
        UnsupportedError: it is for several devices, or has other ops of the dialect.
    """
    partitions = ir.text_of(module.operation, "mhlo.num_partitions")
    for op in mlir.walk(module.operation):
        if op.name == "sdy.mesh":
            _check_devices(op, partitions, name)
            op.erase()
        elif op.name in IDENTITIES:
            ir.replace(op, list(op.operands)[:1])
        elif op.name in NOTES:
            op.erase()
        elif op.name.startswith("sdy."):
            _refuse(op, op.name, name)
        else:
            _remove_attributes(op)


def _check_devices(mesh: mlir.Operation, partitions: str, name: str) -> None:
    axes = ir.text_of(mesh, "stablehlo.mesh")
    sizes = re.findall(r"size = (\d+)", axes) if axes else [partitions or "0"]
    count = prod(int(size) for size in sizes)
    if count != 1:
        _refuse(mesh, f"the program is for a mesh of {count or 'unknown'} devices", name)


def _remove_attributes(op: mlir.Operation) -> None:
    named = [item.name for item in _entries(op.attributes)]
    for attribute in named:
        if attribute.startswith("sdy."):
            del op.attributes[attribute]
        elif attribute in ("arg_attrs", "res_attrs"):
            op.attributes[attribute] = mlir.array_attr(
                mlir.dict_attr({e.name: e.attr for e in entries if not e.name.startswith("sdy.")})
                for entries in op.attributes[attribute]
            )


def _entries(attributes: Any) -> list[Any]:
    return [attributes[index] for index in range(len(attributes))]


def _refuse(op: mlir.Operation, what: str, name: str) -> None:
    place = mlir.place_of(op.location) or Place(name)
    raise UnsupportedError(Diagnostic("error", f"not supported: {what}", place, hint=HINT))
