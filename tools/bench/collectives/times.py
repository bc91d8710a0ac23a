"""Times collectives of a few processes on this machine, and a training step that uses them.

    python -m shlo_tools.tools.bench.collectives --xla-python .venv-xla/bin/python

Processes are threads, ranks of an MPI job (with mpi4py and mpiexec), or host devices of XLA:CPU
(jax: psum and all_gather under shard_map). Each engine has a process of its own, or a job; they
take turns. Times are medians over rounds of a call's median. Sizes are those of the result that
each process gets; GB/s are that size over the time. A chain is a program of 16 all_reduces, and its
time that of one of them. In the training step of two layers 512 rows are dealt to the processes,
each of which computes with one thread; in brackets is how much faster than one process that is.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools.bench.collectives.cases import CHAIN, Case
from shlo_tools.tools.bench.engines import EngineProcess

KIB, MIB = 1 << 10, 1 << 20
_ENOUGH = 0.2  # seconds of calls in a round
_CALLS = (3, 300)  # at least and at most in a round
_TOLERANCE = 1e-4
# One thread computes in each process: what is compared are numbers of processes.
_ONE_THREAD = {"SHLO_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_XLA_FLAGS = "--xla_force_host_platform_device_count={} --xla_cpu_multi_thread_eigen=false"


def cases(sizes: Sequence[int], processes: Sequence[int]) -> Iterator[Case]:
    """What is timed, with results of so many bytes."""
    for count in processes:
        if count > 1:
            yield Case("chain", min(sizes), count)
            for op in ("all_reduce", "all_gather"):
                yield from (Case(op, size, count) for size in sizes)
        yield Case("training_step", 0, count)


def engine_names(xla_python: str | None, mpiexec: str | None) -> list[str]:
    """The engines that there are on this machine."""
    return ["threads", *(["MPI"] if mpiexec else []), *(["XLA"] if xla_python else [])]


def started(name: str, count: int, xla_python: str | None, mpiexec: str | None) -> EngineProcess:
    """The process of an engine for so many processes of a grid."""
    if name == "XLA":
        flags = {"XLA_FLAGS": _XLA_FLAGS.format(count), "JAX_PLATFORMS": "cpu"}
        return EngineProcess(str(xla_python), "collectives.xla_worker", variables=flags)
    launcher = [str(mpiexec), "-n", str(count)] if name == "MPI" else []
    return EngineProcess(
        sys.executable,
        "collectives.worker",
        launcher=launcher,
        arguments=["mpi" if launcher else "threads"],
        variables=_ONE_THREAD,
    )


def timed(case: Case, engines: Mapping[str, EngineProcess], rounds: int) -> dict[str, Any]:
    """Seconds by engine, or what it says instead."""
    outcome: dict[str, Any] = {}
    calls: dict[str, int] = {}
    for name, engine in engines.items():
        bound = engine.ask(do="bind", case=case.asdict())
        first = engine.ask(do="run", calls=_CALLS[0]) if "error" not in bound else bound
        if "error" in first:
            outcome[name] = first["error"]
        elif not bound["answer"] < _TOLERANCE:
            outcome[name] = f"is off by {bound['answer']:.1g}"
        else:
            enough = int(_ENOUGH / max(first["answer"], 1e-6))
            calls[name] = min(max(enough, _CALLS[0]), _CALLS[1])
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, number in calls.items():
            answer = engines[name].ask(do="run", calls=number)
            if "error" in answer:
                outcome[name] = answer["error"]
            else:
                times[name].append(answer["answer"])
    return outcome | {name: statistics.median(each) for name, each in times.items() if each}


def rows(
    every: Sequence[Case], names: Sequence[str], rounds: int, xla_python: str | None, mpiexec: str
) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Each case with what its engines took."""
    for count in dict.fromkeys(case.processes for case in every):
        with ExitStack() as stack:
            engines = {
                name: stack.enter_context(started(name, count, xla_python, mpiexec))
                for name in names
            }
            for case in every:
                if case.processes == count:
                    yield case, timed(case, engines, rounds)


# --- what is shown --------------------------------------------------------------------------------
def cell(case: Case, seconds: Any, alone: Any) -> str:
    """What an engine took: with a rate for large arrays, and a ratio for training steps."""
    if not isinstance(seconds, float):
        return str(seconds).splitlines()[0][:60] if seconds else "-"
    if case.op == "chain":
        return f"{seconds / CHAIN * 1e6:.0f} us"
    if case.op == "training_step":
        ratio = f" ({alone / seconds:.2f}x)" if isinstance(alone, float) else ""
        return f"{seconds * 1e3:.1f} ms{ratio}"
    if case.size < MIB:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.2f} ms ({case.size / seconds / 1e9:.1f} GB/s)"


def line(
    case: Case, outcome: Mapping[str, Any], names: Sequence[str], alone: Mapping[str, Any]
) -> str:
    """A row of the table."""
    size = f"{case.size // MIB} MiB" if case.size >= MIB else f"{case.size // KIB} KiB"
    cells = [cell(case, outcome.get(name), alone.get(name)) for name in names]
    shown = ["-" if case.op == "training_step" else size, str(case.processes), *cells]
    return f"| {case.op.replace('_s', ' s')} | {' | '.join(shown)} |"


def _numbers(context: click.Context, option: click.Parameter, text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise click.BadParameter(f"{text!r} is no list of positive numbers, as in 1,1024")
    return [int(part) for part in parts]


def _mpiexec() -> str | None:
    """The one beside the interpreter, or of the path."""
    beside = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    return beside or shutil.which("mpiexec")


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--xla-python", help="Interpreter that has jax; XLA is left out without.")
@click.option("--mpiexec", default=_mpiexec, help="The launcher of MPI; left out without one.")
@click.option(
    "--sizes", default="1,1024,16384,65536", show_default=True, callback=_numbers, help="In KiB."
)
@click.option(
    "--processes", default="1,2,4", show_default=True, callback=_numbers, help="Of the grids."
)
@click.option("--select", default="", help="Only ops with this in their name: all_reduce.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Of turns.")
@click.option("--json", "path", help="Write what was measured to a file, in seconds.")
def main(
    xla_python: str | None,
    mpiexec: str | None,
    sizes: list[int],
    processes: list[int],
    select: str,
    rounds: int,
    path: str | None,
) -> None:
    for program in filter(None, (xla_python, mpiexec)):
        if shutil.which(program) is None:
            raise click.ClickException(f"there is no program {program}")
    try:
        files.check_writable(path or "-")
    except ShloError as error:
        raise click.ClickException(error.render()) from error
    every = [c for c in cases([KIB * n for n in sizes], processes) if select in c.op]
    if not every:
        raise click.ClickException(f"no case for {select!r} and {processes} processes")
    names = engine_names(xla_python, mpiexec)
    click.echo(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores\n")
    click.echo(f"| op | result | processes | {' | '.join(names)} |\n{'|---' * (3 + len(names))}|")
    results, alone = [], dict[str, Any]()
    for case, outcome in rows(every, names, rounds, xla_python, str(mpiexec)):
        if case.processes == 1:
            alone = outcome
        click.echo(line(case, outcome, names, alone))
        results.append({**case.asdict(), "seconds": outcome})
    if path:
        files.write_file(path, (json.dumps(results, indent=1) + "\n").encode())
