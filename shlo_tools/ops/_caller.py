"""Where a person's code builds an op: each op's location is the line that asked for it."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, Self

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError

_PACKAGE = Path(__file__).resolve().parents[1]
_LIBRARY = tuple(
    str(_PACKAGE / name) for name in ("ops/", "builder.py", "ir.py", "types.py", "operators.py")
)
_OF_LIBRARY: dict[str, bool] = {}  # by file name


def _is_of_library(file: str) -> bool:
    known = _OF_LIBRARY.get(file)
    if known is None:
        known = _OF_LIBRARY[file] = file.startswith(_LIBRARY)
    return known


class _Lines:
    """The lines of a code by its instructions: ``f_lineno`` counts through all before each."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        spans = [(start, line or code.co_firstlineno) for start, _, line in code.co_lines()]
        self._starts = [start for start, _ in spans]
        self._lines = [line for _, line in spans]

    def at(self, instruction: int) -> int:
        return self._lines[bisect_right(self._starts, instruction) - 1]


class CallerBuild(ir.Build):
    """A builder whose ops are located where the caller of the library stands.

    Attributes:
        fallback: the location of what is built where no caller can be told.
        attributes: what each op made here has beside its own attributes.
    """

    def __init__(self, at: Any, location: mlir.Location) -> None:
        self.fallback = location
        self.attributes: Mapping[str, mlir.Attribute] = {}
        self._places: dict[tuple[str, int], mlir.Location] = {}
        self._lines: dict[int, _Lines] = {}  # by the identity of a code, which each keeps
        super().__init__(at, location)

    @property
    def location(self) -> mlir.Location:
        """The line of the innermost frame that is none of the library's."""
        frame = sys._getframe(1)
        while _is_of_library(frame.f_code.co_filename):
            if frame.f_back is None:
                return self.fallback
            frame = frame.f_back
        code = frame.f_code
        lines = self._lines.get(id(code))
        if lines is None:
            lines = self._lines[id(code)] = _Lines(code)
        key = code.co_filename, lines.at(frame.f_lasti)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = mlir.file_location(*key)
        return place

    @location.setter
    def location(self, location: mlir.Location) -> None:
        self.fallback = location

    def op(
        self,
        name: str,
        operands: Sequence[mlir.Value] = (),
        results: Sequence[mlir.Type] = (),
        attributes: Mapping[str, mlir.Attribute] | None = None,
        regions: int = 0,
    ) -> mlir.Operation:
        """Make an op of any dialect; result types are always given."""
        attributes = {**self.attributes, **(attributes or {})}
        try:
            return super().op(name, operands, results, attributes, regions)
        except IndexError as error:
            raise ShloError(f"{name} stands behind an op that ends its block") from error

    def inside(self, block: mlir.Block) -> Self:
        """A builder at the end of ``block``; the attributes of the ops here are not for those."""
        build = super().inside(block)
        build.attributes = {}
        return build
