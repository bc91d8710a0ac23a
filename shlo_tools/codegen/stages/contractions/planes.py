"""Contractions by ``library.planes``: which axes windows move along, and which taps move with them.

Lanes are windows along the last axis of C; a chunk is some lines along the one before it. Taps
that move along either of them lie in planes that other windows read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.stages.contractions.axes import STILL, Axis, Operand, Steps, count
from shlo_tools.codegen.stages.contractions.lines import cut
from shlo_tools.codegen.stages.contractions.moves import Moves, moves_along

_NEAREST = 2  # the coordinate that a run of packing may have


@dataclass(frozen=True)
class Windows:
    """Axes of a contraction whose lanes are windows.

    Attributes:
        batch: of matrices, with what leads from one image to another.
        lines, line: from one line of windows to the next, and along it.
        far: taps that have planes of their own.
        bounds, starts: of the coordinates.
    """

    batch: list[Axis]
    lines: Moves
    line: Moves
    far: list[Axis]
    bounds: Steps
    starts: Steps

    @property
    def size(self) -> int:
        """Windows of an image."""
        return self.lines.axis.size * self.line.axis.size

    @property
    def inner(self) -> list[Axis]:
        """All taps, outer ones first."""
        return [*self.far, *self.lines.taps, *self.line.taps]


def windows(
    batch: Sequence[Axis],
    along: Sequence[Axis],
    inner: Sequence[Axis],
    moving: Operand,
    lanes: int,
) -> Windows | None:
    """The axes of a contraction, if planes are made of what it reads; outer ones come first."""
    if not along or any(sum(map(bool, axis.steps)) > 1 for axis in (*batch, *along, *inner)):
        return None
    if len(along) == 1:
        along = cut(along, lanes)
    *outer, lines, line = [Axis(1, a=1), *along] if len(along) == 1 else along
    if not lines.a:
        return None
    across = moves_along(line, inner)
    if across is None:
        return None
    far = [tap for tap in inner if tap not in across.taps]
    down = moves_along(lines, far) or Moves(lines, [], lines.a)
    far = [tap for tap in far if tap not in down.taps]
    outer = [axis for axis in outer if axis.size > 1]
    form = Windows([*batch, *outer], down, across, far, moving.bounds, moving.starts)
    return _bounded(form)


def _bounded(form: Windows) -> Windows | None:
    """With coordinates where elements behind the last window's would be read, and those in order.

    None where no coordinate is left.
    """
    bounds, starts = list(form.bounds), list(form.starts)
    axes = [*form.batch, form.lines.axis, form.line.axis, *form.inner]
    unused = [d for d in range(len(STILL)) if not any(axis.steps[d] for axis in axes)]
    parts = []
    for moves in (form.line, form.lines):
        if moves.axis.steps == STILL and moves.phases > 1 and moves.reads_behind:
            if not unused:
                return None
            d = unused.pop()
            bounds[d] = (moves.axis.size - 1) * moves.phases + moves.reach + 1
            starts[d] = 0
            moves = moves.stepping(d)
        parts.append(moves)
    line, lines = parts
    steps = line.axis.steps
    nearest = next((d for d in range(len(steps)) if steps[d]), _NEAREST)

    def swapped(words: Sequence[int]) -> Steps:
        order = list(words)
        order[nearest], order[_NEAREST] = order[_NEAREST], order[nearest]
        return order[0], order[1], order[2]

    def turned(axes: Sequence[Axis]) -> list[Axis]:
        return [replace(axis, steps=swapped(axis.steps)) for axis in axes]

    def moved(moves: Moves) -> Moves:
        return Moves(turned([moves.axis])[0], turned(moves.taps), moves.unit)

    return Windows(
        turned(form.batch),
        moved(lines),
        moved(line),
        turned(form.far),
        swapped(bounds),
        swapped(starts),
    )


@dataclass(frozen=True)
class Box:
    """What a chunk of ``block`` lines reads, as it is packed.

    Attributes:
        planes: axes from one plane to the next, outer ones first.
        row: bytes between lines of a plane.
        plane: bytes between planes.
        by_lines: whether lines of all planes are packed together, and not plane by plane.
    """

    windows: Windows
    block: int
    planes: list[Axis]
    row: int
    plane: int
    by_lines: bool

    @property
    def run(self) -> int:
        """Elements of a line of a plane."""
        return self.windows.line.places(self.windows.line.axis.size)

    @property
    def rows(self) -> int:
        """Lines of a plane."""
        return self.windows.lines.places(self.block)

    @property
    def size(self) -> int:
        """Bytes of all planes."""
        return count(self.planes) * self.plane

    @property
    def lanes(self) -> int:
        """Windows that are computed, those between lines with them."""
        return (self.block - 1) * self.run + self.windows.line.axis.size

    def _stride(self, axis: Axis) -> int:
        """Bytes from one plane to the next along an axis of planes; 0 along none."""
        if axis not in self.planes:
            return 0
        return self.plane * count(self.planes[self.planes.index(axis) + 1 :])

    def taps(self, size: int) -> list[tuple[int, int, int, int, int]]:
        """Axes of taps, as the library lists them."""
        down, across = self.windows.lines, self.windows.line
        listed = [(tap.size, 1, 1, 0, self._stride(tap)) for tap in self.windows.far]
        for moves, place in ((down, self.row), (across, size)):
            phase = self._stride(moves.phase_axis)
            listed += [
                (tap.size, tap.a // moves.unit, moves.phases, phase, place) for tap in moves.taps
            ]
        return listed


def box(windows: Windows, block: int, lanes: int, size: int) -> Box:
    """The box of so many lines; ``size``: bytes of an element."""
    axes = [*windows.far, windows.lines.phase_axis, windows.line.phase_axis]
    planes = sorted((axis for axis in axes if axis.size > 1), key=lambda axis: -abs(axis.a))
    row = windows.line.places(windows.line.axis.size) * size
    # Elements of a line that lie apart, and are neighbours of others' in another plane, are turned.
    by_lines = bool(planes) and abs(planes[-1].a) == 1 and planes[-1].size >= lanes
    plane = windows.lines.places(block) * row + by_lines * lanes * size
    return Box(windows, block, planes, row, plane, by_lines)


def fits(windows: Windows) -> bool:
    """Whether axes are told apart, and there are no more than the library knows."""
    axes = [*windows.far, windows.lines.phase_axis, windows.line.phase_axis]
    planes = [axis for axis in axes if axis.size > 1]
    most = max(len(axes) + 1, len(windows.inner))  # lines are an axis of what is packed, too
    return most <= packing.AXES and len(set(planes)) == len(planes)
