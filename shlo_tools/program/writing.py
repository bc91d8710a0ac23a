"""Writing programs: text and MLIR bytecode."""

from __future__ import annotations

import hashlib
import io
import os

from shlo_tools import files, ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.program.external_constants import relative_to

_own: set[bytes] = set()  # digests of what this process wrote


def to_bytecode(module: mlir.Module, version: int | None = None) -> bytes:
    """A module as MLIR bytecode; ``is_own`` knows it again.

    Args:
        version: that of the format; None is the current one.

    Raises:
        ShloError: there is no such version.
    """
    data = _bytecode(module, version)
    _own.add(_digest(data))
    return data


def is_own(source: bytes) -> bool:
    """Whether this process wrote these bytes, so that reading them is safe."""
    return bool(_own) and _digest(source) in _own


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _bytecode(module: mlir.Module, version: int | None) -> bytes:
    buffer = io.BytesIO()
    try:
        module.operation.write_bytecode(buffer, desired_version=version)
    except ValueError as error:
        raise ShloError(f"MLIR writes no bytecode of version {version}") from error
    return buffer.getvalue()


def save(
    module: mlir.Module, path: str | os.PathLike[str], *, bytecode: bool | None = None
) -> None:
    """Write a module as text, or as bytecode where the name ends in ``.mlirbc`` or ``.bc``.

    The file appears whole or not at all. Of constants in a file it says where that is from there.

    Raises:
        ShloError: the file cannot be written.
    """
    path = os.fspath(path)
    if bytecode is None:
        bytecode = path.endswith((".mlirbc", ".bc"))
    with mlir.library_context(), relative_to(module, path):
        data = to_bytecode(module) if bytecode else ir.printed(module.operation).encode()
    files.write_file(path, data)


def clone(module: mlir.Module) -> mlir.Module:
    """A copy of a module in its own context, where its constants are shared with it."""
    op = module.operation
    is_module = op.name == "builtin.module"
    with mlir.at(op.context):
        copy = mlir.empty_module(op.location)
        if is_module:
            for name, attribute in op.attributes.items():
                copy.operation.attributes[name] = attribute
        end = mlir.at_end(copy.body)
        for child in ir.children(op) if is_module else [op]:
            child.clone(end)
    return copy


def moved(module: mlir.Module) -> mlir.Module:
    """A module of the current context: this one, or a copy by bytecode if it is of another."""
    if module.operation.context == mlir.current_context():
        return module
    return mlir.parse_module(to_bytecode(module))
