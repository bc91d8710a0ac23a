"""shlo-opt: parse, verify, transform and print StableHLO programs, as mlir-opt does.

This process only reads options and the input, waits, and writes the output:
``transform_program`` does the rest in a child, whose death is no more than a message and a
reproducer. MLIR is loaded there alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from shlo_tools import files
from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.isolation import Channel, Outcome
from shlo_tools.tools.opt import options
from shlo_tools.tools.opt.request import SEVERAL, Request

_EPILOG = """\b
Any other --name[=options] is a pass, and passes run in the order given:
  shlo-opt --chlo-legalize-to-stablehlo --canonicalize="max-iterations=3" --cse in.mlir

\b
Examples:
  shlo-opt model.mlir                          check it, and print it
  shlo-opt model.mlir --to=linalg -o out.mlir
  shlo-opt --pass-pipeline="builtin.module(func.func(cse),shlo-to-llvm)" model.mlir
  shlo-opt model.mlir --cse --mlir-print-ir-after-change --mlir-timing
  shlo-opt tests.mlir --split-input-file --verify-diagnostics
  shlo-opt model.mlir --to=llvm --mlir-print-ir-after-all --mlir-print-ir-tree-dir=ir
  shlo-opt model.mlir --verify-roundtrip --emit-bytecode -o model.mlirbc
  shlo-opt model.mlir --externalize-constants=model.safetensors,65536 -o small.mlir
  shlo-opt --explain stablehlo.gather

\b
Completion in bash (or zsh, fish): eval "$(_SHLO_OPT_COMPLETE=bash_source shlo-opt)"
Exit status: 0 if all is well, 130 after Ctrl-C, else 1."""


_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


def _declare_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for group in reversed(options.GROUPS):
        function = group(function)
    return function


def _pass_names() -> list[str]:
    from shlo_tools.pipeline import registry
    from shlo_tools.tools import listings

    return [*registry.summaries(), *listings.native_passes()]


@click.command(
    "shlo-opt",
    cls=argv.PassCommand,
    passes=_pass_names,
    epilog=_EPILOG,
    context_settings=_SETTINGS,
)
@click.argument("input", default="-", type=click.Path())
@_declare_options
@click.pass_context
def command(context: click.Context, /, **values: Any) -> int:
    """Parse, verify, transform and print a StableHLO program.

    INPUT is MLIR text, bytecode or a portable artifact; - or nothing reads standard input.
    """
    names = [name for option in context.command.params for name in option.opts]
    listings = {name: values.pop(name) for name in _LISTINGS}
    if any(listings.values()):
        return _list(values["load_pass_plugin"], **listings)
    del values["mlir_disable_threading"]
    request = Request(
        **{name.removeprefix("mlir_"): value for name, value in values.items()},
        option_names=tuple(names),
    )
    if request.pass_pipeline is not None and (request.pass_flags or request.run_reproducer):
        raise click.UsageError("--pass-pipeline can't be used with individual pass options")
    files.check_writable(request.output)
    return run(request, _read(request.input))


def _read(path: str) -> bytes:
    """The input; one that is missing is told in mlir-opt's words."""
    try:
        return files.read_file(path)
    except ShloError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        message = f"cannot open input file {path!r}: No such file or directory"
        raise ShloError(message) from error


_LISTINGS = ("version", "list_passes", "show_dialects", "explain", "help_list")


def _list(
    plugins: Sequence[str],
    *,
    version: bool,
    list_passes: bool,
    show_dialects: bool,
    explain: str | None,
    help_list: bool,
) -> int:
    """Answer a question which needs no program."""

    def text() -> str:
        from shlo_tools.tools import listings

        if version:
            return listings.versions("shlo-opt")
        if help_list:
            return f"{listings.options(command)}\n\n{listings.passes(plugins)}"
        if list_passes:
            return listings.passes(plugins)
        return listings.dialects() if show_dialects else listings.explain(explain or "")

    def work(channel: Channel) -> int:
        channel.tell("while listing")
        try:
            channel.output.write(f"{text()}\n".encode())
        except ShloError as error:
            print(error.render(), file=sys.stderr)
            return 1
        return 0

    outcome = isolation.run(work)
    if outcome.crash:
        raise ShloError(outcome.crash)
    files.write_file("-", outcome.output)
    return outcome.status


def run(request: Request, source: bytes) -> int:
    """Do what was asked for in a child, and write the output; returns the exit status."""

    def work(channel: Channel) -> int:
        from shlo_tools.tools.opt import transform_program

        return transform_program.work(request, source, channel)

    outcome = isolation.run(work)
    if outcome.crash:
        _report_crash(request, source, outcome)
        return 1
    if outcome.status == 0 or request.output == "-":
        files.write_file(request.output, outcome.output)
    return outcome.status


def _report_crash(request: Request, source: bytes, outcome: Outcome) -> None:
    """Name the pass that a child died in, and leave a reproducer where that was asked for."""
    crash = _singled_out(request, source, outcome)
    print(f"error: {crash}", file=sys.stderr)
    if request.run_reproducer:
        return
    path = request.pass_pipeline_crash_reproducer
    if not path:
        note = "note: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=FILE"
        print(note, file=sys.stderr)
        return

    def work(channel: Channel) -> int:
        from shlo_tools.tools.opt import transform_program

        text = transform_program.compose_reproducer(request, source, outcome.item, crash)
        channel.output.write(text.encode())
        return 0

    composed = _silently(work)
    if composed.status == 0:
        files.write_file(path, composed.output)
        print(request.reproducer_note(path), file=sys.stderr)
    elif request.input == "-":  # what cannot even be parsed reproduces the crash as it is
        files.write_file(path, source)
        print(f"note: the input is kept in {path!r}", file=sys.stderr)


def _singled_out(request: Request, source: bytes, outcome: Outcome) -> str:
    """What crashed; of C++ passes that shared a run, the one is found by running them singly."""
    if not outcome.activity.startswith(SEVERAL):
        return outcome.crash

    def work(channel: Channel) -> int:
        from shlo_tools.tools.opt import transform_program

        return transform_program.work(request, source, channel, single_passes=True)

    return _silently(work).crash or outcome.crash


def _silently(work: isolation.Work) -> Outcome:
    """Run work that has nothing new to say."""

    def silent(channel: Channel) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        return work(channel)

    return isolation.run(silent)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "shlo-opt"))
