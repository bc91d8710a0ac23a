"""shlo-bench: a user's program, timed beside other engines.

This process only reads options, starts engines and waits: MLIR is loaded in children alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

import shlo_tools
from shlo_tools import files
from shlo_tools.calling import plotting
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.bench import plot as plots
from shlo_tools.tools.bench import program_files
from shlo_tools.tools.bench.engines import EngineProcess
from shlo_tools.tools.bench.measurement import Measurement, measure
from shlo_tools.tools.bench.peers_report import IREE, OURS, TORCH, WORKERS, XLA
from shlo_tools.tools.bench.report import Report

_EPILOG = """\b
Each engine has processes of its own, which are stopped while another one measures. Compile time
is from text to what can be called, of a program that the process has not compiled before; run
time is that of a call: ours from numpy arrays to numpy arrays, a peer's from and to arrays on its
device. Ratios above 1 mean that shlo-tools is faster. "difference" is the largest one of an
element from what shlo-tools computes, relative to the largest element of its result. "share of
limit" is the time that no engine can beat on this machine (arithmetic and traffic with memory,
counted from the program, at the rates of --limits), over the time that the engine took.

\b
Examples:
  shlo-bench model.mlir
  shlo-bench model.mlir --against=xla --input=@in.npz --plot=times.svg
  shlo-bench model.mlir --against=xla,iree --iree-python=iree/bin/python --json=times.json
  shlo-bench model.mlir --against=torch --torch-python=torch/bin/python
  shlo-bench model.mlir --against=xla --threads=1 --rounds=10
  shlo-bench model.mlir --function=encode --input=8x128xf32=random:0
  shlo-bench --limits

\b
Completion in bash (or zsh, fish): eval "$(_SHLO_BENCH_COMPLETE=bash_source shlo-bench)"
"""
_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
_NEEDED = {XLA: ("jaxlib",), IREE: ("iree.compiler", "iree.runtime"), TORCH: ("torch", "numpy")}
# Prints the names of those modules that cannot be imported.
_TRY = """
import importlib
for name in {names}:
    try:
        importlib.import_module(name)
    except ImportError:
        print(name)
