"""shlo-translate: what stablehlo-translate does, and other forms of programs.

This process only reads options and the input, waits, and writes the output: ``translate_program``
does the rest in a child, whose death is no more than a message. MLIR is loaded there alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.translate import options
from shlo_tools.tools.translate.request import TRANSLATIONS, Request

_EPILOG = """\b
Examples:
  shlo-translate --serialize --target=1.9.0 model.mlir -o model.mlir.bc
  shlo-translate --deserialize --print-stablehlo-version model.mlir.bc
  shlo-translate --explain-target=1.0.0 model.mlir
  shlo-translate --interpret --args="[dense<1.0> : tensor<4xf32>]" model.mlir
  shlo-opt --chlo-legalize-to-stablehlo tests.mlir | shlo-translate --interpret
  shlo-opt --to=llvm model.mlir | shlo-translate --mlir-to-llvmir
  shlo-translate --to-python model.mlir -o model.py

\b
Completion in bash (or zsh, fish): eval "$(_SHLO_TRANSLATE_COMPLETE=bash_source shlo-translate)"
Exit status: 0 if all is well, 130 after Ctrl-C, else 1."""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


def _declare_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for group in reversed(options.GROUPS):
        function = group(function)
    return function


@click.command(
    "shlo-translate", cls=argv.GroupedCommand, epilog=_EPILOG, context_settings=_SETTINGS
)
@click.argument("input", default="-", type=click.Path())
@_declare_options
def command(*, version: bool, **values: Any) -> int:
    """Translate a StableHLO program: to and from portable artifacts, to its results, to LLVM IR.

    INPUT is MLIR text, bytecode or a portable artifact; - or nothing reads standard input.
    """
    if version:
        return _print_versions()
    del values["mlir_disable_threading"]
    request = Request(**{name.removeprefix("mlir_"): value for name, value in values.items()})
    _require_something_to_do(request)
    files.check_writable(request.output)
    return run(request, files.read_file(request.input))


def _require_something_to_do(request: Request) -> None:
    if bool(request.translations) == (request.explain_target is not None):
        named = ", ".join(f"--{name}" for name in TRANSLATIONS)
        raise click.UsageError(f"nothing to do, or too much: {named}, or --explain-target")


def _print_versions() -> int:
    def work(channel: Channel) -> int:
        from shlo_tools.tools import listings

        channel.output.write(f"{listings.versions('shlo-translate')}\n".encode())
        return 0

    return _end(isolation.run(work), "-")


def run(request: Request, source: bytes) -> int:
    """Do what was asked for in a child, and write the output; returns the exit status."""

    def work(channel: Channel) -> int:
        from shlo_tools.tools.translate import translate_program

        return translate_program.work(request, source, channel)

    return _end(isolation.run(work), request.output)


def _end(outcome: isolation.Outcome, output: str) -> int:
    if outcome.crash:
        raise ShloError(outcome.crash)
    if outcome.status == 0 or output == "-":
        files.write_file(output, outcome.output)
    return outcome.status


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-translate"))
