"""The forms that checks are written in become MLIR's generic form, which its parser reads.

    check.expect_close %0, %1, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
    "check.expect_close"(%0, %1) {max_ulp_difference = 3} : (tensor<f32>, tensor<f32>) -> ()

Lines stay, columns do not: ``GenericText`` knows where each part of the new text comes from.
Between operands and types, on either side of the colon, and behind these, a check may have
``{...}`` as well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

from shlo_tools.dialects.check import CHECKS, Check
from shlo_tools.errors import Diagnostic, ParseError, Place, did_you_mean, place_in
from shlo_tools.text.tokens import BRACKET, IGNORED

_SPACE = rb"(?:\s|//[^\n]*)*"
_FORM = re.compile(
    rb'"check\.\w+"(?P<quoted>' + _SPACE + rb"\()|" + IGNORED + rb"|(?<![\w.#@!%$-])"
    rb"(?P<name>check\.\w+)(?![\w.$])"
)
_BLANK = re.compile(_SPACE)
_OPERAND = re.compile(rb"%[\w$.-]+(?:#\d+)?")
_CONSTANT = re.compile(rb"#?[A-Za-z_][\w$.-]*")
_KEYWORD = re.compile(rb"," + _SPACE + rb"(\w+)" + _SPACE + rb"=" + _SPACE)
_PLAIN = re.compile(  # a number may have its type
    rb'"(?:[^"\\\n]|\\.)*"|[-+\w.]+(?:' + _SPACE + rb":" + _SPACE + rb"(?:f64|[us]?i(?:32|64))\b)?"
)
_TYPE = re.compile(rb"!?[A-Za-z_][\w$.-]*")
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}
_BRACKET = re.compile(BRACKET)
_ALONE = re.compile(
    rb"[ \t]*(?:loc\((?:" + IGNORED + rb"|[^()\n])*\)[ \t]*|//[^\n]*|\}\s*)?(?:\n|$)"
)
_CLEAN = re.compile(rb'("(?:[^"\\\n]|\\.)*")|//[^\n]*|\n')


@dataclass(frozen=True)
class _Piece:
    """A part of the new text: copied from ``origin`` on, or put in at ``origin``."""

    text: bytes
    origin: int
    copied: bool


@dataclass(frozen=True)
class GenericText:
    """A text without custom forms of checks.

    Attributes:
        crowded: whether anything follows a check on its line.
    """

    source: bytes
    pieces: tuple[_Piece, ...]
    crowded: bool = False

    @cached_property
    def text(self) -> str:
        return self._bytes.decode()

    @property
    def moved(self) -> bool:
        """Whether columns of this text are not those of the source."""
        return len(self.pieces) > 1

    def original(self, place: Place) -> Place:
        """Where in the source a place of the new text is."""
        if not self.moved or place.line < 1 or place.line > len(self._lines):
            return place
        at = self._lines[place.line - 1] + max(place.column, 1) - 1
        number = bisect_right(self._starts, at) - 1
        piece = self.pieces[number]
        within = min(at - self._starts[number], len(piece.text))
        return place_in(self.source, piece.origin + within * piece.copied, place.file)

    def diagnostic(self, reported: Diagnostic) -> Diagnostic:
        """A message about the new text, as one about the source."""
        notes = tuple(self.diagnostic(note) for note in reported.notes)
        place = reported.place if reported.place is None else self.original(reported.place)
        return replace(reported, place=place, notes=notes)

    @cached_property
    def _bytes(self) -> bytes:
        return b"".join(piece.text for piece in self.pieces)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for piece in self.pieces[:-1]:
            starts.append(starts[-1] + len(piece.text))
        return starts

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(newline.end() for newline in re.finditer(rb"\n", self._bytes))]


def generic(text: str, name: str = "-") -> GenericText:
    """Read the checks of a text.

    Args:
        name: what messages call the text.

    Raises:
        ParseError: with the place where a check is not as it should be.
    """
    return _Reading(text.encode(), name).run()


class _Reading:
    """One pass over a text; ``edits`` are (start, end, new text, its origin, whether copied)."""

    def __init__(self, source: bytes, name: str) -> None:
        self.source, self.name = source, name
        self.edits: list[tuple[int, int, bytes, int, bool]] = []
        self.crowded = False

    def run(self) -> GenericText:
        at = 0
        while (here := self.source.find(b"check.", at)) >= 0:
            # Strings and comments end with their line: no more than it needs to be read.
            start = max(at, self.source.rfind(b"\n", 0, here) + 1)
            match = _FORM.search(self.source, start)
            if match is None or match.start() > here:  # the end of another word
                at = here + len(b"check.")
                continue
            at = match.end()
            if match["quoted"]:
                self._properties(at - 1)
            elif match["name"] and self._is_op(match):
                at = _Form(self, match).read()
                self.crowded = self.crowded or _ALONE.match(self.source, at) is None
        return GenericText(self.source, tuple(self._pieces()), self.crowded)

    def _is_op(self, match: re.Match[bytes]) -> bool:
        """Whether the word names a known op; entries of dictionaries may be called the same."""
        before = self.source[max(0, match.start() - 4096) : match.start()].rstrip()[-1:]
        after = self.source[self.skip(match.end()) :][:1]
        entry = before in (b"{", b",") and after in (b"=", b",", b"}")
        return match["name"].decode() in CHECKS and not entry

    def _pieces(self) -> list[_Piece]:
        pieces, done = [], 0
        for start, end, text, origin, copied in sorted(self.edits, key=lambda edit: edit[:2]):
            pieces.append(_Piece(self.source[done:start], done, True))
            pieces.append(_Piece(text, origin, copied))
            done = end
        pieces.append(_Piece(self.source[done:], done, True))
        return [piece for piece in pieces if piece.text] or pieces[-1:]

    # --- generic form -----------------------------------------------------------------------------
    def _properties(self, at: int) -> None:
        """``<{...}> {...}`` is ``{..., ...}`` for a dialect that is defined at run time."""
        start = self.skip(self.group(at))
        if self.source[start : start + 2] != b"<{":
            return
        end = self.group(start)
        if self.source[end - 2 : end] != b"}>":
            return
        self.replace(start, start + 2, b" {")
        more = self.skip(end)
        if self.source[more : more + 1] != b"{":
            self.replace(end - 2, end, b"} ")
            return
        separated = self._has_entries(start + 1) and self._has_entries(more)
        self.replace(end - 2, end, b", " if separated else b"  ")
        self.replace(more, more + 1, b" ")

    def _has_entries(self, at: int) -> bool:
        return self.source[self.skip(at + 1) :][:1] != b"}"

    # --- reading ----------------------------------------------------------------------------------
    def skip(self, at: int) -> int:
        """Behind white space and comments."""
        match = _BLANK.match(self.source, at)
        return match.end() if match else at

    def group(self, at: int) -> int:
        """Behind the bracket that closes the one at ``at``."""
        waited_for = []
        for token in _BRACKET.finditer(self.source, at):
            if token["open"]:
                waited_for.append(_CLOSING[token["open"]])
            elif token["close"] and waited_for.pop() != token["close"]:
                break
            if not waited_for:
                return token.end()
        raise self.error(at, "a bracket that is not closed")

    def error(self, at: int, message: str, hint: str = "") -> ParseError:
        diagnostic = Diagnostic("error", message, place_in(self.source, at, self.name), hint=hint)
        text = self.source.decode(errors="replace")
        return ParseError(diagnostic, source=text, source_name=self.name)

    def replace(self, start: int, end: int, text: bytes, origin: int | None = None) -> None:
        """Put ``text`` in place of a part of the source; with ``origin``, a part copied there."""
        here = start if origin is None else origin
        self.edits.append((start, end, text, here, origin is not None))

    def blank(self, start: int, end: int) -> None:
        self.replace(start, end, re.sub(rb"[^\n]", b" ", self.source[start:end]), start)


class _Form:
    """One check in its custom form."""

    def __init__(self, reading: _Reading, match: re.Match[bytes]) -> None:
        self.reading, self.source = reading, reading.source
        self.name: str = match["name"].decode()
        self.check: Check = CHECKS[self.name]
        self.start, self.at = match.start(), match.end()
        self.entries: list[tuple[bytes, int]] = []  # of the dictionary, and where they stood

    def read(self) -> int:
        """Rewrite the check; returns where it ends."""
        write = self.reading.replace
        write(self.start, self.at, f'"{self.name}"('.encode())
        for number in range(self.check.operands):
            if number:
                self._expect(b",")
            self._match(_OPERAND, "an operand")
        operands = self.at
        if self.check.has_constant:
            self._expect(b",")
            write(operands, self.at, b")" + self.source[operands : self.at - 1] + b" {value = ")
            self._match(_CONSTANT, "a constant")
            self._group(b"<")
        self._attributes()
        before = self.at
        self._expect(b":")
        self._attributes()
        types = self._types()
        end = self.at
        self._attributes()
        if self.check.has_constant:
            self._write_entries(end, b", ", b"")
            write(end, end, b"} : (" + self._type_text(*types[0]) + b") -> ()")
            return self.at
        write(operands, operands, b")")
        self._write_entries(before, b" {", b"} ")
        opening = self.source[types[0][0] : types[0][0] + 1] == b"("
        if not opening:
            write(types[0][0], types[0][0], b"(")
            missing = self.check.operands - len(types)
            repeated = b", " + self._type_text(*types[0])
            write(end, end, repeated * missing + b") -> ()")
        return self.at

    def _types(self) -> list[tuple[int, int]]:
        """Where the types begin and end; a list in parentheses counts as one."""
        self.at = self.reading.skip(self.at)
        if self.source[self.at : self.at + 1] == b"(" and not self.check.has_constant:
            start, self.at = self.at, self.reading.group(self.at)
            self._expect(b"->")
            self._expect(b"(")
            self._expect(b")")
            return [(start, self.at)]
        types = [self._type()]
        while len(types) < self.check.operands:
            here = self.reading.skip(self.at)
            if self.source[here : here + 1] != b"," or _KEYWORD.match(self.source, here):
                break
            self.at = here + 1
            types.append(self._type())
        return types

    def _type(self) -> tuple[int, int]:
        start = self.reading.skip(self.at)
        self._match(_TYPE, "a type")
        self._group(b"<")
        return start, self.at

    def _type_text(self, start: int, end: int) -> bytes:
        return _on_one_line(self.source[start:end])

    def _attributes(self) -> None:
        """Take keywords and dictionaries out of the text."""
        while True:
            here = self.reading.skip(self.at)
            if self.source[here : here + 1] == b"{":
                end = self.reading.group(here)
                inside = self.source[here + 1 : end - 1]
                if inside.strip():
                    self.entries.append((inside, here + 1))
            elif keyword := _KEYWORD.match(self.source, here):
                value = _PLAIN.match(self.source, keyword.end())
                if value is None:
                    raise self.reading.error(keyword.end(), f"{self.name}: a value is expected")
                end = value.end()
                named = self._attribute(keyword)
                self.entries.append((named + b" = " + value[0], keyword.start(1)))
            else:
                return
            self.reading.blank(here, end)
            self.at = end

    def _attribute(self, keyword: re.Match[bytes]) -> bytes:
        """The attribute that a keyword stands for."""
        own = {name: row for name, row in self.check.attributes.items() if name != "value"}
        known = {row.keyword: name for name, row in own.items() if row.keyword}
        known |= {name: name for name in own}
        word = keyword[1].decode()
        if word not in known:
            message = f"{self.name} has no attribute {word!r}"
            raise self.reading.error(keyword.start(1), message, did_you_mean(word, known))
        return known[word].encode()

    def _write_entries(self, at: int, opening: bytes, closing: bytes) -> None:
        for number, (entry, origin) in enumerate(self.entries):
            self.reading.replace(at, at, b", " if number else opening)
            text = _on_one_line(entry)
            if text == entry:
                self.reading.replace(at, at, text, origin)
            else:
                self.reading.replace(at, at, text)
        if self.entries:
            self.reading.replace(at, at, closing)

    def _expect(self, token: bytes) -> None:
        self.at = self.reading.skip(self.at)
        if not self.source.startswith(token, self.at):
            raise self.reading.error(self.at, f"{self.name}: {token.decode()!r} is expected")
        self.at += len(token)

    def _match(self, pattern: re.Pattern[bytes], what: str) -> None:
        self.at = self.reading.skip(self.at)
        match = pattern.match(self.source, self.at)
        if match is None:
            raise self.reading.error(self.at, f"{self.name}: {what} is expected")
        self.at = match.end()

    def _group(self, opening: bytes) -> None:
        if not self.source.startswith(opening, self.at):
            return
        end = self.source.find(b">", self.at)
        inside = self.source[self.at + 1 : end]
        if end > 0 and not any(token in inside for token in (b"<", b'"', b"/", b"->")):
            self.at = end + 1  # large constants are not read token by token
        else:
            self.at = self.reading.group(self.at)


def _on_one_line(text: bytes) -> bytes:
    """Without comments and line breaks."""
    return _CLEAN.sub(lambda match: match[1] or b" ", text)
