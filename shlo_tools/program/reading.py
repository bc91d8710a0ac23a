"""Reading programs: text, MLIR bytecode, portable artifacts.

MLIR's readers believe what they read, and some sources end their process. Text is scanned before
they see it. Bytes that this process has not written itself, and texts that the scan suspects, are
read in another process first (``isolation``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from shlo_tools import files, mlir
from shlo_tools.dialects import check, rules
from shlo_tools.errors import (
    Diagnostic,
    ParseError,
    Place,
    ShloError,
    UnsupportedError,
    VerifyError,
    did_you_mean,
)
from shlo_tools.program import external_constants, isolation, versions
from shlo_tools.program.verification import check_by_mlir, check_rules
from shlo_tools.program.versions import Version
from shlo_tools.program.writing import clone, is_own, moved, to_bytecode
from shlo_tools.text import check_syntax, guards
from shlo_tools.text.check_syntax import GenericText
from shlo_tools.text.sharding import bytecode as annotated_bytecode
from shlo_tools.text.sharding import kept, manual_computations
from shlo_tools.text.sharding import text as annotated_text
from shlo_tools.text.words import Words

BYTECODE_MAGIC = b"ML\xefR"


def load(
    source: str | bytes | os.PathLike[str],
    *,
    isolated: bool = True,
    name: str | None = None,
    shardings: Literal["drop", "keep"] = "drop",
) -> mlir.Module:
    """Read a program: a path, text, bytecode or a portable artifact.

    A ``str`` that contains a brace or a line break is text, any other a path.

    Args:
        isolated: read bytecode of unknown origin, and suspicious texts, in another process
            first. ``False`` saves its start, 0.4 s once, where the source can be trusted.
        name: what messages call the source; the path by default.
        shardings: ``keep`` leaves Shardy's annotations in the module, as attributes
            (``shlo.meshes`` on the module, ``shlo.sharding`` on arguments and results, ...) and
            calls (``shlo.manual_computation``), and reads programs for several devices as well,
            from text. Otherwise those are refused.

    Returns:
        A verified module of the official bindings, in the library's context.

    Raises:
        ParseError: it is no MLIR module.
        VerifyError: it is one that breaks its dialect's rules.
        UnsupportedError: it is for several devices, or annotations cannot be kept.
        ShloError: the file cannot be read.
    """
    if shardings not in ("drop", "keep"):
        raise ShloError(f"shardings={shardings!r}: 'drop' or 'keep' is wanted")
    keeps = shardings == "keep"
    if isinstance(source, os.PathLike) or (isinstance(source, str) and is_path(source)):
        path = os.fspath(source)
        with mlir.library_context():
            data = files.read_file(path)
            module = parse(data, name=name or path, isolated=isolated, keeps_shardings=keeps)
            external_constants.locate(module, path)
            return module
    with mlir.library_context():
        return parse(source, name=name or "-", isolated=isolated, keeps_shardings=keeps)


_SMALL = 1 << 16  # characters; fewer in bytecode, or in long lines, hold no large constants
_LONG = 1 << 12  # characters of a line that holds a constant worth a thought


def module_of(
    source: Any, *, name: str = "-", anywhere: bool = False, expendable: bool = False
) -> mlir.Module:
    """A program as a module that the caller may change; the source stays as it is.

    Args:
        source: text, bytes, a path, a module of the bindings, or a ``builder.Module``.
        name: what messages call a text.
        anywhere: leave the module in whatever context: its own for a copy of a module, a new one
            for a large text, which takes large constants with it when it goes. Otherwise it is
            of the current context.
        expendable: another process explains the death of this one: bytes are read right here.

    Raises:
        ParseError, VerifyError, ShloError: see ``load``; or it is no program.
    """
    source = getattr(source, "module", source)  # a builder's module has one
    if is_path(source):
        path = os.fspath(source)
        data = files.read_file(path)
        module = module_of(data, name=path, anywhere=anywhere, expendable=expendable)
        external_constants.locate(module, path)
        return module
    if not isinstance(source, str | bytes):
        if not hasattr(source, "operation"):
            kind = type(source).__name__
            raise ShloError(f"{kind} is no program", hint="pass text, bytes, a path or a module")
        copy = clone(source)
        check_by_mlir(copy)
        return copy if anywhere else moved(copy)
    parse_source = parse_expendable if expendable else parse
    if not anywhere or not _may_be_large(source):
        return parse_source(source, name=name)
    with mlir.at(mlir.new_context()):
        return parse_source(source, name=name)


def _may_be_large(source: str | bytes) -> bool:
    """Whether a source may hold so much of constants that its context should go with it."""
    if len(source) < _SMALL or is_bytecode(source):
        return len(source) >= _SMALL
    return sum(length for length in map(len, source.splitlines()) if length > _LONG) >= _SMALL


def is_path(source: object) -> bool:
    """Whether a source is the path of a file: a PathLike, or text without braces and lines."""
    if isinstance(source, os.PathLike):
        return True
    return isinstance(source, str) and bool(source) and not re.search(r"[{(\n]", source)


def is_bytecode(source: str | bytes) -> bool:
    return isinstance(source, bytes) and source.startswith(BYTECODE_MAGIC)


def parse(
    source: str | bytes, *, name: str = "-", isolated: bool = True, keeps_shardings: bool = False
) -> mlir.Module:
    """Like ``load``, from text or bytes, into the current context."""
    if not source:
        raise ParseError(f"{name}: the input is empty")
    if isinstance(source, bytes) and is_bytecode(source):
        if keeps_shardings and annotated_bytecode.is_annotated(source):
            message = f"{name}: nobody else can read Shardy's annotations in bytecode"
            raise UnsupportedError(message, hint="export the program as text to keep them")
        if not isolated or is_own(source):
            return _parse_bytecode(source, name)
        return _read_bytecode(isolation.rewritten(source, name), name)
    if isinstance(source, bytes):
        try:
            source = source.decode()
        except UnicodeDecodeError:
            raise ParseError(f"{name}: neither MLIR text nor bytecode") from None
    if "\0" in source or not _is_unicode(source):
        raise ParseError(f"{name}: neither MLIR text nor bytecode")
    words = Words(source.encode())
    suspicion = guards.check(source, name, words)
    if suspicion and isolated:
        isolation.check(source, name, suspicion)
    plain: str = source
    meshes: dict[str, str] = {}
    if b"sdy." in words and keeps_shardings:
        plain, meshes = kept.keep(source, name)
    elif b"sdy." in words:
        plain = annotated_text.strip(source, name)
    checks = [prefix for prefix in rules.VERIFIED if prefix.encode() in words]
    written = check_syntax.generic(plain, name) if check.PREFIX in checks else None
    try:
        with _manual_computations(meshes):
            module = mlir.parse_module(plain if written is None else written.text)
    except mlir.MLIRError as error:
        raise parse_error(error, source, name, written) from error
    if meshes:
        try:
            manual_computations.outline(module)
        except ParseError as error:
            raise error.with_source(source, name) from None
        spelled = {mesh: mlir.string_attr(text) for mesh, text in meshes.items()}
        module.operation.attributes[kept.MESHES] = mlir.dict_attr(spelled)
    if written is not None and written.crowded:
        _restore_places(module, written)
    if checks:
        try:
            check_rules(module)
        except VerifyError as error:
            raise error.with_source(source, name) from None
    return module


@contextmanager
def _manual_computations(meshes: Collection[str]) -> Iterator[None]:
    """Within the block, ops of unknown dialects are read where a program has meshes."""
    context = mlir.current_context()
    before = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = before or bool(meshes)
    try:
        yield
    finally:
        context.allow_unregistered_dialects = before


def parse_expendable(source: str | bytes, *, name: str) -> mlir.Module:
    """Like ``parse``, in a process whose death another one explains: bytes are read right here."""
    if not isinstance(source, bytes) or not is_bytecode(source):
        return parse(source, name=name)
    with isolation.limited(isolation.seconds(len(source))):
        return parse(source, name=name, isolated=False)


def _is_unicode(text: str) -> bool:
    """Whether a text has an encoding: halves of surrogate pairs have none."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_error(
    error: Exception, source: str, name: str, written: GenericText | None = None
) -> ShloError:
    """A binding's error about a text, as ours: with caret, file name and hint.

    Args:
        written: the text that MLIR saw, where it is not ``source``.
    """
    messages = mlir.diagnostics_of(error)
    if written is not None:
        messages = [written.diagnostic(diagnostic) for diagnostic in messages]
    diagnostics = [_hinted(diagnostic) for diagnostic in messages]
    verifying = any(note.message.startswith(_CURRENT) for d in messages for note in d.notes)
    kind = VerifyError if verifying else ParseError
    return kind(diagnostics).with_source(source, name)


