"""Times programs against XLA:CPU and IREE, side by side.

    python -m shlo_tools.tools.bench.peers --folder build/bench --xla-python .venv-xla/bin/python \\
        --iree-python .venv-iree/bin/python --select 'matmul|softmax' --json build/bench.json

The programs are JAX programs of these families: matrix products, elementwise chains, reductions,
data movement, convolutions, numerics, small vectors and networks, and those of tests/programs. The
folder keeps what JAX exported; it takes some hundred megabytes. Programs of other people's
libraries need these to be exported, in an interpreter of their own:

    python -m venv .venv-libraries
    .venv-libraries/bin/pip install -r tools/bench/library_programs/requirements.txt
    python -m shlo_tools.tools.bench.peers --folder build/libraries \\
        --libraries-python .venv-libraries/bin/python --xla-python .venv-xla/bin/python

Each engine has a process of its own, which is stopped while another one measures; measurements
alternate, and medians count. Compile time is from text to the first callable, of a program that the
process has not compiled before, behind another program. Run time is that of a call: ours from numpy
arrays to numpy arrays, a peer's from and to arrays on its device. Ratios above 1 mean that
shlo-tools is faster. ``plain`` says how many distinct stages have no kernel, ``share of limit`` how
much our run takes of the time that no engine can beat: arithmetic and traffic with memory, counted
from the program, at the best rates of ``shlo-bench --limits``, measured again for each program.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shlo_tools import program
from shlo_tools.errors import ShloError
from shlo_tools.tools.bench.engines import ROOT, EngineProcess
from shlo_tools.tools.bench.least_time import at_best, limit_of, measured_again
from shlo_tools.tools.bench.limit_share import Limit
from shlo_tools.tools.bench.measurement import Measurement
from shlo_tools.tools.bench.measurement import measure as timed
from shlo_tools.tools.bench.peers_report import (
    IREE,
    OURS,
    WORKERS,
    XLA,
    Row,
    cells,
    data,
    plain_reasons,
    table,
)
from shlo_tools.tools.bench.workers.serving import load_arrays


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

    def limit(self) -> Limit:
        """The time that no engine can beat."""
        files = self.request
        arguments = load_arrays(files["arguments"], "arg", self.dtypes)
        try:
            module = program.load(Path(files["module"]))
        except ShloError as error:
            return Limit(reason=str(error).splitlines()[0])
        return limit_of(module, arguments)


def cases_of(folder: Path, family: str, select: str) -> list[Case]:
    """The programs of a folder, in order of its index; ``family`` where that names none."""
    index = json.loads((folder / "programs.json").read_text())
    return [
        Case(name, entry.get("family", family), folder, entry.get("dtypes", {}))
        for name, entry in index.items()
        if re.search(select, name) or re.search(select, entry.get("family", family))
    ]


def measure(case: Case, pythons: dict[str, str], *, repeats: int, rounds: int, limit: float) -> Row:
    """A program's row: medians of what engines took in turns."""
    row = Row(case.name, case.family)

    def start(engine: str) -> EngineProcess:
        return EngineProcess(pythons[engine], WORKERS[engine], limit)

    def check(measured: Measurement, processes: Mapping[str, EngineProcess]) -> None:
        for engine, process in processes.items():
            error = measured.ask(engine, process, "check", **case.request)
            if error is not None:
                row.error[engine] = error
        row.limit = measured_again(case.limit())
        if OURS in processes and (plain := measured.ask(OURS, processes[OURS], "plain")):
            row.stages, row.plain, row.whole = plain["stages"], plain["reasons"], plain["whole"]

    engines = dict.fromkeys(pythons, start)
    measured = timed(engines, case.request, repeats=repeats, rounds=rounds, check=check)
    row.failures = measured.failures
    row.compile = {engine: statistics.median(times) for engine, times in measured.compile.items()}
    row.run = {engine: statistics.median(times) for engine, times in measured.run.items()}
    return row


def export(python: str, package: str, folder: Path, select: str) -> None:
    """Let JAX write what the folder lacks of a package of programs."""
    command = [python, "-m", f"shlo_tools.tools.bench.{package}", f"--folder={folder}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        subprocess.run([*command, f"--select={select}"], env=environment, check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise click.ClickException(f"{python} cannot export programs: {error}") from None


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--folder", type=Path, required=True, help="Where exported programs are kept.")
@click.option("--xla-python", default=sys.executable, help="Interpreter that has jax.")
@click.option(
    "--libraries-python",
    help="Time programs of other people's libraries instead, exported by this interpreter.",
)
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
    libraries_python: str | None,
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
    if libraries_python:
        export(libraries_python, "library_programs", folder, select)
    else:
        export(xla_python, "jax_programs", folder, select)
    cases = cases_of(folder, "", select)
    if not libraries_python and (programs / "programs.json").exists():
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
    for row in rows:  # each program was measured with the machine; the best of all counts
        row.limit = at_best(row.limit)
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
