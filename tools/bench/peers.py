"""Times programs against XLA:CPU and IREE, side by side.

    python -m shlo_tools.tools.bench.peers --folder build/bench --xla-python .venv-xla/bin/python \\
        --iree-python .venv-iree/bin/python --select 'matmul|softmax' --json build/bench.json

The programs are JAX programs of these families: matrix products, elementwise chains, reductions,
data movement, convolutions, numerics and networks, and those of tests/programs. The folder keeps
what JAX exported; it takes some hundred megabytes.

Each engine has a process of its own, which is stopped while another one measures; measurements
alternate, and medians count. Compile time is from text to the first callable, of a program that the
process has not compiled before, behind another program. Run time is that of a call: ours from numpy
arrays to numpy arrays, a peer's from and to arrays on its device. Ratios above 1 mean that
shlo-tools is faster. ``plain`` says how many distinct stages have no kernel.
"""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shlo_tools.tools.bench.engines import ROOT, EngineProcess
from shlo_tools.tools.bench.peers_report import (
    IREE,
    OURS,
    XLA,
    Row,
    cells,
    data,
    plain_reasons,
    table,
)

_WORKERS = {OURS: "native_worker", XLA: "xla_worker", IREE: "iree_worker"}


@dataclass(frozen=True)
class Case:
    """A program's files."""

    name: str
    family: str
    folder: Path
    dtypes: dict[str, str]

    @property
    def request(self) -> dict[str, Any]:
        stem = str(self.folder.resolve() / self.name)
        return {"module": f"{stem}.mlir", "arguments": f"{stem}.npz", "dtypes": self.dtypes}


def cases_of(folder: Path, family: str, select: str) -> list[Case]:
    """The programs of a folder, in order of its index; ``family`` where that names none."""
    index = json.loads((folder / "programs.json").read_text())
    return [
        Case(name, entry.get("family", family), folder, entry.get("dtypes", {}))
        for name, entry in index.items()
        if re.search(select, name) or re.search(select, entry.get("family", family))
    ]


def measure(case: Case, pythons: dict[str, str], *, repeats: int, rounds: int, limit: float) -> Row:
    """Compile in fresh processes, call in turns."""
    row = Row(case.name, case.family)
    compiling: dict[str, list[float]] = {engine: [] for engine in pythons}
    running: dict[str, list[float]] = {engine: [] for engine in pythons}
    for repeat in range(repeats):
        with ExitStack() as stack:
            engines = {
                engine: stack.enter_context(EngineProcess(python, _WORKERS[engine], limit))
                for engine, python in pythons.items()
                if engine not in row.failures
            }
            for process in engines.values():
                process.ask(do="warm")
            for engine, process in list(engines.items()):
                if (seconds := _answer(row, engine, process, "compile", **case.request)) is None:
                    del engines[engine]
                else:
                    compiling[engine].append(seconds)
            if repeat == 0:
                _check(row, case, engines)
            for _ in range(rounds):
                for engine, process in engines.items():
                    seconds = _answer(row, engine, process, "run", **{"for": 0.05})
                    running[engine] += [] if seconds is None else [seconds]
    row.compile = {engine: statistics.median(times) for engine, times in compiling.items() if times}
    row.run = {engine: statistics.median(times) for engine, times in running.items() if times}
    return row


def _answer(row: Row, engine: str, process: EngineProcess, do: str, **request: Any) -> Any:
    """What an engine answers; None, and a note in the row, where it fails."""
    answer = process.ask(do=do, **request)
    if "error" in answer:
        row.failures[engine] = answer["error"]
    return answer.get("answer")


def _check(row: Row, case: Case, engines: dict[str, EngineProcess]) -> None:
    for engine, process in engines.items():
        error = _answer(row, engine, process, "check", **case.request)
        if error is not None:
            row.error[engine] = error
    if OURS in engines and (plain := _answer(row, OURS, engines[OURS], "plain")):
        row.stages, row.plain, row.whole = plain["stages"], plain["reasons"], plain["whole"]


def export(python: str, folder: Path, select: str) -> None:
    """Let JAX write what the folder lacks."""
    command = [python, "-m", "shlo_tools.tools.bench.jax_programs", f"--folder={folder}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        subprocess.run([*command, f"--select={select}"], env=environment, check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise click.ClickException(f"{python} cannot export programs: {error}") from None


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--folder", type=Path, required=True, help="Where exported programs are kept.")
@click.option("--xla-python", default=sys.executable, help="Interpreter that has jax.")
@click.option("--iree-python", help="Interpreter that has IREE; left out without.")
@click.option("--select", default="", help="A regular expression for names and families.")
@click.option(
    "--programs",
    type=Path,
    default=Path("tests/programs"),
    help="Recorded programs to time as well, where the folder exists.",
)
@click.option("--repeats", default=3, help="Fresh processes per engine and program.")
@click.option("--rounds", default=5, help="Rounds of calls in each of them.")
@click.option("--limit", default=60.0, help="Seconds that an engine has for an answer.")
@click.option("--only-ours", is_flag=True, help="Leave out the peers.")
@click.option("--list", "only_list", is_flag=True, help="List the programs.")
@click.option("--json", "json_file", type=Path, help="A file for all measurements.")
def main(
    folder: Path,
    xla_python: str,
    iree_python: str | None,
    select: str,
    programs: Path,
    repeats: int,
    rounds: int,
    limit: float,
    only_ours: bool,
    only_list: bool,
    json_file: Path | None,
) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and the engines end, too
    export(xla_python, folder, select)
    cases = cases_of(folder, "", select)
    if (programs / "programs.json").exists():
        cases += cases_of(programs, "recorded programs", select)
    if not cases:
        raise click.ClickException(f"no program matches {select!r}")
    if only_list:
        click.echo("\n".join(f"{case.family:20} {case.name}" for case in cases))
        return
    pythons = {OURS: sys.executable, XLA: xla_python}
    if iree_python:
        pythons[IREE] = iree_python
    if only_ours:
        pythons = {OURS: sys.executable}
    rows: list[Row] = []
    for number, case in enumerate(cases):
        rows.append(measure(case, pythons, repeats=repeats, rounds=rounds, limit=limit))
        click.echo(f"{number + 1}/{len(cases)} {' | '.join(cells(rows[-1]))}", err=True)
        if json_file:
            json_file.write_text(json.dumps(data(rows), indent=1) + "\n")
    click.echo(f"{platform.machine()}, {os.cpu_count()} cores\n")
    click.echo(table(rows))
    _report_plain(rows)


def _report_plain(rows: Sequence[Row]) -> None:
    reasons = plain_reasons(rows)
    if reasons:
        click.echo(f"\nStages without a kernel, by reason and programs:\n\n{reasons}")


if __name__ == "__main__":
    main()
