"""Writing programs: text and MLIR bytecode."""

from __future__ import annotations

import io
import os

from shlo_tools import files, mlir


def to_bytecode(module: mlir.Module) -> bytes:
    """A module as MLIR bytecode of the current version."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def save(
    module: mlir.Module, path: str | os.PathLike[str], *, bytecode: bool | None = None
) -> None:
    """Write a module as text, or as bytecode where the name ends in ``.mlirbc`` or ``.bc``.

    The file appears whole or not at all.

    Raises:
        ShloError: the file cannot be written.
    """
    if bytecode is None:
        bytecode = os.fspath(path).endswith((".mlirbc", ".bc"))
    with mlir.library_context():
        data = to_bytecode(module) if bytecode else f"{module.operation.get_asm()}".encode()
    files.write_file(os.fspath(path), data)


def clone(module: mlir.Module) -> mlir.Module:
    """A copy of a module in the current context, from whatever context it is of."""
    return mlir.parse_module(to_bytecode(module))
