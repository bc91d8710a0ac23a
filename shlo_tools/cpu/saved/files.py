"""Files of executables: a mark, a version, a digest of all that follows, and the contents.

A file is code. It is read where nobody else could have written it, and what it was made for is
compared before anything in it is believed.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
import struct
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from shlo_tools import codegen, cpu, files, mlir
from shlo_tools.codegen import target
from shlo_tools.cpu.machine_code.objects import is_supported
from shlo_tools.cpu.saved import MARK, container, contents
from shlo_tools.cpu.saved.container import Bytes, DamagedContainer
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.errors import ShloError, UnsupportedError

_VERSION = 1  # of the form of files
_START = struct.Struct("<8sI32sQ12x")  # mark, version, digest, bytes of the first container


def write(path: str | os.PathLike[str], one: ExecutableParts) -> None:
    """Write a file under a temporary name, and rename it.

    Raises:
        UnsupportedError: the executable is of its process alone.
        ShloError: the file cannot be written.
    """
    head = list(container.packed({"made for": _surroundings()}, []))
    pieces = [*head, *contents.packed(one, with_library=True)]
    size = sum(memoryview(piece).nbytes for piece in head)
    start = _START.pack(MARK, _VERSION, _digest(size, pieces), size)
    files.write_pieces(os.fspath(path), [start, *pieces])


def read(path: str | os.PathLike[str], *, trusted: bool) -> ExecutableParts:
    """What a file has; its constants stay in the file, which is mapped into memory.

    Raises:
        UnsupportedError: it was made for another machine or another version.
        ShloError: it cannot be read, is none of these files or damaged, or others can write it.
    """
    if not is_supported():
        raise UnsupportedError("machine code of this platform cannot be loaded from files")
    path = os.fspath(path)
    data = _mapped(path, trusted)
    if data[: len(MARK)] != MARK:
        raise ShloError(f"{path!r} is no file of an executable", hint="exe.save(path) writes such")
    try:
        _, version, digest, size = _START.unpack_from(data)
    except struct.error:
        raise ShloError(f"{path!r} is damaged: it ends within its first bytes") from None
    if version != _VERSION:
        message = f"{path!r} is of version {version} of such files, and this package reads version"
        raise UnsupportedError(f"{message} {_VERSION}", hint="compile the program again")
    start, rest = data[: _START.size], data[_START.size :]
    if _digest(size, [rest]) != digest or _START.pack(MARK, version, digest, size) != start:
        raise ShloError(f"{path!r} is damaged: its digest is another", hint="save it again")
    try:
        header, _ = container.unpacked(rest[:size])
        _compare(path, header["made for"])
        return contents.unpacked(rest[size:])
    except DamagedContainer as error:
        raise ShloError(f"{path!r} cannot be loaded: {error}", hint="save it again") from error


def _mapped(path: str, trusted: bool) -> memoryview:
    files.check_path(path, "read")
    try:
        with open(path, "rb", opener=_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ShloError(f"cannot load {path!r}: it is no regular file")
            if not trusted:
                _refuse_strangers(path, status)
            if not status.st_size:
                raise ShloError(f"{path!r} is empty", hint="exe.save(path) writes executables")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise ShloError(f"cannot read {path!r}: {error.strerror}") from error


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to would not be waited for."""
    return os.open(path, flags | os.O_NONBLOCK)


def _refuse_strangers(path: str, status: os.stat_result) -> None:
    """Raise ShloError where another user may have written a file, as it is code."""
    if status.st_uid not in (os.getuid(), 0):
        why = "belongs to another user"
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        why = "can be written by others"
    else:
        return
    message = f"{path!r} {why}, and an executable is code that would run as you"
    raise ShloError(
        message, hint="load it with trusted=True (shlo-run --trusted) if you know where it is from"
    )


def _digest(size: int, pieces: Iterable[Bytes]) -> bytes:
    hashed = hashlib.blake2b(size.to_bytes(8, "little"), digest_size=32)
    for piece in pieces:
        hashed.update(piece)
    return hashed.digest()


# --- what files are made for ----------------------------------------------------------------------
def _surroundings() -> dict[str, Any]:
    """What has to be the same where a file is loaded."""
    return {
        "sources": sources_digest(),
        "MLIR": mlir.provider_version(),
        "target": target.host().name,
        "features": sorted(target.processor_flags()),
    }


def _compare(path: str, made_for: Mapping[str, Any]) -> None:
    here = _surroundings()
    lacking = sorted(set(made_for["features"]) - set(here["features"]))
    if made_for["sources"] != here["sources"]:
        what = "another version of shlo-tools, which generates other code"
    elif made_for["MLIR"] != here["MLIR"]:
        what = f"{mlir.DISTRIBUTION} {made_for['MLIR']}, and this is {here['MLIR']}"
    elif made_for["target"] != here["target"]:
        what = f"the target {made_for['target']}, and this process generates {here['target']}"
    elif lacking:
        what = f"a processor with {', '.join(lacking[:4])}, which this one lacks"
    else:
        return
    raise UnsupportedError(f"{path!r} was made for {what}", hint="compile the program again here")


@cache
def sources_digest() -> str:
    """What changes whenever the code changes that kernels are made by, or that reads files.

    It goes by contents, as files are copied to other machines (``store.sources`` goes by times).
    """
    hashed = hashlib.blake2b(digest_size=16)
    for folder in (Path(package.__path__[0]) for package in (codegen, cpu)):
        for path in sorted(folder.rglob("*.py")):
            hashed.update(f"{path.relative_to(folder.parent)} ".encode())
            hashed.update(path.read_bytes())
    return hashed.hexdigest()
