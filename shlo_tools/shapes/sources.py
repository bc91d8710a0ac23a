"""Where the value of a symbol is found when the program runs."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.mlir import Value


@dataclass(frozen=True)
class Extent:
    """The size of a value's dimension."""

    value: Value
    dimension: int


@dataclass(frozen=True)
class Element:
    """An element of an integer tensor, by its position in row-major order, or an index."""

    value: Value
    position: int
