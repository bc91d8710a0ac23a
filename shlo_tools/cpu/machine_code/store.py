"""What was compiled, kept on disk by what it was made of.

The process library's parts lie in ``shlo-tools`` in the user's folder of caches by default. What
belongs to programs (their kernels, and whole ones) is kept where that is asked for: ``compile(...,
cache=True)`` or ``cache=folder``. ``SHLO_CACHE_DIR=folder`` asks for both, there; where it is empty
nothing is kept. Each file begins with a digest of the rest, and only a folder that nobody else can
write is used: what lies there is run. Whatever a disk refuses is made again, and not spoken of.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import NamedTuple

from shlo_tools import errors
from shlo_tools.codegen import target
from shlo_tools.cpu.machine_code import objects
from shlo_tools.errors import ShloError

_VARIABLE, _LIMIT = "SHLO_CACHE_DIR", "SHLO_CACHE_LIMIT"
_DIGEST = 32  # bytes
_MOST = "256M"  # bytes of files, by default
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEFT = 3600  # seconds after which a temporary file is what an ended process has left
_OFTEN = 16  # a folder is looked through each time that a part of its limit was written
_COUNT, _UNIT = "written", 1 << 10  # a file with a byte for each unit written since the last look

KINDS = ("library", "kernel", "program")
Cache = bool | str | os.PathLike[str] | None

_chosen: ContextVar[str | None] = ContextVar("chosen", default=None)  # for what programs have


class Entry(NamedTuple):
    """A file that is kept.

    Attributes:
        size: bytes that it takes.
        used: when, in seconds since 1970.
        file: what entries share that are names of one file.
    """

    path: str
    kind: str
    size: int
    used: float
    file: int

    @property
    def name(self) -> str:
        return os.path.basename(self.path)


@contextmanager
def kept_in(choice: Cache) -> Iterator[None]:
    """Keep what belongs to programs within the block.

    Args:
        choice: a folder; True stands for that of ``SHLO_CACHE_DIR``, or of the user's caches, and
            False for none. None leaves it to ``SHLO_CACHE_DIR``.

    Raises:
        ShloError: it is none of these, or ``SHLO_CACHE_LIMIT`` is no size.
    """
    limit()
    is_path = isinstance(choice, str | os.PathLike) and str(choice) and "\0" not in str(choice)
    if not (choice is None or isinstance(choice, bool) or is_path):
        raise ShloError(f"cache={choice!r}: True, False or a folder is wanted")
    token = _chosen.set(None if choice is None else _of_choice(choice))
    try:
        yield
    finally:
        _chosen.reset(token)


def _of_choice(choice: bool | str | os.PathLike[str]) -> str:
    if isinstance(choice, bool):
        return default_folder() if choice else ""
    return folder_in(os.fspath(choice))


def default_folder() -> str:
    """Where things are kept unless a program's compilation says another place; '' is nowhere."""
    chosen = os.environ.get(_VARIABLE)
    if chosen is not None:
        return folder_in(chosen) if chosen else ""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return folder_in(os.path.join(base, "shlo-tools"))


def folder_in(folder: str) -> str:
    """Where things are kept in a folder that somebody chose."""
    return str(Path(folder).absolute() / "objects")


def key(kind: str, text: str | bytes) -> str:
    """The path of what is made of a text, by this copy of LLVM for this processor.

    '' where nothing of that kind is kept.
    """
    folder = _folder(kind)
    if not folder:
        return ""
    hashed = hashlib.blake2b(_surroundings(), digest_size=20)
    hashed.update(text.encode() if isinstance(text, str) else text)
    return f"{folder}/{kind}-{hashed.hexdigest()}"


@cache
def sources(*paths: str) -> str:
    """What changes whenever a file of Python among some files and folders does."""
    files = sorted({file for path in paths for file in _python_files(path)})
    return hashlib.blake2b(str(files).encode(), digest_size=16).hexdigest()


def _python_files(path: str) -> Iterator[tuple[str, int, int]]:
    if path.endswith(".py"):
        status = os.stat(path)
        yield path, status.st_size, status.st_mtime_ns
        return
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) or entry.name.endswith(".py"):
                yield from _python_files(entry.path)


def keeps(kind: str) -> bool:
    """Whether anything of a kind is kept."""
    return bool(_folder(kind))


def keeps_programs() -> bool:
    """Whether what belongs to programs is kept where nothing is said."""
    return bool(os.environ.get(_VARIABLE))


def read(key: str) -> bytes | None:
    """What is kept under a key; None where there is nothing, or a damaged file."""
    if not key:
        return None
    try:
        with open(key, "rb") as file:
            digest, image = file.read(_DIGEST), file.read()
    except OSError:
        return None
    if _digest(image) != digest:
        return None
    with suppress(OSError):  # a folder that can only be read
        os.utime(key)  # what is used stays
    return image