"""
_INSTALL = {XLA: "'shlo-tools[xla]'", IREE: "'shlo-tools[iree]'", TORCH: "torch numpy"}


def _names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """The peers of ``--against``, each once."""
    names = tuple(dict.fromkeys(name for name in value.split(",") if name))
    for name in names:
        if name not in _NEEDED:
            raise click.BadParameter(f"{name!r} is no engine; there are {', '.join(_NEEDED)}")
    return names


@click.command("shlo-bench", epilog=_EPILOG, context_settings=_SETTINGS)
@click.argument("model", default="-", type=click.Path())
@click.option(
    "--against", default="", metavar="ENGINES", callback=_names, help="Peers: xla, iree, torch."
)
@click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    metavar="VALUE",
    help="An argument, as shlo-run takes it.  [random:0]",
)
@click.option("--function", default="main", metavar="NAME", help="Time this one, not @main.")
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    metavar="N",
    help="Fresh processes for each engine.  [3]",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=5,
    metavar="N",
    help="Rounds of calls in each of them.  [5]",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep ours to N threads, and on Linux all engines to N processors.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True, max=1e6),
    default=300.0,
    metavar="SECONDS",
    help="For an answer of an engine.  [300]",
)
@click.option("--xla-python", type=click.Path(), metavar="FILE", help="Interpreter that has jax.")
@click.option("--iree-python", type=click.Path(), metavar="FILE", help="Interpreter with IREE.")
@click.option("--torch-python", type=click.Path(), metavar="FILE", help="Interpreter with torch.")
@click.option("--json", "json_file", type=click.Path(), metavar="FILE", help="Write all samples.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw a .png or .svg.")
@click.option("--limits", is_flag=True, help="Print what this machine can do at most, and exit.")
@click.option("--version", is_flag=True, help="Print versions and exit.")
def command(
    model: str,
    against: tuple[str, ...],
    inputs: tuple[str, ...],
    function: str,
    repeats: int,
    rounds: int,
    threads: int | None,
    limit: float,
    xla_python: str | None,
    iree_python: str | None,
    torch_python: str | None,
    json_file: str | None,
    plot: str | None,
    limits: bool,
    version: bool,
) -> int:
    """Time a program: compiled and run by shlo-tools, and by peers.

    MODEL is MLIR text, bytecode or a portable artifact; - or nothing reads standard input.
    """
    if version:
        from shlo_tools.tools import listings  # loads MLIR

        print(listings.versions("shlo-bench"))
        return 0
    if limits:
        return _in_child(_show_limits)
    if model == "-" and sys.stdin.isatty():
        print(click.get_current_context().get_help())
        return 1
    if plot:
        plotting.check(plot, "--plot")
    for path in filter(None, (plot, json_file)):
        files.check_writable(path)
    files.check_apart({"--plot": plot, "--json": json_file}, model)
    pythons = {OURS: sys.executable}
    others = {XLA: xla_python, IREE: iree_python, TORCH: torch_python}
    for peer in against:
        pythons[peer] = others[peer] or sys.executable
        _check_peer(peer, pythons[peer])
    source = files.read_file(model)
    if threads:
        _keep_to(threads, against)
    with tempfile.TemporaryDirectory(prefix="shlo-bench-") as name:
        folder = Path(name)
        values = inputs or ("random:0",)
        work = partial(_write, folder, source, model, function, values, TORCH in against)
        if _in_child(work):
            return 1
        measured, differences = _measure(folder, pythons, repeats, rounds, limit)
        if _in_child(partial(_measure_machine_again, folder)):
            return 1
        least = program_files.limit(folder)
    report = Report(measured, differences, least)
    report.show(list(pythons))
    if json_file:
        files.write_file(json_file, report.json().encode())
    if plot:
        times = {"compile": measured.compile, "run": measured.run}
        files.write_file(plot, plots.drawn(plot, Path(model).name, times))
    return 1 if measured.failures else 0


def _in_child(work: isolation.Work) -> int:
    """Have a child do what loads MLIR; 0 if it succeeded, else 1."""
    outcome = isolation.run(work)
    if outcome.crash:
        print(f"error: {outcome.crash}", file=sys.stderr)
    return 1 if outcome.status else 0


def _show_limits(channel: isolation.Channel) -> int:
    from shlo_tools.tools.bench import machine_limits  # loads MLIR

    return machine_limits.show()


def _measure_machine_again(folder: Path, channel: isolation.Channel) -> int:
    """Other work may have slowed the first measurement, in front of the engines."""
    from shlo_tools.tools.bench import least_time  # loads MLIR

    channel.tell("while measuring the machine")
    program_files.write_limit(folder, least_time.measured_again(program_files.limit(folder)))
    return 0


def _write(
    folder: Path,
    source: bytes,
    model: str,
    function: str,
    inputs: tuple[str, ...],
    lists: bool,
    channel: isolation.Channel,
) -> int:
    from shlo_tools.tools.bench import user_program  # loads MLIR

    name = "<stdin>" if model == "-" else model
    return user_program.write(folder, source, name, function, inputs, lists, channel)


def _check_peer(peer: str, python: str) -> None:
    """Refuse an interpreter that does not have the engine."""
    code = _TRY.format(names=_NEEDED[peer])
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ShloError(f"--{peer}-python={python} cannot be run: {error}") from None
    missing = _NEEDED[peer] if done.returncode else done.stdout.split()
    if missing:
        raise ShloError(
            f"--against={peer}: {python} cannot import {' and '.join(missing)}",
            hint=f"pip install {_INSTALL[peer]}, or name another one: --{peer}-python=FILE",
        )


def _keep_to(count: int, against: Sequence[str]) -> None:
    """Keep this process, and so the engines, to some processors, and ours to as many threads."""
    os.environ["SHLO_NUM_THREADS"] = str(count)
    if not hasattr(os, "sched_setaffinity"):
        if not against:
            return
        raise ShloError("--threads beside peers needs Linux, which keeps them to processors")
    known = sorted(os.sched_getaffinity(0))
    if count > len(known):
        raise ShloError(f"--threads={count}: there are {len(known)} processors")
    os.sched_setaffinity(0, known[:count])


def _measure(
    folder: Path, pythons: Mapping[str, str], repeats: int, rounds: int, limit: float
) -> tuple[Measurement, dict[str, float]]:
    """What engines took, and by peers how far they are from our results."""
    path = folder / "path"  # where a peer's interpreter finds this package, and nothing else
    path.mkdir()
    (path / "shlo_tools").symlink_to(Path(shlo_tools.__file__).resolve().parent)
    differences: dict[str, float] = {}

    def start(engine: str) -> EngineProcess:
        cache = folder / "cache"
        python = pythons[engine]
        if python == sys.executable:
            return EngineProcess(python, WORKERS[engine], limit, cache=cache)
        return EngineProcess(python, WORKERS[engine], limit, path=path, cache=cache)

    def check(measured: Measurement, processes: Mapping[str, EngineProcess]) -> None:
        results = str(folder / "results.npz")
        if OURS not in processes or len(processes) == 1:
            return
        dtypes = measured.ask(OURS, processes[OURS], "keep", results=results)
        for engine, process in processes.items():
            if engine != OURS and dtypes is not None:
                there = {"arguments": results, "dtypes": dtypes}
                difference = measured.ask(engine, process, "check", **there)
                if difference is not None:
                    differences[engine] = difference

    engines = dict.fromkeys(pythons, start)
    request = program_files.request(folder)
    return measure(engines, request, repeats=repeats, rounds=rounds, check=check), differences


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-bench"))
