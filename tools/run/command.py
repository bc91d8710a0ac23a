"""shlo-run: compile a StableHLO program for this machine, and run it.

This process only reads options, waits, and writes the output file: ``run_program`` does the rest
in a child, whose death is no more than a message. MLIR is loaded there alone.
"""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import resources
from typing import Any

import click

from shlo_tools import demo, files
from shlo_tools.cpu.saved import MARK
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.run import output_files
from shlo_tools.tools.run.grids import grid_options
from shlo_tools.tools.run.insight import insight_options
from shlo_tools.tools.run.run_request import (
    AS_THE_PROGRAM_SAYS,
    COMPILING,
    DEFAULT_CACHE,
    MISMATCH,
    Request,
)
from shlo_tools.tools.split_input import MARKER

_EPILOG = """\b
Values of arguments:
  @x.npy                     the array in a file
  @x.npz                     all arguments: arg0, arg1, ... in the file, or the program's names
  @x.npz:images              one array of a file
  2x3xf32=[[1,2,3],[4,5,6]]  written out; also [1 2 3][4 5 6]; one value fills the tensor;
                             the type may be left out
  random:SEED                drawn for the argument's type; the last one fills all that are left
  8x3xf32=random:SEED        drawn for this type, where the program leaves sizes open

\b
Examples:
  shlo-run --demo
  shlo-run model.mlir                       prints what arguments it takes
  shlo-run model.mlir --input=random:0
  shlo-run model.mlir --input=@x.npy --input=3xi32=7 --output=out.npz
  shlo-run model.mlir --input=@in.npz --expected-output=@out.npz --rtol=1e-5
  shlo-run model.mlir --input=random:0 --compare=reference
  shlo-run model.mlir --input=random:0 --backend=xla --output=xla.npz
  shlo-run model.mlir --input=random:0 --check-nans
  shlo-run model.mlir --input=random:0 --threads=1 --repeat=100
  shlo-run model.mlir --input=random:0 --profile --trace=trace.json
  shlo-run tests.mlir --split-input-file    runs functions that check themselves
  shlo-run model.mlir --input=random:0 --probe='dot_general|softmax' --probe-dir=values
  shlo-run model.mlir --parallel=threads --replicas=2 --input=@in-{process}.npz
  mpiexec -n 4 shlo-run model.mlir --parallel=mpi --replicas=4 --input=random:0
                                            --output='out-{process}.npz'
  shlo-run sharded.mlir --mesh --input=@whole.npy
  shlo-run model.mlir --save-executable=model.shlox
  shlo-run model.shlox --input=random:0     runs it without compiling

\b
Exit status: 0 if it ran and agreed with what was expected, 130 after Ctrl-C, else 1.
bf16, f8 and other types without a numpy name are in files as void of their width:
numpy.load("out.npz")["result0"].view(ml_dtypes.bfloat16) reads them back.

\b
Completion in bash (or zsh, fish): eval "$(_SHLO_RUN_COMPLETE=bash_source shlo-run)"
"""


