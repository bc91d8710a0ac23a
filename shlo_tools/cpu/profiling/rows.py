"""Rows of a profile, from how often and how long the rows of a table ran."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shlo_tools.calling.profile import ProfiledJob, ProfiledOp, ProfileRow
from shlo_tools.cpu.stages.program import Call, Program, numbered_calls
from shlo_tools.cpu.stages.table import Origin
from shlo_tools.dtypes import Array
from shlo_tools.errors import Place

if TYPE_CHECKING:  # costs load what all ops are
    from shlo_tools.cpu.limits import Limits
    from shlo_tools.program.costs import Costs, Flops

COPIES = "copies"  # of values that loops carry


@dataclass(frozen=True)
class Stage:
    """A distinct stage.

    Attributes:
        ops: what it computes.
        costs: of one run; None where they are not known.
    """

    ops: tuple[ProfiledOp, ...]
    costs: Costs | None


@dataclass(frozen=True)
class Origins:
    """Where a program's stages come from.

    Attributes:
        calls: of stages, in the order of the program: their names, and where they stand.
        stages: by name.
    """

    calls: Sequence[tuple[str, Place | None]]
    stages: Mapping[str, Stage]

    def without(self, numbers: Collection[int]) -> Origins:
        """The same but for some of the calls."""
        calls = [call for number, call in enumerate(self.calls) if number not in numbers]
        return replace(self, calls=calls)


@dataclass
class Rows:
    """Makes rows of a profile from those of a table.

    Attributes:
        table: what the table's rows are there for.
    """

    program: Program
    table: Sequence[Origin]
    origins: Origins | None
    limits: Limits
    calls: list[Call] = field(init=False)
    _numbers: list[int] = field(init=False)  # of the table's calls: which they are of the program's

    def __post_init__(self) -> None:
        numbered = list(numbered_calls(self.program.body))
        self._numbers = [number for number, _ in numbered]
        self.calls = [call for _, call in sorted(dict(reversed(numbered)).items())]
        if self.origins is not None:
            named = [stage for stage, _ in self.origins.calls]
            if named != [call.stage for call in self.calls]:
                raise RuntimeError("the program was cut into other stages than before")

    def name(self, number: int) -> str:
        """What a row of the table is part of."""
        call = self._call(number)
        return COPIES if call < 0 else self.calls[call].stage

    def _call(self, row: int) -> int:
        """Which call of the program a row of the table is part of; -1 for a copy."""
        call = self.table[row].call
        return -1 if call < 0 else self._numbers[call]

    def of(self, totals: Array) -> Iterator[ProfileRow]:
        """Rows that ran, from how often and how many nanoseconds."""
        by_call: dict[int, list[int]] = {}
        for number, origin in enumerate(self.table):
            if origin.function and totals[number, 0]:
                by_call.setdefault(self._call(number), []).append(number)
        for call, numbers in by_call.items():
            if call < 0:
                yield self._copies(numbers, totals)
            else:
                yield self._stage(call, numbers, totals)

    def _copies(self, numbers: Sequence[int], totals: Array) -> ProfileRow:
        """The row of all copies."""
        jobs = self._jobs(numbers, totals)
        bytes = sum(int(totals[n, 0]) * self.table[n].bytes for n in numbers)
        return ProfileRow(
            stage=COPIES,
            place=None,
            ops=(),
            jobs=jobs,
            runs=int(sum(totals[n, 0] for n in numbers)),
            seconds=sum(job.seconds for job in jobs),
            bytes=bytes,
            flops=0,
            uncounted=frozenset(),
            least_seconds=bytes / self.limits.bandwidth,
        )

    def _stage(self, call: int, numbers: Sequence[int], totals: Array) -> ProfileRow:
        """The row of a call of a stage, which runs some rows of the table."""
        firsts = {self.table[number].call: number for number in reversed(numbers)}
        jobs, runs = self._jobs(numbers, totals), int(sum(totals[n, 0] for n in firsts.values()))
        stage, place = self._origin(call)
        costs = stage.costs if stage is not None else None
        bytes = runs * (costs.bytes if costs is not None else self._bytes(call))
        flops = costs.flops.times(runs) if costs is not None else None
        if flops is not None and flops.uncounted and not flops.total:
            flops = None
        return ProfileRow(
            stage=self.calls[call].stage,
            place=place,
            ops=stage.ops if stage is not None else (),
            jobs=jobs,
            runs=runs,
            seconds=sum(job.seconds for job in jobs),
            bytes=bytes,
            flops=flops.total if flops is not None else None,
            uncounted=flops.uncounted if flops is not None else frozenset(),
            least_seconds=self._least(bytes, flops) if flops is not None else None,
        )

    def _jobs(self, numbers: Sequence[int], totals: Array) -> tuple[ProfiledJob, ...]:
        return tuple(
            ProfiledJob(self.table[n].function, float(totals[n, 1]) / 1e9) for n in numbers
        )

    def _origin(self, call: int) -> tuple[Stage | None, Place | None]:
        if self.origins is None:
            return None, None
        name, place = self.origins.calls[call]
        return self.origins.stages.get(name), place

    def _bytes(self, call: int) -> int:
        """Of distinct arguments and of results."""
        values = {*self.calls[call].arguments, *self.calls[call].results}
        return sum(self.program.types[value].nbytes for value in values)

    def _least(self, bytes: int, flops: Flops) -> float:
        """Seconds that the machine takes for that at least."""
        arithmetic = flops.narrow / self.limits.flops_f32 + flops.wide / self.limits.flops_f64
        return max(bytes / self.limits.bandwidth, arithmetic)
