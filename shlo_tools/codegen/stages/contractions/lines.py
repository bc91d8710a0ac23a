"""Contractions by ``library.lines``: which axes run along lines, and how many are packed at once.

Windows that are neighbours along one axis read elements ``near`` each other: by taps whose axes
stay on the line. Other taps lead from one line to another: ``down``, where windows of lines that
are neighbours overlap, or ``far``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.jobs import are_shared_evenly
from shlo_tools.codegen.library.contractions import lines as library
from shlo_tools.codegen.library.contractions.micro_kernels import short_tile
from shlo_tools.codegen.stages.contractions.axes import STILL, Axis, count
from shlo_tools.codegen.stages.contractions.moves import Moves, moves_along

_LINES, _BYTES = 16, 128 * 1024  # chunks wanted, and bytes of C in a chunk of windows
_FEW_LINES, _MORE_BYTES = 4, 256 * 1024  # the same where each chunk reads B from afar
_SHORTEST, _LONGEST = 64, 512  # windows of lines that are cut from longer ones
_SUMS = 1 << 18  # bytes of a matrix of sums over windows, at most: larger ones leave the cache
_PART = 1 << 15  # products of a part of sums, at least


@dataclass(frozen=True)
class Line:
    """What windows along one line read.

    Attributes:
        rows: what rows of C are, ``windows`` or ``taps``.
        outer: axes that lead from one line of windows to the next.
        axis: along which windows lie.
        down: the last one of ``outer``, and taps whose lines its other windows read as well.
        far, near: other axes of taps.
        run: elements from the first one to the last one.
        unit: elements from one coordinate to the next; 0 where a line has no bounds.
        block: lines of windows of a chunk.
    """

    rows: str
    outer: list[Axis]
    axis: Axis
    down: Moves
    far: list[Axis]
    near: list[Axis]
    run: int
    unit: int
    block: int = 1

    @property
    def reach(self) -> int:
        """How far the coordinate moves with a unit."""
        return 1 if self.unit else 0

    @property
    def inner(self) -> list[Axis]:
        """All taps."""
        return [*self.down.taps, *self.far, *self.near]

    @property
    def together(self) -> int:
        """Lines that are packed at once: all of a chunk where C's rows are as far apart in all."""
        return self.block if self._is_joined else 1

    @property
    def _is_joined(self) -> bool:
        return self.down.axis.c == self.axis.size * self.axis.c

    @property
    def parts(self) -> list[Axis]:
        """Axes of lines that are packed for one of windows, or those that are together."""
        down = self.down
        x, y, z = (step // down.phases for step in down.axis.steps)
        lines = Axis(self.packed_down(self.together), a=down.unit, steps=(x, y, z))
        return [*[lines] * (lines.size > 1), *self.far]

    def packed_down(self, lines: int) -> int:
        """Lines of the image, along ``down``, that some lines of windows read."""
        return (lines - 1) * self.down.phases + self.down.reach + 1

    def groups(self) -> list[int]:
        """Windows that are multiplied at once in a chunk, and in the last one of an image."""
        number, size = self.down.axis.size, self.axis.size
        left = (number - 1) % self.block + 1
        return [lines * size if self._is_joined else size for lines in (self.block, left)]

    def tiles(self, tile: int, short: float) -> float:
        """Tiles of all lines; the last one of a chunk may be a short one, which takes less."""
        number, size = self.down.axis.size, self.axis.size
        whole, last = (_tiles(group, tile, short) for group in self.groups())
        if not self._is_joined:
            return _tiles(size, tile, short) * count(self.outer)
        return ((-(-number // self.block) - 1) * whole + last) * count(self.outer[:-1])

    def places(self, pitch: int, size: int) -> list[tuple[int, int, int, int, int]]:
        """Axes of taps by bytes of what is packed; lines are ``pitch`` bytes apart."""
        step = pitch * count(self.far)
        strides = [tap.a // self.down.unit * step for tap in self.down.taps]
        strides += [pitch * count(self.far[d + 1 :]) for d in range(len(self.far))]
        strides += [axis.a * size for axis in self.near]
        axes = zip(self.inner, strides, strict=True)
        return [(axis.size, 1, 1, 0, stride) for axis, stride in axes]

    def pitch(self, size: int) -> int:
        """Bytes from a packed line to the next, in other sets of the cache."""
        lines = -(-self.run * size // 64)
        return 64 * (lines + (lines % 2 == 0))


def _tiles(windows: int, tile: int, short: float) -> float:
    """What windows that are multiplied at once take, in tiles."""
    whole, left = divmod(windows, tile)
    return whole + (short if 0 < left <= short_tile(tile) else left > 0)


def windows(along: Sequence[Axis], inner: Sequence[Axis], tile: int) -> Line | None:
    """Lines whose windows are rows; axes are outer first."""
    line = _line("windows", along, inner, tile) if count(along) else None
    if line is None:
        return None
    down = moves_along(line.outer[-1], line.far) or line.down
    return replace(line, down=down, far=[tap for tap in line.far if tap not in down.taps])


def blocks(
    line: Line, matrices: int, products: int, tile: int, row: int, *, is_far: bool
) -> list[Line]:
    """The same with as many lines a chunk as leave enough chunks, of a tile of windows at least.

    Args:
        products: of all lines.
        row: bytes of C for a line.
        is_far: whether B is more than a core's own cache keeps from chunk to chunk.
    """
    most_chunks, size = (_FEW_LINES, _MORE_BYTES) if is_far else (_LINES, _BYTES)
    number, images = line.down.axis.size, matrices * count(line.outer[:-1])
    chunks = max(1, min(most_chunks, products // _PART))
    most = max(1, min(size // max(1, row), -(-number * images // chunks), number))
    # As many lines in every chunk, or more where only those are enough windows.
    enough = -(-tile // line.axis.size)
    sizes = {-(-number // -(-number // n)) for n in range(1, max(most, enough) + 1)}
    lines = [replace(line, block=n) for n in sorted(sizes)]
    lines = [
        line
        for line in lines
        if min(line.groups()) >= tile and max(line.groups()) <= library.MOST_WINDOWS
    ]
    even = [line for line in lines if are_shared_evenly(images * -(-number // line.block))]
    return even or lines


def taps(along: Sequence[Axis], inner: Sequence[Axis], tile: int, row: int) -> Line | None:
    """Lines whose taps are rows of ``row`` bytes, if that is worth it."""
    line = _line("taps", inner, along, tile) if count(along) * row <= _SUMS else None
    return line if line and line.axis.size >= tile else None


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
    # Windows that follow each other without a gap are packed as one long run, too.
    most = axis.size * count(near) - (rows == "taps")
    if reached < unit or run > most:
        return None
    lines = outer or [Axis(1, a=1)]
    down = Moves(lines[-1], [], lines[-1].a)
    return Line(rows, lines, axis, down, far, near, run, unit) if down.unit else None


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