_UNKNOWN_OP = re.compile(
    r"'?(\w+)\.([\w.]+)'? (?:is unknown|op is unregistered)|op '(\w+)\.([\w.]+)'"
)


_CURRENT = "see current operation"  # the note that MLIR's verifier adds to its errors


def _hinted(diagnostic: Diagnostic) -> Diagnostic:
    match = _UNKNOWN_OP.search(diagnostic.message)
    notes = tuple(n for n in diagnostic.notes if not n.message.startswith(_CURRENT))
    hint = ""
    if (match and "unknown" in diagnostic.message) or "unregistered" in diagnostic.message:
        words = re.findall(r"(\w+\.\w+)", diagnostic.message)
        known = (*mlir.registered_op_names(), *rules.OP_NAMES)
        hint = did_you_mean(words[0], known) if words else ""
    return Diagnostic(diagnostic.severity, diagnostic.message, diagnostic.place, notes, hint)


_IN_TEXT = re.compile(r'loc\("-":(\d+):(\d+)\)')


def _restore_places(module: mlir.Module, written: GenericText) -> None:
    """Have ops point into the source, where the text that MLIR read has other columns."""
    for op in mlir.walk(module.operation):
        match = _IN_TEXT.fullmatch(str(op.location))
        if match:
            printed = Place("-", int(match[1]), int(match[2]))
            place = written.original(printed)
            if place != printed:
                op.location = mlir.file_location(place.file, place.line, place.column)


