"""Reading and writing whole files. Free of MLIR, so that a tool's parent process can use it."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from shlo_tools.errors import ShloError


def read_file(path: str) -> bytes:
    """The bytes of a file, ``-`` for standard input; raises ShloError."""
    check_path(path, "read")
    try:
        if path == "-":
            with open(0, "rb", closefd=False) as standard_input:
                return standard_input.read()
        return Path(path).read_bytes()
    except OSError as error:
        raise ShloError(f"cannot read {path!r}: {error.strerror}") from error


def write_file(path: str, data: bytes) -> None:
    """Write a file under a temporary name and rename it, so that it appears whole or not at all.

    What is no regular file (a pipe, ``/dev/null``, ``-`` for standard output) is written directly.

    Raises:
        ShloError: the file cannot be written.
    """
    write_pieces(path, (data,))


def write_pieces(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Like ``write_file``, of what need not be in memory at once."""
    check_path(path, "write")
    target = Path(os.path.realpath(path))
    try:
        if path == "-" or _is_special(target):
            with open(1 if path == "-" else target, "wb", closefd=path != "-") as special:
                special.writelines(pieces)
            return
        with replacing(target) as file:
            file.writelines(pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ShloError(f"cannot write {path!r}: {error.strerror}") from error


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when the block has ended, and leaves it if it fails.

    Raises:
        OSError: the file cannot be written.
    """
    # Others may write the same file at the same time, in this process or on another machine.
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    with open(temporary, "xb") as file:
        try:
            yield file
            file.close()
            if target.exists():
                os.chmod(temporary, target.stat().st_mode & 0o7777)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def check_writable(path: str) -> None:
    """Raise the ShloError that ``write_file`` would, before the work is done."""
    check_path(path, "write")
    if path == "-":
        return
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if _is_special(target):
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        with NamedTemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise ShloError(f"cannot write {path!r}: {error.strerror}") from error


def check_apart(written: Mapping[str, str | None], program: str) -> None:
    """Refuse a file that would be written twice, or over the program that it is made of.

    Args:
        written: paths by the options that name them; None or ``''`` for what is not written.
        program: the path of what is read; ``-`` for standard input.

    Raises:
        ShloError: two of them are one file, under whatever names.
    """
    options: dict[str, str] = {}
    for option, path in written.items():
        if not path or (path != "-" and _is_special(Path(path))):
            continue  # several may write to a device
        file = "-" if path == "-" else os.path.realpath(path)
        if file in options:
            raise ShloError(f"{options[file]} and {option} would both be {path}")
        if path != "-" and file == os.path.realpath(program):
            raise ShloError(f"{option}={path} would be written over the input")
        options[file] = option


def check_path(path: str, what: str) -> None:
    """Raise ShloError for what no file can be called; ``what`` was to be done to it."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ShloError(f"cannot {what} {path!r}: it is no text") from None
    if "\0" in path:
        raise ShloError(f"cannot {what} {path!r}: names of files hold no NUL")


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()