def write(keys: Sequence[str], save: Callable[[str], None]) -> None:
    """Keep a file, which ``save`` writes, under some keys of one folder.

    Where that is not possible nothing is said: it is made again next time. What lies there already
    is replaced, as it may be damaged.
    """
    if not keys:
        return
    folder = os.path.dirname(keys[0])
    new = f"{folder}/.{os.getpid()}.{secrets.token_hex(6)}"
    with suppress(OSError):  # no space, no permission
        try:
            save(new)
            with open(new, "rb") as file:
                image = file.read()
            with open(new, "wb") as file:
                file.write(_digest(image) + image)
            for key in keys[1:]:
                os.link(new, new + ".link")
                os.replace(new + ".link", key)
            os.replace(new, keys[0])
        finally:
            for path in (new, new + ".link"):
                with suppress(FileNotFoundError):
                    os.unlink(path)
        _count(folder, len(image))


def limit() -> int:
    """How many bytes a folder may hold.

    Raises:
        ShloError: ``SHLO_CACHE_LIMIT`` is no number of bytes.
    """
    text = os.environ.get(_LIMIT) or _MOST
    number = re.fullmatch(r"(\d+)([KMG]?)B?", text.strip().upper())
    if number is None:
        hint = f"a number of bytes is wanted, such as {_MOST}"
        raise ShloError(f"{_LIMIT}={text} is no size", hint=hint)
    return int(number[1]) * _UNITS[number[2]]


# --- what there is --------------------------------------------------------------------------------
def entries(folder: str) -> list[Entry]:
    """The files that are kept in a folder, what was used last first."""
    listed: list[Entry] = []
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            kind = file.name.partition("-")[0]
            if kind not in KINDS:
                continue
            with suppress(FileNotFoundError):
                status = file.stat()
                listed.append(
                    Entry(file.path, kind, status.st_size, status.st_mtime, status.st_ino)
                )
    return sorted(listed, key=lambda entry: -entry.used)


def contents() -> dict[str, str | int]:
    """The folder, empty where nothing is kept, how many files lie there, and their bytes."""
    folder = _folder("library")
    listed = entries(folder) if folder else []
    return {"folder": folder, "files": len(listed), "bytes": size_of(listed)}


def size_of(listed: Sequence[Entry]) -> int:
    """The bytes that entries take together; a file may have several names."""
    return sum({entry.file: entry.size for entry in listed}.values())


def is_whole(entry: Entry) -> bool:
    """Whether a file is as it was written; raises OSError where it cannot be read."""
    with open(entry.path, "rb") as file:
        digest, image = file.read(_DIGEST), file.read()
    return _digest(image) == digest


def problem(folder: str) -> str:
    """Why a folder is not used; '' where it is, or would be."""
    try:
        status = os.stat(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{folder}: {error.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is no folder"
    if status.st_uid not in (os.getuid(), 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{folder} can be written by others, and what lies there would be run"
    return ""


# --- where, and how much --------------------------------------------------------------------------
def _folder(kind: str) -> str:
    """The folder for a kind; '' where nothing is kept."""
    folder = None if kind == "library" else _chosen.get()
    if folder is None:
        folder = default_folder() if kind == "library" or keeps_programs() else ""
    return folder if folder and _is_usable(folder) else ""


@cache
def _is_usable(folder: str) -> bool:
    """Whether there is such a folder, which is made if need be."""
    if not objects.is_supported():
        return False
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    what = problem(folder)
    if "by others" in what:
        hint = "chmod go-w that folder, or choose another by SHLO_CACHE_DIR"
        errors.warn(f"nothing is kept: {what}", hint=hint)
    return not what and os.path.isdir(folder)


def _count(folder: str, size: int) -> None:
    """Make room where a part of the limit was written since that was done last, by any process."""
    most, count = limit(), f"{folder}/{_COUNT}"
    with open(count, "ab") as file:
        file.write(bytes(-(-size // _UNIT)))
        written = file.tell() * _UNIT
    if written > most // _OFTEN:
        os.truncate(count, 0)
        make_room(folder, most)


def make_room(folder: str, most: int) -> None:
    """Drop the files that were not used for longest where they take more than so many bytes."""
    names: dict[int, list[Entry]] = {}  # of each file, which may have several
    with suppress(OSError):
        for entry in entries(folder):
            names.setdefault(entry.file, []).append(entry)
        size = 0
        for links in names.values():  # what was used last comes first
            size += links[0].size
            for entry in links if size > most else ():
                drop(entry)
        _clean(folder)


def drop(entry: Entry) -> None:
    """Forget a file, which another process may have dropped already."""
    with suppress(FileNotFoundError):
        os.unlink(entry.path)


def _clean(folder: str) -> None:
    """Remove what processes have left that ended while they wrote."""
    for path in Path(folder).glob(".*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _LEFT:
                path.unlink()


def _digest(image: bytes) -> bytes:
    return hashlib.blake2b(image, digest_size=_DIGEST).digest()


@cache
def _surroundings() -> bytes:
    from shlo_tools import mlir  # shlo-cache need not load it

    parts = (mlir.provider_build(), *mlir.LEFT_OUT, target.processor())
    return hashlib.blake2b("\n".join(parts).encode()).digest()
