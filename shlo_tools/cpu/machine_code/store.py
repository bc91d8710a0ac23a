"""Object files kept on disk, by what they were made of.

``SHLO_CACHE_DIR`` says where; empty: nowhere. By default it is ``shlo-tools`` in the user's folder
of caches. Each file begins with a digest of the rest, and only a folder that nobody else can write
is used: what lies there is run.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.cpu.machine_code import objects

_VARIABLE = "SHLO_CACHE_DIR"
_DIGEST = 32  # bytes
_MOST = 256 << 20  # bytes of files


def key(kind: str, text: str) -> str:
    """A name for what this copy of LLVM makes of a text on this processor."""
    hashed = hashlib.blake2b(_surroundings(), digest_size=20)
    hashed.update(text.encode())
    return f"{kind}-{hashed.hexdigest()}"


def read(key: str) -> bytes | None:
    """The object file that is kept under a key; None where there is none, or a damaged one."""
    folder = _folder()
    if folder is None:
        return None
    path = f"{folder}/{key}"
    try:
        with open(path, "rb") as file:
            digest, image = file.read(_DIGEST), file.read()
        os.utime(path)  # what is used stays
    except OSError:
        return None
    return image if _digest(image) == digest else None


def is_open() -> bool:
    """Whether anything is kept."""
    return _folder() is not None


def contents() -> dict[str, str | int]:
    """The folder, empty where nothing is kept, how many files lie there, and their bytes."""
    folder = _folder()
    entries = [] if folder is None else [entry.stat() for entry in os.scandir(folder)]
    size = sum(entry.st_size for entry in entries)
    return {"folder": folder or "", "files": len(entries), "bytes": size}


def write(keys: Sequence[str], save: Callable[[str], None]) -> None:
    """Keep an object file, which ``save`` writes, under some keys.

    Where that is not possible nothing is said: it is made again next time.
    """
    folder = _folder()
    if folder is None:
        return
    new = f"{folder}/.{os.getpid()}.{keys[0]}"
    with suppress(OSError):  # no space, no permission
        try:
            save(new)
            with open(new, "rb") as file:
                image = file.read()
            with open(new, "wb") as file:
                file.write(_digest(image) + image)
            for key in keys:
                with suppress(FileExistsError):
                    os.link(new, f"{folder}/{key}")
        finally:
            os.unlink(new)
        _make_room(folder)


def drop(kind: str) -> None:
    """Forget all files of a kind."""
    folder = _folder()
    for path in Path(folder).glob(f"{kind}-*") if folder is not None else ():
        path.unlink(missing_ok=True)


def _digest(image: bytes) -> bytes:
    return hashlib.blake2b(image, digest_size=_DIGEST).digest()


@cache
def _surroundings() -> bytes:
    parts = (mlir.provider_build(), target.processor())
    return hashlib.blake2b("\n".join(parts).encode()).digest()


@cache
def _folder() -> str | None:
    """The folder, if there is one to use."""
    chosen = os.environ.get(_VARIABLE)
    if chosen == "" or not objects.is_supported():
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(chosen or os.path.join(base, "shlo-tools")).absolute() / "objects"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    is_private = not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return str(folder) if is_private and status.st_uid == os.getuid() else None


@cache
def _make_room(folder: str) -> None:
    """Drop the files that were not used for longest where there are too many; once per process."""
    entries = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in os.scandir(folder)]
    size = sum(size for _, size, _ in entries)
    for _, bytes, path in sorted(entries):
        if size <= _MOST:
            return
        with suppress(FileNotFoundError):
            os.unlink(path)
        size -= bytes
