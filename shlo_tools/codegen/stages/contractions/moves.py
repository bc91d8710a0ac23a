"""Windows along an axis that overlap: which taps move along it, and what places they reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.stages.contractions.axes import STILL, Axis

_PHASES = 64  # of an axis, at most


@dataclass(frozen=True)
class Moves:
    """Windows along an axis, and taps that move along it as well.

    Attributes:
        unit: elements of the image from one place to the next, which may go backwards.
    """

    axis: Axis
    taps: list[Axis]
    unit: int

    @property
    def phases(self) -> int:
        """Places from a window to the next: neighbours of a phase are as far apart."""
        return self.axis.a // self.unit

    @property
    def reach(self) -> int:
        """Places from the first tap to the last one."""
        return sum((tap.size - 1) * (tap.a // self.unit) for tap in self.taps)

    @property
    def reads_behind(self) -> bool:
        """Whether some phases have an element more than windows read."""
        return self.reach % self.phases != self.phases - 1

    @property
    def phase_axis(self) -> Axis:
        """From one phase to the next."""
        x, y, z = (step // self.phases for step in self.axis.steps)
        return Axis(self.phases, a=self.unit, steps=(x, y, z))

    def places(self, windows: int) -> int:
        """Places of a phase that some windows read."""
        return windows + self.reach // self.phases

    def stepping(self, coordinate: int) -> Moves:
        """The same along a coordinate that no other axis moves along."""

        def steps(axis: Axis) -> Axis:
            by = [axis.a // self.unit if d == coordinate else 0 for d in range(len(STILL))]
            return replace(axis, steps=(by[0], by[1], by[2]))

        return Moves(steps(self.axis), [steps(tap) for tap in self.taps], self.unit)


def moves_along(axis: Axis, taps: Sequence[Axis]) -> Moves | None:
    """The taps that move along an axis so far that windows overlap; None where there are none."""
    if not axis.a:
        return None
    near = [tap for tap in taps if _overlaps(axis, tap)]
    unit = math.copysign(math.gcd(axis.a, *(tap.a for tap in near)), axis.a)
    moves = Moves(axis, near, int(unit))
    divides = all(step % moves.phases == 0 for step in axis.steps)
    return moves if near and divides and moves.phases <= _PHASES else None


def _overlaps(axis: Axis, tap: Axis) -> bool:
    if axis.size == 1 or tap.a * axis.a <= 0 or (tap.size - 1) * abs(tap.a) < abs(axis.a):
        return False
    if any(a * axis.a != b * tap.a for a, b in zip(tap.steps, axis.steps, strict=True)):
        return False
    return axis.steps != STILL or (tap.size - 1) * abs(tap.a) < axis.size * abs(axis.a)
