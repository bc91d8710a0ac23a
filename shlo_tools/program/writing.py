"""Writing programs: text, MLIR bytecode and portable artifacts."""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import replace

from shlo_tools import files, ir, mlir
from shlo_tools.errors import Diagnostic, ShloError
from shlo_tools.program import versions
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


def serialize(
    module: mlir.Module,
    target: str = versions.CURRENT,
    *,
    allow_other_dialects: bool = False,
    strip_debuginfo: bool = False,
) -> bytes:
    """A program as a portable artifact, which StableHLO of another version can read.

    Args:
        module: StableHLO, or VHLO. It is not changed.
        target: the version that is to read it, such as ``1.9.0``; ``current`` is this one's.
        allow_other_dialects: leave ops of other dialects as they are.
        strip_debuginfo: leave out locations.

    Raises:
        ShloError: there is no such version, or it lacks what the program uses
            (``shlo_tools.interop.blockers`` tells all of that).
    """
    version = str(versions.target(target))
    with mlir.library_context():
        copy = clone(moved(module))
        if strip_debuginfo:
            mlir.run_passes(mlir.parse_pipeline("builtin.module(strip-debuginfo)"), copy.operation)
        with mlir.hearing() as diagnostics:
            try:
                data = mlir.serialize_portable_artifact(copy, version, allow_other_dialects)
            except ValueError as error:
                raise ShloError(_reasons(diagnostics, version)) from error
    _own.add(_digest(data))
    return data


def _reasons(diagnostics: list[Diagnostic], version: str) -> list[Diagnostic]:
    """Why there is no artifact: what MLIR says."""
    if diagnostics:
        return [
            replace(diagnostic, notes=()) for diagnostic in diagnostics
        ]  # ops printed at length
    return [Diagnostic("error", f"the program cannot be serialized for StableHLO {version}")]


def save(
    module: mlir.Module,
    path: str | os.PathLike[str],
    *,
    bytecode: bool | None = None,
    target: str | None = None,
) -> None:
    """Write a module as text, or as bytecode where the name ends in ``.mlirbc`` or ``.bc``.

    The file appears whole or not at all. Of constants in a file it says where that is from there.

    Args:
        bytecode: whether it is bytecode, whatever its name.
        target: write a portable artifact for this version of StableHLO, see ``serialize``.

    Raises:
        ShloError: the file cannot be written, or not for this version.
    """
    path = os.fspath(path)
    if target is not None and bytecode is False:
        raise ShloError(f"target={target!r}: a portable artifact is bytecode")
    if bytecode is None:
        bytecode = path.endswith((".mlirbc", ".bc"))
    with mlir.library_context(), relative_to(module, path):
        if target is not None:
            data = serialize(module, target)
        else:
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
