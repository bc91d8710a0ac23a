"""Measurements of programs by several engines: rows, ratios, a table and data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from shlo_tools.tools.bench.limit_share import Limit, percent

OURS, XLA, IREE, TORCH = "shlo-tools", "xla", "iree", "torch"
WORKERS = {
    OURS: "workers.native_worker",
    XLA: "workers.xla_worker",
    IREE: "workers.iree_worker",
    TORCH: "workers.torch_worker",
}


@dataclass
class Row:
    """One program: medians in seconds by engine, or why there are none.

    Attributes:
        error: by engine, the largest distance from what JAX computed (``worker.error_of``).
        plain: how many of our stages no kernel computes, by reason.
        whole: whether the program takes the path that has no stages.
        limit: what no engine can beat.
    """

    name: str
    family: str
    compile: dict[str, float] = field(default_factory=dict)
    run: dict[str, float] = field(default_factory=dict)
    error: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    stages: int = 0
    plain: dict[str, int] = field(default_factory=dict)
    whole: bool = False
    limit: Limit = field(default_factory=Limit)

    def run_ratio(self) -> float | None:
        """The best peer's run time over ours: above 1 we are faster."""
        peers = [self.run[engine] for engine in (XLA, IREE) if engine in self.run]
        return min(peers) / self.run[OURS] if peers and OURS in self.run else None

    def compile_ratio(self) -> float | None:
        """XLA's compile time over ours."""
        if OURS in self.compile and XLA in self.compile:
            return self.compile[XLA] / self.compile[OURS]
        return None

    def share(self) -> float | None:
        """How much of the machine's limit our run reaches."""
        return self.limit.share(self.run.get(OURS))

    def plain_cell(self) -> str:
        """How much has no kernel, as a table says it."""
        if self.whole:
            return "all"
        return f"{sum(self.plain.values())} of {self.stages}" if self.plain else "0"


_RATIOS = {"run": Row.run_ratio, "compile": Row.compile_ratio}


def table(rows: Sequence[Row]) -> str:
    """A Markdown table for each family, each with its geometric means, and those of all."""
    parts = []
    for family in dict.fromkeys(row.family for row in rows):
        members = [row for row in rows if row.family == family]
        parts += [f"### {family}\n", *_lines(members), "", *_means(members), ""]
    parts += ["### all programs\n", *_means(rows)]
    parts += [f"- {line}" for line in _failures(rows)]
    return "\n".join(parts)


_COLUMNS = (
    *("program", "run", "XLA", "IREE", "best / ours", "share of limit"),
    *("compile", "XLA", "XLA / ours", "error", "plain"),
)


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    yield "| " + " | ".join(_COLUMNS) + " |"
    yield "|---" * len(_COLUMNS) + "|"
    for row in rows:
        yield "| " + " | ".join(cells(row)) + " |"


def cells(row: Row) -> list[str]:
    """A row of the table."""
    return [
        row.name,
        *(seconds(row.run.get(engine)) for engine in (OURS, XLA, IREE)),
        _ratio(row.run_ratio()),
        percent(row.share()),
        *(seconds(row.compile.get(engine)) for engine in (OURS, XLA)),
        _ratio(row.compile_ratio()),
        f"{row.error[OURS]:.0e}" if OURS in row.error else "-",
        row.plain_cell(),
    ]


def _means(rows: Sequence[Row]) -> Iterator[str]:
    for what, ratio in _RATIOS.items():
        known = [(r, row.name) for row in rows if (r := ratio(row))]
        if known:
            worst, name = min(known)
            mean = geometric_mean([r for r, _ in known])
            yield f"- {what}: geometric mean {mean:.2f}, worst {worst:.2f} ({name})"


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def _failures(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        for engine, message in row.failures.items():
            yield f"{row.name}, {engine}: {message.splitlines()[0]}"


def plain_reasons(rows: Iterable[Row]) -> str:
    """Why stages have no kernel, the most frequent first, with the programs."""
    programs: dict[str, list[str]] = {}
    for row in rows:
        for reason in row.plain:
            programs.setdefault(reason, []).append(row.name)
    ordered = sorted(programs.items(), key=lambda item: -len(item[1]))
    return "\n".join(f"{len(names):4} {reason}: {', '.join(names)}" for reason, names in ordered)


def data(rows: Sequence[Row]) -> dict[str, Any]:
    """All that is known, for a JSON file."""
    summary: dict[str, Any] = {}
    for what, ratio in _RATIOS.items():
        known = [(r, row.name) for row in rows if (r := ratio(row))]
        if known:
            mean = geometric_mean([r for r, _ in known])
            summary[what] = {"geometric mean": mean, "worst": min(known)}
    programs = [
        {
            **asdict(row),
            "ratio": {what: ratio(row) for what, ratio in _RATIOS.items()},
            "share of limit": row.share(),
        }
        for row in rows
    ]
    return {"summary": summary, "programs": programs}


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def seconds(time: float | None) -> str:
    """A time as tables say it; a dash where there is none."""
    if time is None:
        return "-"
    if time < 1e-4:
        return f"{time * 1e6:.1f} us"
    return f"{time * 1e6:.0f} us" if time < 1e-3 else f"{time * 1e3:.1f} ms"
