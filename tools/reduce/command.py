"""shlo-reduce: the command line."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.reduce.trial import Trial

if TYPE_CHECKING:
    from shlo_tools.tools.reduce.reduction import Reduction

_EPILOG = """\b
A program is kept as long as the test fails in the same way: with the exit status (or signal, or
timeout) that the first one had, and with output that --match finds. "! command" turns a test
around: what is kept then is a program on which the command succeeds.

\b
Examples:
  shlo-reduce model.mlir --test='shlo-run {} --input=random:0 --compare=reference' \\
      --match='native and reference differ|without probes' -o small.mlir
  shlo-reduce model.mlir --test='shlo-opt {} --to=llvm' --match='RaW conflict'
  shlo-reduce model.mlir --test='! (shlo-opt {} --cse | grep -q stablehlo.sort)'

\b
From Python: shlo_tools.reduce(module, predicate).
Exit status: 0 if a program was written; 130 after Ctrl-C or SIGTERM, which ends the test as well
(the best so far is written); else 1."""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.command("shlo-reduce", epilog=_EPILOG, context_settings=_SETTINGS)
@click.argument("model", default="-")
@click.option("--test", required=True, metavar="COMMAND", help="What fails; {} is the program.")
@click.option("--match", default="", metavar="REGEX", help="What the test's output must hold.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where the program goes.")
@click.option("--timeout", default=60.0, metavar="SECONDS", help="For one test.  [60]")
def command(model: str, test: str, match: str, output: str, timeout: float) -> int:
    """Make a program smaller as long as a test fails on it in the same way.

    Ops, regions, functions, results, arguments and attributes go, shapes and constants become
    simple; every program that is tried verifies. MODEL is text or bytecode, - for standard input.
    """
    try:
        re.compile(match)
    except re.error as error:
        raise ShloError(f"--match={match!r} is no regular expression: {error}") from None
    if timeout <= 0:
        raise ShloError(f"--timeout={timeout:g}: a test needs some time")
    files.check_writable(output)
    source = files.read_file(model)
    trial = Trial(test, match, timeout, _environment(test))
    return _reduced(source, model, trial, output)


def _environment(test: str) -> dict[str, str]:
    """The variables of tests; where these call tools of this Python, they start as forks."""
    from shlo_tools.testing import fork_server, substitutions

    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ}
    tools = {name: f"shlo_tools.tools.{module}" for name, module in substitutions.TOOLS.items()}
    here = os.path.dirname(sys.executable)
    called = {
        name: module
        for name, module in tools.items()
        if name in test and os.path.dirname(shutil.which(name) or "") == here
    }
    server = fork_server.start(environment) if called else None
    return environment | ({"PATH": server.path(called)} if server else {})


def _reduced(source: bytes, name: str, trial: Trial, output: str) -> int:
    from shlo_tools import program  # loads MLIR
    from shlo_tools.tools.reduce.reduction import Reduction, text_of

    module = program.load(source, isolated=True, name="<stdin>" if name == "-" else name)
    text = text_of(module)
    first = trial.first(text)
    _tell(f"the test fails: {first}")
    saved = text

    def progress(reduction: Reduction) -> None:
        nonlocal saved
        if reduction.text is not saved and output != "-":
            files.write_file(output, reduction.text.encode())  # it outlives whatever comes
            saved = reduction.text
        _show(reduction)

    reduction = Reduction(text, lambda text: trial.alike(trial.run(text), first), progress)
    try:
        reduction.run()
        status = 0
    except KeyboardInterrupt:
        status = isolation.INTERRUPTED
    _tell(f"{_size(text)} -> {_size(reduction.text)} after {reduction.trials} trials")
    files.write_file(output, reduction.text.encode())
    return status


def _size(text: str) -> str:
    ops = sum(" = " in line or line.lstrip().startswith('"') for line in text.splitlines())
    return f"{ops} ops ({len(text)} bytes)"


def _show(reduction: Reduction) -> None:
    """One line that is written over, on a terminal."""
    if sys.stderr.isatty():
        line = f"{_size(reduction.text)}, {reduction.trials} trials: {reduction.doing}"
        sys.stderr.write(f"\r\x1b[2K{line[:100]}")
        sys.stderr.flush()


def _tell(line: str) -> None:
    start = "\r\x1b[2K" if sys.stderr.isatty() else ""
    print(f"{start}{line}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    isolation.end(lambda: argv.invoke(command, words, "shlo-reduce"))
