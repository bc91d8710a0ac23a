"""Times the programs of tests/programs against XLA:CPU, side by side in one run.

    python -m shlo_tools.tools.bench.programs --xla-python .venv-xla/bin/python

Each engine has a process of its own; their measurements alternate. Compile time is from the
parsed module to the first callable, run time the median over rounds of a call's median.
Ratios above 1 mean that shlo-tools is faster.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
ENGINES = ("shlo-tools", "xla")


class Worker:
    """One engine in a child process."""

    def __init__(self, python: str, script: str) -> None:
        module = ["-m", "shlo_tools.tools.bench.native_worker"]
        command = module if script == "native" else [str(HERE / "xla_worker.py")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*sys.path[:1], str(Path.cwd())]),
        }
        self.process = subprocess.Popen(
            [python, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request; a dead worker answers with an error."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the worker died"}
        return answer


@dataclass
class Row:
    """Medians of one program: per engine seconds, or why there are none."""

    name: str
    compile: dict[str, float]
    run: dict[str, float]
    errors: dict[str, str]

    def ratio(self, times: dict[str, float]) -> float | None:
        if len(times) < len(ENGINES):
            return None
        return times["xla"] / times["shlo-tools"]


def measure(name: str, folder: Path, workers: dict[str, Worker], rounds: int) -> Row:
    """Compile on both sides, then alternate rounds of calls."""
    index = json.loads((folder / "programs.json").read_text())
    row = Row(name, {}, {}, {})
    for engine, worker in workers.items():
        answer = worker.ask(
            do="compile",
            module=str(folder / f"{name}.mlir"),
            arguments=str(folder / f"{name}.npz"),
            dtypes=index[name].get("dtypes", {}),
        )
        if "error" in answer:
            row.errors[engine] = answer["error"]
        else:
            row.compile[engine] = answer["seconds"]
    times: dict[str, list[float]] = {engine: [] for engine in row.compile}
    for _ in range(rounds):
        for engine, seconds in times.items():
            seconds.append(workers[engine].ask(do="run", **{"for": 0.05})["seconds"])
    row.run = {engine: statistics.median(seconds) for engine, seconds in times.items()}
    return row


def table(rows: list[Row]) -> str:
    """A Markdown table, its geometric means, and the worst program."""
    lines = [
        "| program | run | XLA run | ratio | compile | XLA compile | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [row.name]
        for times in (row.run, row.compile):
            cells += [_seconds(times.get(engine)) for engine in ENGINES]
            ratio = row.ratio(times)
            cells.append(f"{ratio:.2f}" if ratio else "-")
        lines.append("| " + " | ".join(cells) + " |")
        lines += [f"  {engine}: {error}" for engine, error in row.errors.items()]
    for what in ("run", "compile"):
        known = [(r, row.name) for row in rows if (r := row.ratio(getattr(row, what)))]
        if known:
            mean = math.exp(statistics.fmean(math.log(r) for r, _ in known))
            worst, name = min(known)
            lines.append(f"\n{what}: geometric mean {mean:.2f}, worst {worst:.2f} ({name})")
    return "\n".join(lines)


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--xla-python", default=sys.executable, help="Interpreter that has jax installed.")
@click.option("--folder", type=Path, default=Path("tests/programs"), help="Programs to time.")
@click.option("--rounds", default=5, help="Alternating rounds.")
def main(names: tuple[str, ...], xla_python: str, folder: Path, rounds: int) -> None:
    found = sorted(json.loads((folder / "programs.json").read_text()))
    rows = []
    for name in names or found:
        # Fresh processes: no engine gains from what it compiled before.
        workers = {"shlo-tools": Worker(sys.executable, "native"), "xla": Worker(xla_python, "xla")}
        rows.append(measure(name, folder, workers, rounds))
        print(table(rows[-1:]).split("\n")[2], file=sys.stderr, flush=True)
        for worker in workers.values():
            worker.process.kill()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores\n")
    print(table(rows))


if __name__ == "__main__":
    main()