class _Number(click.FloatRange):
    """A range without NaN, which no comparison keeps out."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


_SECONDS = _Number(min=0, max=1e8, min_open=True)  # timers of the system take no more
_TOLERANCE = _Number(min=0)
_COUNT = click.IntRange(1, 4096)


_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.command("shlo-run", epilog=_EPILOG, context_settings=_SETTINGS)
@click.argument("model", default="-", type=click.Path())
@click.option("--input", "-i", "inputs", multiple=True, metavar="VALUE", help="An argument.")
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="FILE",
    help="Write results to FILE.npz or FILE.npy.",
)
@click.option(
    "--expected-output", multiple=True, metavar="VALUE", help="Compare a result with this value."
)
@click.option("--rtol", type=_TOLERANCE, metavar="X", help="Relative tolerance (default: by type).")
@click.option("--atol", type=_TOLERANCE, metavar="X", help="Absolute tolerance (default: by type).")
@click.option("--cast", is_flag=True, help="Convert arguments of another element type.")
@click.option("--function", default="main", metavar="NAME", help="Run this one, not @main.")
@click.option("--list-functions", is_flag=True, help="Print the signatures of all functions.")
@click.option("--timeout", type=_SECONDS, metavar="SECONDS", help="Stop a run that takes longer.")
@click.option(
    "--repeat", type=click.IntRange(min=0), default=0, metavar="N", help="Time N more runs."
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Compute with at most N threads; 1 is the calling one alone.  [all]",
)
@insight_options.add
@click.option(
    "--backend",
    type=click.Choice(["native", "reference", "xla"]),
    default="native",
    help="native: compiled code; reference: what the specification says, op by op with numpy; "
    "xla: jaxlib's XLA, in another process.",
)
@click.option(
    "--compare",
    type=click.Choice(["reference"]),
    help="Also run there, and find the first op whose native value is another; exit status 1.",
)
@click.option(
    "--save-to",
    type=click.Path(),
    default=".",
    metavar="DIR",
    help="Where --compare saves the op that it found, as a test with its inputs.",
)
@click.option(
    "--check-nans",
    is_flag=True,
    help="Stop at the first op that makes a NaN or Inf its inputs did not have; exit status 1.",
)
@click.option(
    "--probe",
    default="",
    metavar="REGEX",
    help="Write what ops compute whose name, or name or file:line:column of location, matches.",
)
@click.option(
    "--probe-dir",
    type=click.Path(),
    metavar="DIR",
    help="Folder for --probe: .npy files and index.csv (all ops).",
)
@click.option(
    "--probe-limit",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Executions of one op that --probe writes.",
)
@click.option(
    "--probe-output-dir",
    type=click.Path(),
    metavar="DIR",
    help="Folder for what interpreter.probe sees: .npy files and index.csv.",
)
@click.option(
    "--split-input-file",
    cls=argv.ValueOptional,
    bare=MARKER,
    default="",
    metavar="MARKER",
    help=f"Take what lies between lines '{MARKER}' as programs that check themselves.",
)
@click.option(
    "--parallel",
    type=click.Choice(["threads", "mpi"]),
    help="Run all processes of a grid: as threads, or dealt to the ranks that mpiexec starts.",
)
@click.option(
    "--replicas",
    "--num-replicas",
    "replicas",
    type=_COUNT,
    metavar="N",
    help="Replicas of the grid.",
)
@click.option(
    "--partitions",
    "--num-partitions",
    "partitions",
    type=_COUNT,
    metavar="N",
    help="Partitions of each replica.",
)
@click.option(
    "--reduction-order",
    type=click.Choice(["group", "any"]),
    help="Of what processes sum up: group gives the same bits everywhere, any lets MPI choose.",
)
@click.option(
    "--mesh",
    cls=argv.ValueOptional,
    bare=AS_THE_PROGRAM_SAYS,
    default="",
    metavar="MESH",
    help="Run on all devices of a mesh, from whole arrays to whole arrays; 2x2 or x=2,y=2, "
    "where the program leaves it open.",
)
@click.option(
    "--cache",
    cls=argv.ValueOptional,
    bare=DEFAULT_CACHE,
    default="",
    metavar="DIR",
    help="Keep what is compiled, and look there first; see shlo-cache.",
)
@click.option(
    "--save-executable",
    type=click.Path(),
    metavar="FILE",
    help="Write what was compiled, for this machine and version; runs only with values.",
)
@click.option(
    "--trusted", is_flag=True, help="Run an executable that other users own or can write."
)
@click.option("--demo", is_flag=True, help="Run a small packaged program exported from JAX.")
@click.option("--version", is_flag=True, help="Print versions and exit.")
def command(version: bool, **options: object) -> int:
    """Compile a StableHLO program for this machine, and run it.

    MODEL is MLIR text, bytecode, a portable artifact, or an executable that --save-executable
    wrote; - or nothing reads standard input.
    Without values for its arguments, its signature is printed. Where there is no @main, all
    functions without arguments run: files of tests check themselves.
    """
    if version:
        from shlo_tools.tools import listings  # loads MLIR

        print(listings.versions("shlo-run"))
        return 0
    request = Request(**options)  # type: ignore[arg-type]
    _check_together(request)
    if request.demo:
        return _run_demo(request)
    if request.model == "-" and sys.stdin.isatty():
        print(click.get_current_context().get_help())
        return 1
    return run(request)


def _check_together(request: Request) -> None:
    """Refuse options that mean nothing together."""
    grid_options.check_together(request)
    watched = bool(request.probe or request.probe_dir or request.check_nans)
    if request.probe and not request.probe_dir:
        raise click.UsageError("--probe needs a folder: --probe-dir=DIR")
    if watched and request.repeat:
        raise click.UsageError("--repeat times a program, which probes and checks slow down")
    if request.threads and request.backend != "native":
        raise click.UsageError("--threads is for native code: the others have threads of their own")
    if request.backend == "xla" and watched:
        raise click.UsageError(
            "--backend=xla has no probes and checks: XLA runs programs as a whole"
        )
    insight_options.check_together(request)
    if request.save_executable and (watched or request.backend != "native" or request.compare):
        raise click.UsageError("--save-executable is for native code without probes and checks")
    singly = request.inputs or request.output or request.compare
    singly = singly or request.save_executable or insight_options.asked(request)
    if request.split_input_file and singly:
        raise click.UsageError("--split-input-file runs programs without arguments and results")
    if not request.compare:
        return
    if request.backend != "native":
        raise click.UsageError("--compare=reference runs the native backend as well")
    options = {
        "--output": request.output,
        "--expected-output": request.expected_output,
        "--repeat": request.repeat,
        insight_options.asked(request): insight_options.asked(request),
        "--demo": request.demo,
        "--probe, --probe-dir or --check-nans": watched,
    }
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--compare does not go with {name}")


def _run_demo(request: Request) -> int:
    """Run the packaged program, with its arguments and JAX's results unless others are given."""
    if request.model != "-":
        raise click.UsageError("--demo brings its own model")
    folder = resources.files(demo)
    with (
        resources.as_file(folder / f"{demo.NAME}.mlir") as model,
        resources.as_file(folder / f"{demo.NAME}.npz") as values,
    ):
        request = replace(request, model=str(model), repeat=request.repeat or 100)
        if request.list_functions:
            return run(request)
        print(f"{demo.STORY}\n  program:    {model}\n  arguments:  {values}\n")
        if request.inputs:
            return run(request)
        expected = request.expected_output or (f"@{values}",)
        rtol = demo.RTOL if request.rtol is None else request.rtol
        atol = demo.ATOL if request.atol is None else request.atol
        inputs = (f"@{values}",)
        return run(replace(request, inputs=inputs, expected_output=expected, rtol=rtol, atol=atol))


