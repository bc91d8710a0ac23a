"""Contractions by ``library.lines``: which axes run along lines, and whether that pays.

Windows that are neighbours along one axis read elements ``near`` each other: by taps whose axes
stay on the line. The other axes of taps, ``far``, lead from one line to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.library.contractions import lines as library
from shlo_tools.codegen.stages.contractions.axes import STILL, Axis, count

# What packing a window takes, in products of a vector: for each run of elements, and for those.
_RUN, _ELEMENTS = 6, 8
_LINES = 16  # chunks wanted
_SHORTEST, _LONGEST = 64, 512  # windows of lines that are cut from longer ones
_BYTES = 32 * 1024  # of C in a chunk of windows
_SUMS = 1 << 18  # bytes of a matrix of sums over windows, at most: larger ones leave the cache
_PART = 1 << 15  # products of a part of sums, at least


@dataclass(frozen=True)
class Line:
    """What windows along one line read.

    Attributes:
        rows: what rows of C are, ``windows`` or ``taps``.
        outer: axes that lead from one line of windows to the next.
        axis: along which windows lie.
        far, near: axes of taps.
        run: elements from the first one to the last one.
        unit: elements from one coordinate to the next; 0 where a line has no bounds.
    """

    rows: str
    outer: list[Axis]
    axis: Axis
    far: list[Axis]
    near: list[Axis]
    run: int
    unit: int

    @property
    def reach(self) -> int:
        """How far the coordinate moves with a unit."""
        return 1 if self.unit else 0

    def taps(self, pitch: int, size: int) -> list[tuple[int, int, int, int, int]]:
        """Axes of taps by bytes of what is packed; lines are ``pitch`` bytes apart."""
        strides = [pitch * count(self.far[d + 1 :]) for d in range(len(self.far))]
        strides += [axis.a * size for axis in self.near]
        axes = zip((*self.far, *self.near), strides, strict=True)
        return [(axis.size, 1, 1, 0, stride) for axis, stride in axes]

    def pitch(self, size: int) -> int:
        """Bytes from a packed line to the next, in other sets of the cache."""
        lines = -(-self.run * size // 64)
        return 64 * (lines + (lines % 2 == 0))


def windows(along: Sequence[Axis], inner: Sequence[Axis], tile: int, vectors: int) -> Line | None:
    """Lines whose windows are rows of ``vectors``, if that is worth it; axes are outer first.

    The last tile of a line computes some rows twice, for which others need not be packed.
    """
    line = _line("windows", along, inner, tile)
    if line is None or line.axis.size < tile:
        return None
    size, taps = line.axis.size, count(inner)
    idle = -(-size // tile) * tile - size
    packing = size * (count(line.far) * _RUN + taps // _ELEMENTS)
    return line if idle * taps * vectors <= packing else None


def taps(along: Sequence[Axis], inner: Sequence[Axis], tile: int, row: int) -> Line | None:
    """Lines whose taps are rows of ``row`` bytes, if that is worth it."""
    line = _line("taps", inner, along, tile) if count(along) * row <= _SUMS else None
    return line if line and line.axis.size >= tile else None


def block_of(lines: int, matrices: int, row: int) -> int:
    """Lines of windows of a chunk; ``row``: bytes of one of them in C."""
    return max(1, min(_BYTES // max(1, row), lines * matrices // _LINES, lines))


def parts_of(lines: int, products: int) -> tuple[int, int]:
    """How many parts sums over windows are cut into, and the lines of a part."""
    block = -(-lines // max(1, min(_LINES, products // _PART)))
    return -(-lines // block), block


def _line(rows: str, of_windows: Sequence[Axis], taps: Sequence[Axis], tile: int) -> Line | None:
    """The lines that windows lie on, of which less is packed than of windows."""
    if not of_windows or not 0 < count(taps) <= library.MOST_TAPS:
        return None
    *outer, axis = cut(of_windows, tile)
    unit = _unit(axis)
    if unit is None or axis.a <= 0 or not 0 < axis.size <= library.MOST_WINDOWS:
        return None
    first = len(taps)
    reached = 1  # elements of a window
    while first and _is_near(taps[first - 1], axis, unit, reached):
        first -= 1
        reached += (taps[first].size - 1) * taps[first].a
    far, near = list(taps[:first]), list(taps[first:])
    run = (axis.size - 1) * axis.a + reached
    if reached < unit or run >= axis.size * count(near):
        return None
    return Line(rows, list(outer), axis, far, near, run, unit)


def cut(of_windows: Sequence[Axis], tile: int) -> list[Axis]:
    """Axes of windows, the last one in equal parts where lines would be long, or few."""
    *outer, axis = of_windows
    most = min(_LONGEST, max(_SHORTEST, count(of_windows) // _LINES))
    if axis.size <= most:
        return list(of_windows)
    sizes = [n for n in range(_SHORTEST, most + 1) if axis.size % n == 0]
    size = max(sizes, key=lambda n: (n % tile == 0, n), default=axis.size)
    x, y, z = (step * size for step in axis.steps)
    part = Axis(axis.size // size, axis.a * size, axis.b * size, axis.c * size, (x, y, z))
    return [*outer, part, replace(axis, size=size)]


def _unit(axis: Axis) -> int | None:
    """Elements from one coordinate to the next: 0 for no coordinate, None for an odd axis."""
    if axis.steps == STILL:
        return 0
    *others, step = axis.steps
    return axis.a // step if others == [0, 0] and step > 0 and axis.a % step == 0 else None


def _is_near(axis: Axis, along: Axis, unit: int, reached: int) -> bool:
    """Whether a further axis of taps stays on the line."""
    if axis.a <= 0 or (axis.size - 1) * axis.a > along.size * along.a:
        return False
    if axis.steps == STILL:
        return not unit or reached + (axis.size - 1) * axis.a <= unit
    return 0 < unit <= reached and _unit(axis) == unit  # no gaps: a line is cut at whole units
