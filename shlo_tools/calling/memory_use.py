"""What a call of a program takes of memory, and when. Free of MLIR."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from shlo_tools import files
from shlo_tools.calling import memory_plot, plotting
from shlo_tools.calling.memory_timeline import TEMPORARIES, Buffer, Timeline
from shlo_tools.calling.tables import aligned, amount
from shlo_tools.errors import ShloError, UnsupportedError

_NAMES = 4  # of buffers that a line shows
_HEADS = ("step", "alive", "of peak")


@dataclass(frozen=True)
class Memory:
    """What a call takes beside its arguments and the program's constants, in bytes.

    Attributes:
        temporaries: what is computed on the way, and does not lie in results.
        results: all of them.
        scratch: of each thread that takes part; it is kept from call to call.
        kept: what the first call makes of the program's constants alone, for all calls.
        plan: makes the timeline, where memory is planned step by step.
    """

    temporaries: int
    results: int
    scratch: int
    plan: Callable[[], Timeline] | None = field(default=None, repr=False, compare=False)
    kept: int = 0

    @cached_property
    def timeline(self) -> Timeline:
        """What is in use when.

        Raises:
            UnsupportedError: the program is one function, of which this is not known.
        """
        if self.plan is None:
            raise UnsupportedError("there is no timeline: the program is compiled as one function")
        return self.plan()

    @property
    def peak(self) -> int:
        """Bytes of temporaries in use at most; planned are some more where places do not fit.

        Raises:
            UnsupportedError: as of ``timeline``.
        """
        return self.timeline.peak

    def table(self, most: int | None = None) -> str:
        """The timeline as text.

        Args:
            most: steps that are shown: those with most bytes in use, in the program's order.

        Raises:
            ShloError: ``most`` is no positive number.
            UnsupportedError: as of ``timeline``.
        """
        if most is not None and most < 1:
            raise ShloError(f"most={most}: a table shows one row at least")
        timeline = self.timeline
        numbers = [n for n, step in enumerate(timeline.steps) if step.stage]
        largest = sorted(numbers, key=lambda n: -timeline.steps[n].alive)[:most]
        lines: list[tuple[str, ...]] = [(*_HEADS, "stage", "where", "in use")]
        lines += [self._line(number) for number in sorted(largest)]
        table = aligned(lines, len(_HEADS))
        if len(numbers) > len(largest):
            table.append(f"{len(numbers) - len(largest)} more steps with fewer bytes in use")
        head = f"{self}; {timeline.peak:,} bytes of temporaries are in use at most"
        return "\n".join([head, *table])

    def in_file(self, file: str) -> Memory:
        """The same, with the program's file in places: ``-`` where it was compiled from text."""

        def plan() -> Timeline:
            timeline = self.timeline
            places = (step.place and step.place.in_file(file) for step in timeline.steps)
            pairs = zip(timeline.steps, places, strict=True)
            return replace(timeline, steps=tuple(replace(s, place=place) for s, place in pairs))

        return replace(self, plan=plan if self.plan is not None else None)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw what lies where in temporaries, and when, as a .svg or .png file.

        The file appears whole or not at all.

        Raises:
            ShloError: the file has another suffix or cannot be written, or matplotlib is not
                installed (``pip install 'shlo-tools[plot]'``).
            UnsupportedError: as of ``timeline``.
        """
        name = os.fspath(path)
        plotting.check(name, "plot")
        files.write_file(name, memory_plot.drawn(name, str(self), self.timeline))

    def _line(self, number: int) -> tuple[str, ...]:
        timeline = self.timeline
        step = timeline.steps[number]
        where = str(step.place) if step.place is not None and step.place.line else ""
        share = f"{step.alive / timeline.peak:.0%}" if timeline.peak else "-"
        buffers = [timeline.buffers[n] for n in step.buffers]
        return (str(number), amount(step.alive), share, step.stage, where, _named(buffers))

    def __str__(self) -> str:
        kept = f", {self.kept:,} made of constants once" if self.kept else ""
        return (
            f"{self.temporaries:,} bytes of temporaries, {self.results:,} of results,"
            f" {self.scratch:,} of scratch memory for each thread{kept}"
        )


def _named(buffers: Sequence[Buffer]) -> str:
    """Names of buffers, the largest first; those within others say what they lie in."""
    largest = sorted(buffers, key=lambda buffer: -buffer.bytes)
    names = [f"{buffer.name} {amount(buffer.bytes)}{_inside(buffer)}" for buffer in largest]
    return ", ".join([*names[:_NAMES], *(["..."] if len(names) > _NAMES else [])])


def _inside(buffer: Buffer) -> str:
    return "" if buffer.block == TEMPORARIES else f" (in {buffer.block})"