def run(request: Request) -> int:
    """Do what was asked for in a child, and write the output file; returns the exit status.

    Raises:
        ShloError: the model cannot be read, or the output could not be written.
    """
    output_files.check(request)
    source = files.read_file(request.model)
    if source.startswith(MARK):
        _check_saved(request)
        source = MARK  # its path is all that the child needs
    # MPI knows a rank by its process, and ends a job whose rank ends without having said goodbye.
    run = isolation.run_here if request.parallel == "mpi" else isolation.run
    outcome = run(partial(_work, request, source))
    if outcome.crash:
        print(f"error: {_cause(request, source, outcome)}", file=sys.stderr)
        return 1
    if outcome.output and request.output and outcome.status in (0, MISMATCH):
        files.write_file(request.output, outcome.output)
    return 1 if outcome.status else 0


def _check_saved(request: Request) -> None:
    """Refuse what needs a program, where there is an executable."""
    if request.model == "-":
        raise ShloError("an executable is loaded from a file, not from standard input")
    options = {
        "--function": request.function != "main",
        "--list-functions": request.list_functions,
        "--split-input-file": request.split_input_file,
        f"--backend={request.backend}": request.backend != "native",
        "--compare": request.compare,
        "--check-nans": request.check_nans,
        "--probe or --probe-dir": request.probe or request.probe_dir,
        "--cache": request.cache,
        "--parallel": request.parallel,
        "--mesh": request.mesh,
        "--dump-kernels": request.dump_kernels,
        "--save-executable": request.save_executable,
    }
    for name, value in options.items():
        if value:
            raise click.UsageError(f"{name} needs a program, and {request.model} is an executable")


def _work(request: Request, source: bytes, channel: isolation.Channel) -> int:
    from shlo_tools.tools.run import run_program  # loads MLIR

    return run_program.work(request, source, channel)


def _compile_singly(request: Request, source: bytes, channel: isolation.Channel) -> int:
    from shlo_tools.tools.run import run_program

    return run_program.compile_singly(request, source, channel)


def _cause(request: Request, source: bytes, outcome: isolation.Outcome) -> str:
    """Why the child died; a pass is found by a second try that runs them one by one."""
    if outcome.status == -signal.SIGALRM:
        return f"stopped after {request.timeout:g} seconds {outcome.activity}"
    if outcome.status == -signal.SIGKILL:
        return f"{outcome.crash}; did memory run out?"
    if outcome.activity != COMPILING:
        return outcome.crash
    return isolation.run(partial(_compile_singly, request, source)).crash or outcome.crash


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-run"))