def _parse_bytecode(source: bytes, name: str) -> mlir.Module:
    if annotated_bytecode.is_annotated(source):
        context = mlir.new_context()
        context.allow_unregistered_dialects = True
        with mlir.at(context):
            module = _read_bytecode(annotated_bytecode.readable(source), name)
            annotated_bytecode.remove(module, name)
            source = to_bytecode(module)
    return _read_bytecode(source, name)


def _read_bytecode(source: bytes, name: str) -> mlir.Module:
    version = versions.of_artifact(source)
    with mlir.hearing() as diagnostics:
        try:
            if b"StableHLO_v" in source[:64]:
                module = mlir.deserialize_portable_artifact(source)
            else:
                module = mlir.parse_module(source)
        except (mlir.MLIRError, ValueError) as error:
            reasons = diagnostics or mlir.diagnostics_of(error)
            raise _broken(name, version, [d.message for d in reasons]) from error
    if module is None:
        raise _broken(name, version, [])
    return module


def _broken(name: str, version: Version | None, reasons: list[str]) -> ParseError:
    """The error of bytecode that cannot be read."""
    what, hint = "broken bytecode", ""
    if version is not None:
        what = f"broken portable artifact of StableHLO {version}"
        if version > versions.current():
            hint = f"it is newer than this StableHLO, {versions.current()}: serialize it for that"
    listed = f": {'; '.join(dict.fromkeys(reasons))}" if reasons else ""
    return ParseError(f"{name}: {what}{listed}", hint=hint)
