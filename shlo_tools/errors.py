"""What can go wrong, and how it is shown: the error family and the diagnostics channel.

The bindings can emit errors only, so warnings and remarks have a channel of their own here.
Everything is rendered alike: ``file:line:col: severity: message``, the source line with a caret,
notes, and a hint where there is one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Severity = Literal["error", "warning", "remark", "note"]


@dataclass(frozen=True)
class Place:
    """A position in a source text. ``line`` and ``column`` count from 1; 0 means unknown."""

    file: str = "-"
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"

    def in_file(self, file: str) -> Place:
        """The same, where ``-`` stands for a file."""
        return Place(file, self.line, self.column) if self.file == "-" else self

    @staticmethod
    def read(text: str) -> Place:
        """The place that ``str`` wrote: ``file:line:column``, or the file of an unknown line."""
        position = re.search(r":(\d+):(\d+)$", text)
        if position is None:
            return Place(text)
        return Place(text[: position.start()], int(position[1]), int(position[2]))


def place_in(source: str | bytes, offset: int, file: str = "-") -> Place:
    """Where the character, or the byte, at an offset stands."""
    before = source[:offset]
    ends, last = (
        (before.count("\n"), before.rfind("\n"))
        if isinstance(before, str)
        else (before.count(b"\n"), before.rfind(b"\n"))
    )
    return Place(file, ends + 1, offset - last)


@dataclass(frozen=True)
class Diagnostic:
    """One message about one place."""

    severity: Severity
    message: str
    place: Place | None = None
    notes: tuple[Diagnostic, ...] = ()
    hint: str = ""

    def render(self, source: str | None = None, name: str | None = None) -> str:
        """The message as people read it; ``source`` is the text of the file called ``name``."""
        head = f"{self.place}: " if self.place else ""
        lines = [f"{head}{self.severity}: {self.message}"]
        if self.place and (name is None or self.place.file == name):
            lines += _excerpt(self.place, source)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        lines += [note.render(source, name) for note in self.notes]
        return "\n".join(lines)

    def at(self, place: Place | None) -> Diagnostic:
        return replace(self, place=place)


def _excerpt(place: Place | None, source: str | None) -> list[str]:
    if place is None or source is None or not place.line:
        return []
    lines = source.split("\n", place.line)
    if place.line > len(lines):
        return []
    text = lines[place.line - 1].rstrip("\r").replace("\t", " ")
    start = max(0, place.column - 100)  # generated files have lines of megabytes
    return ["  " + text[start : start + 160], "  " + " " * (place.column - 1 - start) + "^"]


class ShloError(Exception):
    """Anything shlo-tools refuses to do. Carries the diagnostics that say why.

    Attributes:
        diagnostics: the messages, most important first; never empty.
        source: the text of the file called ``source_name``, shown with carets.
    """

    def __init__(
        self,
        message: str | Diagnostic | Iterable[Diagnostic],
        *,
        place: Place | None = None,
        hint: str = "",
        source: str | None = None,
        source_name: str | None = None,
    ) -> None:
        if isinstance(message, str):
            message = Diagnostic("error", message, place, hint=hint)
        if isinstance(message, Diagnostic):
            message = (message,)
        self.diagnostics = tuple(message)
        self.source = source
        self.source_name = source_name
        super().__init__(self.render())

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes with their diagnostics."""
        return _restored, (type(self), self.diagnostics, self.source, self.source_name)

    def render(self) -> str:
        """All diagnostics as text, carets included."""
        return "\n".join(d.render(self.source, self.source_name) for d in self.diagnostics)

    def with_source(self, source: str | None, file: str | None = None) -> ShloError:
        """The same error, pointing into ``source``; ``file`` replaces the name ``-``."""

        def named(diagnostic: Diagnostic) -> Diagnostic:
            place, notes = diagnostic.place, tuple(named(n) for n in diagnostic.notes)
            if place and file and place.file == "-":
                place = replace(place, file=file)
            return replace(diagnostic, place=place, notes=notes)

        diagnostics = [named(d) for d in self.diagnostics]
        error = type(self)(diagnostics, source=source, source_name=file)
        error.__cause__ = self.__cause__
        return error


def _restored(
    kind: type[ShloError],
    diagnostics: tuple[Diagnostic, ...],
    source: str | None,
    source_name: str | None,
) -> ShloError:
    return kind(diagnostics, source=source, source_name=source_name)


class ParseError(ShloError):
    """The input is no MLIR module: text, bytecode or portable artifact."""


class VerifyError(ShloError):
    """The module parses, and breaks a rule of its dialect."""


class ConstraintError(VerifyError):
    """An op breaks a constraint of the StableHLO specification."""


class PipelineError(ShloError):
    """A pass pipeline is malformed, names an unknown pass, or has a bad option."""


class PassError(ShloError):
    """A pass failed."""


class UnsupportedError(ShloError):
    """Valid StableHLO that this version cannot do; names op, types and location."""


class ArgumentError(ShloError, ValueError):
    """A call's arguments do not fit the program's signature."""


class ProviderError(ShloError, ImportError):
    """The MLIR bindings are missing, of another version, or loaded twice."""


class ExecutionError(ShloError, RuntimeError):
    """A check failed while the program ran."""


class ShapeMismatchError(ExecutionError):
    """Sizes that a running program computed do not fit; names op, place and sizes."""


class ExecutionTimeout(ExecutionError, TimeoutError):
    """The program ran longer than ``timeout=`` allowed, and was stopped."""


Listener = Callable[[Diagnostic], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def emit(diagnostic: Diagnostic) -> None:
    """Report a warning or a remark to whoever listens; dropped when nobody does."""
    listener = _listener.get()
    if listener is not None:
        listener(diagnostic)


def warn(message: str, place: Place | None = None, *, hint: str = "") -> None:
    emit(Diagnostic("warning", message, place, hint=hint))


def remark(message: str, place: Place | None = None) -> None:
    emit(Diagnostic("remark", message, place))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send warnings and remarks to ``listener`` within the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@dataclass
class Collected:
    """A listener that keeps what it hears."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def __call__(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest known spelling, or ''."""
    name = str(name)  # who asks for @3 says which number it was
    close = difflib.get_close_matches(name, list(known), n=5, cutoff=0.6)

    def likeness(other: str) -> tuple[float, bool]:
        return difflib.SequenceMatcher(None, other, name).ratio(), other.startswith(name)

    return f"did you mean {max(close, key=likeness)!r}?" if close else ""
