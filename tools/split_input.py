"""``--split-input-file``: one input, many programs, separated by ``// -----``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shlo_tools.errors import place_in, warn

MARKER = "// -----"
_TAIL = 2  # how much of the marker a near miss may lack, as in mlir-opt


@dataclass(frozen=True)
class Chunk:
    """One program of an input.

    Attributes:
        index: its number, from 0.
        source: its text, padded in front so that lines and columns are those of the whole input;
            bytes where the input is no text.
    """

    index: int
    source: str | bytes

    @property
    def text(self) -> str:
        """The source, where it is text."""
        return self.source if isinstance(self.source, str) else ""


def split(source: bytes, marker: str, name: str) -> Iterator[Chunk]:
    """The programs of an input; without a marker, or where it is no text, all of it is one.

    What looks like a marker cut short or drawn too long stays where it is, with a warning.
    """
    try:
        text = source.decode()
    except UnicodeDecodeError:
        yield Chunk(0, source)
        return
    if not marker:
        yield Chunk(0, text)
        return
    start, line, column, index = 0, 1, 1, 0
    for end in _markers(text, marker, name):
        yield Chunk(index, _padded(text[start:end], line, column))
        after = end + len(marker)
        line += text.count("\n", start, after)
        column = after - text.rfind("\n", 0, after)
        start, index = after, index + 1
    yield Chunk(index, _padded(text[start:], line, column))


def _markers(text: str, marker: str, name: str) -> Iterator[int]:
    """Offsets of the marker in ``text``."""
    stem = marker[:-_TAIL] or marker
    at = text.find(stem)
    while at >= 0:
        following = text[at + len(marker) : at + len(marker) + 1]
        if text.startswith(marker, at) and following != marker[-1]:
            yield at
        else:
            warn("near miss with file split marker", place_in(text, at, name))
        at = text.find(stem, at + len(marker))


def _padded(program: str, line: int, column: int) -> str:
    padding = "\n" * (line - 1) + " " * (column - 1)
    return padding + program or "\n"  # an empty part is an empty program, not no input
