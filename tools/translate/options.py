"""shlo-translate's options in groups, named and meant as in stablehlo-translate."""

from __future__ import annotations

from functools import partial

import click

from shlo_tools.tools import argv
from shlo_tools.tools.argv import Group
from shlo_tools.tools.opt.options import PRINTED_FORM
from shlo_tools.tools.split_input import MARKER
from shlo_tools.tools.translate.request import TRANSLATIONS

_file = partial(click.option, type=click.Path(), metavar="FILE")
_value_optional = partial(click.option, cls=argv.ValueOptional)

WHAT = Group(
    "Translations, in the order given",
    *(argv.in_order(f"--{name}", "--translation", text) for name, text in TRANSLATIONS.items()),
    click.option("--translation", "translations", multiple=True, hidden=True),
    click.option(
        "--explain-target",
        metavar="VERSION",
        help="List all that keeps the program from VERSION, and the oldest that would do.",
    ),
)

ARTIFACTS = Group(
    "Portable artifacts",
    click.option("--target", default="", metavar="VERSION", help="Version #.#.#, or 'current'."),
    argv.boolean("--strip-debuginfo", help="Serialize no locations."),
    argv.boolean("--allow-other-dialects", help="Serialize ops of other dialects as they are."),
    argv.boolean("--print-stablehlo-version", help="First print the version of the artifact."),
)

INTERPRETER = Group(
    "Interpreter",
    click.option(
        "--args", default="", metavar="ARRAY", help="As '[dense<1> : tensor<2xi32>, ...]'."
    ),
    _file("--probe-output-dir", default="", help="Where interpreter.probe writes to."),
    argv.boolean("--interpreter-print-dense", help="Print results as dense attributes."),
)

INPUT_AND_OUTPUT = Group(
    "Input and output",
    _file("-o", "output", default="-", help="Write to FILE; - is stdout."),
    _value_optional(
        "--split-input-file",
        bare=MARKER,
        default="",
        metavar="MARKER",
        help=f"Take what lies between lines '{MARKER}' as programs of their own.",
    ),
    click.option(
        "--output-split-marker",
        default="",
        metavar="MARKER",
        help="The line between programs in the output (default: none).",
    ),
    _value_optional(
        "--verify-diagnostics",
        bare="all",
        type=click.Choice(["all", "only-expected"]),
        metavar="all|only-expected",
        help="Check diagnostics against comments 'expected-error {{...}}'.",
    ),
    argv.boolean("--error-diagnostics-only", help="Show neither warnings nor remarks."),
    argv.boolean("--allow-unregistered-dialect", help="Accept ops of unknown dialects."),
    argv.boolean("--no-implicit-module", help="Put no module around the input."),
    argv.boolean("--mlir-disable-threading", help="Accepted; there is one thread anyway."),
)

HELP = Group(
    "Help",
    click.option("--version", is_flag=True, help="Print versions, and exit."),
)

GROUPS = (WHAT, ARTIFACTS, INTERPRETER, INPUT_AND_OUTPUT, PRINTED_FORM, HELP)
