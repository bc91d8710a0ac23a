"""shlo-compile: the command line.

This process reads the input, waits, and writes files: ``compile_program`` does the rest in a child,
whose death is no more than a message. MLIR is loaded there alone.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from shlo_tools import files
from shlo_tools.cpu.saved import container
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.compile.request import Request

_EPILOG = """\b
Examples:
  shlo-compile model.mlir -o model.o --emit-header model.h --standalone
  cc main.c model.o -lm -lpthread

\b
  shlo-compile encode.mlir -o encode.o --emit-header encode.h
  shlo-compile decode.mlir -o decode.o --emit-header decode.h
  shlo-compile --runtime encode.o decode.o -o shlo_rt.o
  cc main.c encode.o decode.o shlo_rt.o -lm -lpthread

\b
Exit status: 0, 130 after Ctrl-C, or 1 where something cannot be compiled or written.
Completion in bash (or zsh, fish): eval "$(_SHLO_COMPILE_COMPLETE=bash_source shlo-compile)"
"""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.command("shlo-compile", epilog=_EPILOG, context_settings=_SETTINGS)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="INPUT...")
@click.option(
    "--output", "-o", required=True, type=click.Path(), metavar="FILE", help="The object file."
)
@click.option(
    "--emit-header", default="", type=click.Path(), metavar="FILE", help="Write a C header, too."
)
@click.option("--standalone", is_flag=True, help="Have the runtime in the object.")
@click.option(
    "--runtime", is_flag=True, help="Make the runtime that objects need; these are the inputs."
)
@click.option(
    "--function",
    "functions",
    multiple=True,
    metavar="NAME",
    help="Compile this one; all public ones by default.",
)
@click.option(
    "--name",
    default="",
    metavar="NAME",
    help="What names in C begin with; the output's name by default.",
)
@click.option(
    "--lapack", is_flag=True, help="Let the object call LAPACKE and CBLAS, which you link."
)
@click.option(
    "--target",
    type=click.Choice(["avx512", "avx2", "baseline"]),
    help="Processors that it is for; by default the best that this machine can run.",
)
def command(
    inputs: Sequence[str],
    output: str,
    emit_header: str,
    standalone: bool,
    runtime: bool,
    functions: Sequence[str],
    name: str,
    lapack: bool,
    target: str | None,
) -> int:
    """Compile a StableHLO program to an object file that C programs link.

    INPUT is MLIR text, bytecode or a portable artifact; - reads standard input. The object needs
    nothing of Python: the C library, libm, pthread, and the runtime, unless it is --standalone.
    """
    options = {
        "--emit-header": emit_header,
        "--standalone": standalone,
        "--function": functions,
        "--name": name,
        "--lapack": lapack,
    }
    for option, value in options.items():
        if runtime and value:
            raise click.UsageError(f"{option} is for programs, and --runtime takes objects")
    if not runtime and len(inputs) > 1:
        raise click.UsageError("one program at a time; --runtime takes several objects")
    request = Request(
        inputs,
        name or _name(inputs[0] if output == "-" else output),
        functions,
        bool(emit_header),
        runtime,
        standalone,
        lapack,
        target or "",
    )
    for path in filter(None, (output, emit_header)):
        files.check_writable(path)
    for path in inputs:
        files.check_apart({"--output": output, "--emit-header": emit_header}, path)
    outcome = isolation.run(partial(_work, request, [files.read_file(path) for path in inputs]))
    if outcome.crash:
        raise ShloError(outcome.crash)
    if outcome.status == 0:
        _, (image, header) = container.unpacked(memoryview(outcome.output))
        files.write_pieces(output, [image])
        if emit_header:
            files.write_pieces(emit_header, [header])
    return outcome.status


def _name(path: str) -> str:
    """What C can call a file's contents."""
    return re.sub(r"\W", "_", Path(path).name.partition(".")[0], flags=re.ASCII)


def _work(request: Request, sources: Sequence[bytes], channel: isolation.Channel) -> int:
    if request.target:
        os.environ["SHLO_TARGET"] = request.target
    from shlo_tools.tools.compile import compile_program  # loads MLIR

    return compile_program.work(request, sources, channel)


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-compile"))
