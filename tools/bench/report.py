"""A user's program, timed: a table on standard output, and what is not in it on standard error."""

from __future__ import annotations

import json
import platform
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from shlo_tools.processors import processor_count
from shlo_tools.tools.bench.limit_share import Limit, percent
from shlo_tools.tools.bench.measurement import Measurement
from shlo_tools.tools.bench.peers_report import OURS, seconds

_Times = Mapping[str, Sequence[float]]
_HEAD = (
    *("engine", "compile", "ratio", "run", "fastest", "slowest", "ratio"),
    *("share of limit", "difference"),
)


@dataclass(frozen=True)
class Report:
    """What is known of a program's engines.

    Attributes:
        differences: by peers, how far their results are from ours.
        limit: what no engine can beat.
    """

    measured: Measurement
    differences: Mapping[str, float]
    limit: Limit

    def show(self, engines: Sequence[str]) -> None:
        """Print all of it."""
        rows = [_HEAD, *map(self._row, engines)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        count = processor_count()
        print(f"{platform.machine()}, {count} processor{'' if count == 1 else 's'}")
        for first, *others in rows:
            cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            print("  ".join([first.ljust(widths[0]), *cells]))
        print(end="", flush=True)
        for note in self.limit.notes(self.shares().values()):
            print(f"note: {note}", file=sys.stderr)
        for engine, message in self.measured.failures.items():
            print(f"error: {engine}: {message.splitlines()[0]}", file=sys.stderr)

    def shares(self) -> dict[str, float]:
        """By engine, how much of the limit its median run reaches."""
        times = {engine: _median(self.measured.run, engine) for engine in self.measured.run}
        shares = {engine: self.limit.share(time) for engine, time in times.items()}
        return {engine: share for engine, share in shares.items() if share is not None}

    def json(self) -> str:
        """All samples in seconds, and what the table says of them."""
        least = {"seconds": self.limit.seconds, "reason": self.limit.reason}
        data = {
            **asdict(self.measured),
            "difference": dict(self.differences),
            "processors": processor_count(),
            "limit": {**least, "uncounted": self.limit.uncounted, **self.limit.details},
            "share of limit": self.shares(),
        }
        return json.dumps(data, indent=1) + "\n"

    def _row(self, engine: str) -> tuple[str, ...]:
        measured, run = self.measured, self.measured.run.get(engine)
        return (
            engine,
            seconds(_median(measured.compile, engine)),
            _ratio(measured.compile, engine),
            seconds(_median(measured.run, engine)),
            seconds(min(run) if run else None),
            seconds(max(run) if run else None),
            _ratio(measured.run, engine),
            percent(self.limit.share(_median(measured.run, engine))),
            self._difference(engine),
        )

    def _difference(self, engine: str) -> str:
        """How far results are from ours; of what has none, the first op that it cannot run."""
        if engine in self.differences:
            return f"{self.differences[engine]:.0e}"
        failure = self.measured.failures.get(engine, "")
        kind, _, ops = failure.partition(": ")
        return f"no {ops.split(', ')[0]}" if kind == "UnsupportedOp" else "-"


def _median(times: _Times, engine: str) -> float | None:
    return statistics.median(times[engine]) if times.get(engine) else None


def _ratio(times: _Times, engine: str) -> str:
    """A peer's time over ours."""
    theirs, ours = _median(times, engine), _median(times, OURS)
    return "-" if engine == OURS or theirs is None or ours is None else f"{theirs / ours:.2f}"
