"""Shows how much memory calls of programs take, beside XLA:CPU.

    python -m shlo_tools.tools.bench.memory --folder build/bench --xla-python .venv-xla/bin/python

The programs are those of ``tools.bench.peers``. Counted is what a call takes beside arguments and
constants: temporaries and results, as ``Executable.memory`` and XLA's ``memory_analysis()`` have
them; each engine compiles them in one process of its own. What XLA's libraries allocate while they
run (packed matrices, for example) is not in its analysis; what ours needs for that is, but for the
scratch memory of each thread, which does not depend on the program. Ratios below 1 mean that
shlo-tools takes less. Programs for which XLA takes less than a page of 4 KB are counted apart:
there it is the alignment of single numbers that decides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shlo_tools.tools.bench.engines import EngineProcess
from shlo_tools.tools.bench.peers import Case, cases_of, export
from shlo_tools.tools.bench.peers_report import geometric_mean

_PAGE = 4096


@dataclass(frozen=True)
class Row:
    """One program: bytes of temporaries and of results; why there are none, where so."""

    case: Case
    ours: dict[str, Any]
    xla: dict[str, Any]

    @property
    def ratio(self) -> float | None:
        """Our bytes over XLA's."""
        xla = _total(self.xla)
        return _total(self.ours) / xla if xla and "results" in self.ours else None

    def cells(self) -> Iterator[str]:
        yield self.case.name
        for engine in (self.ours, self.xla):
            yield from (f"{engine[part]:,}" if part in engine else "-" for part in _PARTS)
        yield "-" if self.ratio is None else f"{self.ratio:.2f}"


_PARTS = ("temporaries", "results")
_COLUMNS = ("program", "temporaries", "results", "XLA: temporaries", "results", "ours / XLA")


def _total(engine: dict[str, Any]) -> int:
    return sum(int(engine.get(part, 0)) for part in _PARTS)


def measure(case: Case, engines: Sequence[EngineProcess]) -> Row:
    """Compile a program by our engine and by XLA, and ask what it takes."""
    ours, xla = (_memory(case, engine) for engine in engines)
    return Row(case, ours, xla)


def _memory(case: Case, engine: EngineProcess) -> dict[str, Any]:
    compiled = engine.ask(do="compile", **case.request)
    answer = compiled if "error" in compiled else engine.ask(do="memory")
    return answer.get("answer") or {"error": answer.get("error", "sizes are unknown")}


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown: a line for each program, then means of the larger ones and of the others."""
    yield "| " + " | ".join(_COLUMNS) + " |"
    yield "|---" * len(_COLUMNS) + "|"
    for row in rows:
        yield "| " + " | ".join(row.cells()) + " |"
    yield ""
    for what, is_small in (("4 KB and more", False), ("less than 4 KB", True)):
        part = [
            (row.ratio, row.case.name)
            for row in rows
            if row.ratio and (_total(row.xla) < _PAGE) == is_small
        ]
        if part:
            mean, (worst, name) = geometric_mean([ratio for ratio, _ in part]), max(part)
            yield f"- {what}: {len(part)} programs, mean {mean:.2f}, worst {worst:.2f} ({name})"
    for row in rows:
        for who, engine in (("shlo-tools", row.ours), ("XLA", row.xla)):
            if "error" in engine:
                yield f"- {row.case.name}, {who}: {engine['error'].splitlines()[0]}"


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--folder", type=Path, help="Where exported programs are kept.")
@click.option("--xla-python", default=sys.executable, help="Interpreter that has jax.")
@click.option("--select", default="", help="A regular expression for names and families.")
@click.option(
    "--programs",
    type=Path,
    default=Path("tests/programs"),
    help="Recorded programs to measure as well, where the folder exists.",
)
@click.option("--limit", default=60.0, help="Seconds that an engine has for an answer.")
def main(folder: Path | None, xla_python: str, select: str, programs: Path, limit: float) -> None:
    cases: list[Case] = []
    if folder is not None:
        export(xla_python, "jax_programs", folder, select)
        cases += cases_of(folder, "", select)
    if (programs / "programs.json").exists():
        cases += cases_of(programs, "recorded programs", select)
    if not cases:
        raise click.ClickException(f"no program matches {select!r}")
    with (
        EngineProcess(sys.executable, "workers.native_worker", limit) as ours,
        EngineProcess(xla_python, "workers.xla_worker", limit) as xla,
    ):
        rows = [measure(case, (ours, xla)) for case in cases]
    click.echo("\n".join(table(rows)))
    scratch = next((row.ours["scratch"] for row in rows if "scratch" in row.ours), 0)
    click.echo(f"- scratch memory of each thread: {scratch:,} bytes")


if __name__ == "__main__":
    main()
