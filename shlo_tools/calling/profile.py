"""Where the time of a program's calls goes: a table, and a trace. Free of MLIR."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from shlo_tools import files
from shlo_tools.calling import trace
from shlo_tools.calling.tables import aligned, amount, duration
from shlo_tools.calling.trace import Event
from shlo_tools.errors import Place, ShloError

Number = TypeVar("Number", int, float)

_NAMES = 4  # of ops that a line shows
_HEADS = ("time", "share", "runs", "bytes", "flops", "GB/s", "GFLOP/s", "of limit")


@dataclass(frozen=True)
class ProfiledOp:
    """An op that a stage computes.

    Attributes:
        name: ``dot_general``.
        place: where it stands in the source; that of its first copy where equal stages are one.
        flops: of one run; 0 where they are not counted.
    """

    name: str
    place: Place | None
    flops: int


@dataclass(frozen=True)
class ProfiledJob:
    """A function that a stage runs: a kernel, or one of the process library.

    Attributes:
        function: its name.
        seconds: of a call of the program.
    """

    function: str
    seconds: float


@dataclass(frozen=True)
class ProfileRow:
    """A step of a program: the call of a stage, or the copies of values that loops carry.

    Attributes:
        stage: the name of what it runs, as in ``exe.ir("stages")``; ``copies``.
        place: where its product or its last op stands in the source.
        ops: what it computes; none where the program is not kept.
        jobs: what it runs for that, in order.
        runs: how often a call of the program runs it.
        seconds: of all runs in one call of the program, the median of calls.
        bytes: that all runs read of distinct arguments and write of results, at least.
        flops: steps of arithmetic of all runs, None where they are not known: an addition and a
            multiplication for each pair of a product, one for each element of other ops.
        uncounted: names of ops whose arithmetic is not in ``flops``.
        least_seconds: what these bytes and flops take at least, by the machine's limits; None
            where flops are not known.
    """

    stage: str
    place: Place | None
    ops: tuple[ProfiledOp, ...]
    jobs: tuple[ProfiledJob, ...]
    runs: int
    seconds: float
    bytes: int | None
    flops: int | None
    uncounted: frozenset[str]
    least_seconds: float | None


@dataclass(frozen=True)
class Profile:
    """Measured calls of a program.

    Attributes:
        function: the name of the program's function.
        calls: how many were measured.
        threads: how many could compute.
        seconds: of a call, the median; all that is not in rows is between them.
        rows: in the order of the program.
        peak_flops, bandwidth: what the machine can do at most in a second: steps of arithmetic on
            f32, and bytes from and to memory. What stays in caches may be faster than memory.
        events: of one more call, what ran when and in which thread; ``save_trace`` writes them.
        left_out: how many events there was no room for.
    """

    function: str
    calls: int
    threads: int
    seconds: float
    rows: tuple[ProfileRow, ...]
    peak_flops: float
    bandwidth: float
    events: tuple[Event, ...] = field(repr=False)
    left_out: int = 0

    def stages(self) -> tuple[ProfileRow, ...]:
        """Rows of equal stages added up; places and ops are those of the first."""
        by_stage: dict[str, list[ProfileRow]] = {}
        for row in self.rows:
            by_stage.setdefault(row.stage, []).append(row)
        return tuple(map(_added, by_stage.values()))

    def table(self, by: str = "step", most: int | None = None) -> str:
        """The profile as text, a line for each row, from what takes longest.

        Args:
            by: ``step``: a row for each call of a stage; ``stage``: one for all calls of it.
            most: rows that are shown; the others are one line.

        Raises:
            ShloError: ``by`` is something else, or ``most`` is no positive number.
        """
        if by not in ("step", "stage"):
            raise ShloError(f"by={by!r}: a table is by 'step' or by 'stage'")
        if most is not None and most < 1:
            raise ShloError(f"most={most}: a table shows one row at least")
        rows = sorted(self.rows if by == "step" else self.stages(), key=lambda row: -row.seconds)
        shown = rows[:most]
        lines: list[tuple[str, ...]] = [(*_HEADS, "stage", "where", "ops")]
        lines += [(*self._numbers(row), row.stage, _where(row), _named(row)) for row in shown]
        if len(rows) > len(shown):
            rest = sum(row.seconds for row in rows[len(shown) :])
            lines.append(self._rest(rest, f"{len(rows) - len(shown)} more"))
        between = max(0.0, self.seconds - sum(row.seconds for row in rows))
        lines.append(self._rest(between, "between"))
        return "\n".join([self._head(), *aligned(lines, len(_HEADS))])

    def in_file(self, file: str) -> Profile:
        """The same, with the program's file in places: ``-`` where it was compiled from text."""
        places = (row.place and row.place.in_file(file) for row in self.rows)
        pairs = zip(self.rows, places, strict=True)
        return replace(self, rows=tuple(replace(row, place=place) for row, place in pairs))

    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events of one call as a file that Perfetto opens (ui.perfetto.dev).

        It is JSON in Chrome's trace event format, with a track for each thread. The file appears
        whole or not at all.

        Raises:
            ShloError: the file cannot be written.
        """
        text = trace.chrome_trace(self.function, self.events, self.left_out)
        files.write_file(os.fspath(path), text.encode())

    def __str__(self) -> str:
        return self.table()

    def _head(self) -> str:
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        threads = f"{self.threads} thread{'' if self.threads == 1 else 's'}"
        return (
            f"@{self.function}: {duration(self.seconds)} a call, the median of {calls}, {threads};"
            f" this machine: {self.peak_flops / 1e9:.1f} GFLOP/s,"
            f" {self.bandwidth / 1e9:.1f} GB/s"
        )

    def _numbers(self, row: ProfileRow) -> tuple[str, ...]:
        seconds, flops, bytes = row.seconds, row.flops, row.bytes
        least = row.least_seconds
        return (
            duration(seconds),
            self._share(seconds),
            str(row.runs),
            _short(bytes),
            _short(flops) + ("+" if flops is not None and row.uncounted else ""),
            _rate(bytes, seconds),
            _rate(flops, seconds),
            "-" if least is None or seconds <= 0 else f"{least / seconds:.0%}",
        )

    def _rest(self, seconds: float, what: str) -> tuple[str, ...]:
        return (duration(seconds), self._share(seconds), *[""] * (len(_HEADS) - 2), what, "", "")

    def _share(self, seconds: float) -> str:
        return f"{seconds / self.seconds:.1%}" if self.seconds > 0 else "-"


def _added(rows: Sequence[ProfileRow]) -> ProfileRow:
    """Rows of one stage as one."""
    first = rows[0]
    if len(rows) == 1:
        return first
    jobs = [
        ProfiledJob(same[0].function, sum(job.seconds for job in same))
        for same in zip(*(row.jobs for row in rows), strict=False)
    ]
    return ProfileRow(
        first.stage,
        first.place,
        first.ops,
        tuple(jobs),
        sum(row.runs for row in rows),
        sum(row.seconds for row in rows),
        _sum([row.bytes for row in rows]),
        _sum([row.flops for row in rows]),
        frozenset().union(*(row.uncounted for row in rows)),
        _sum([row.least_seconds for row in rows]),
    )


def _sum(numbers: Sequence[Number | None]) -> Number | None:
    known = [number for number in numbers if number is not None]
    return sum(known[1:], known[0]) if len(known) == len(numbers) else None


def _where(row: ProfileRow) -> str:
    return str(row.place) if row.place is not None and row.place.line else ""


def _named(row: ProfileRow) -> str:
    """Names of ops with arithmetic, those with most of it first; of all where there are none."""
    ops = [op for op in row.ops if op.flops] or list(row.ops)
    flops = Counter[str]()
    for op in ops:
        flops[op.name] += op.flops
    counts = Counter(op.name for op in ops)
    names = sorted(counts, key=lambda name: -flops[name])
    texts = [name if counts[name] == 1 else f"{counts[name]} {name}" for name in names[:_NAMES]]
    return ", ".join([*texts, *(["..."] if len(names) > _NAMES else [])])


def _short(number: int | None) -> str:
    return "-" if number is None else amount(number)


def _rate(number: int | None, seconds: float) -> str:
    return "-" if not number or seconds <= 0 else f"{number / seconds / 1e9:.1f}"
