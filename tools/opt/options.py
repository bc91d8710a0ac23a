"""shlo-opt's options in groups, as ``--help`` shows them, named and meant as in mlir-opt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import click

from shlo_tools.tools import argv
from shlo_tools.tools.argv import Group
from shlo_tools.tools.split_input import MARKER


def _words(
    context: click.Context, option: click.Parameter, values: Sequence[str]
) -> tuple[str, ...]:
    """``--x=a,b --x=c`` is a, b, c."""
    return tuple(word for text in values for word in text.split(",") if word)


_pass_names = partial(click.option, multiple=True, metavar="PASS[,PASS]", callback=_words)
_value_optional = partial(click.option, cls=argv.ValueOptional)
_count = partial(click.option, type=click.IntRange(min=0), metavar="N")
_file = partial(click.option, type=click.Path(), metavar="FILE")


def _file_and_size(
    context: click.Context, option: click.Parameter, text: str | None
) -> tuple[str, int | None] | None:
    """``w.safetensors,4096``: a file, and from how many bytes on constants go there."""
    if text is None:
        return None
    file, comma, size = text.rpartition(",")
    if not comma:
        file, size = text, ""
    if not file or (comma and not re.fullmatch("[0-9]{1,18}", size)):
        raise click.BadParameter(f"{text!r} is no FILE[,MIN-BYTES]", context, option)
    return file, int(size) if size else None


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
        default=MARKER,
        metavar="MARKER",
        help=f"The line between programs in the output (default: '{MARKER}').",
    ),
    argv.boolean("--allow-unregistered-dialect", help="Accept ops of unknown dialects."),
    _file("--irdl-file", help="Define the dialects that FILE describes in IRDL."),
    argv.boolean("--no-implicit-module", help="Put no module around the input."),
    click.option(
        "--externalize-constants",
        callback=_file_and_size,
        metavar="FILE[,MIN-BYTES]",
        help="At the end, move large constants to a safetensors FILE.",
    ),
    argv.boolean("--emit-bytecode", help="Write bytecode."),
    _count("--emit-bytecode-version", help="Write bytecode of this version of the format."),
)

PASSES = Group(
    "Passes",
    click.option(
        "--pass-pipeline", metavar="TEXT", help="Run 'builtin.module(pass{option=1},...)'."
    ),
    argv.pass_flags(),
    click.option(
        "--to", type=click.Choice(["linalg", "llvm"]), help="Lower, after all other passes."
    ),
    _file("--load-pass-plugin", multiple=True, help="Load passes from a Python file."),
    argv.boolean("--run-reproducer", help="Run the pipeline that the input file carries."),
    _file(
        "--mlir-pass-pipeline-crash-reproducer",
        help="Where a pass that crashes or fails leaves a reproducer.",
    ),
    argv.boolean("--dump-pass-pipeline", help="Print the pipeline before it runs."),
    argv.boolean("--mlir-disable-threading", help="Accepted; there is one thread anyway."),
)

CHECKS = Group(
    "Checks",
    _value_optional(
        "--verify-diagnostics",
        bare="all",
        type=click.Choice(["all", "only-expected"]),
        metavar="all|only-expected",
        help="Check diagnostics against comments 'expected-error {{...}}'.",
    ),
    argv.boolean("--verify-each", default=True, help="Verify after each pass (default: true)."),
    argv.boolean("--verify-roundtrip", help="Verify that text and bytecode lose nothing."),
)

PRINTED_FORM = Group(
    "Printed form",
    argv.boolean("--mlir-print-op-generic", help="Print the generic form of ops."),
    argv.boolean("--mlir-print-assume-verified", help="Print the custom form even of invalid IR."),
    argv.boolean("--mlir-print-skip-regions", help="Print ops without their regions."),
    argv.boolean("--mlir-print-local-scope", help="Print without aliases."),
    argv.boolean("--mlir-print-debuginfo", help="Print locations."),
    argv.boolean("--mlir-pretty-debuginfo", help="Print them as people read them."),
    argv.boolean("--mlir-use-nameloc-as-prefix", help="Name values as their locations do."),
    _count(
        "--mlir-elide-elementsattrs-if-larger",
        help="Print constants of more than N elements as '...'.",
    ),
    _count(
        "--mlir-elide-resource-strings-if-larger",
        help="Leave out resources of more than N characters.",
    ),
)

BETWEEN_PASSES = Group(
    "IR and times of passes",
    _pass_names("--mlir-print-ir-before", help="Print IR before these passes."),
    _pass_names("--mlir-print-ir-after", help="Print IR after these passes."),
    argv.boolean("--mlir-print-ir-before-all", help="Print IR before each pass."),
    argv.boolean("--mlir-print-ir-after-all", help="Print IR after each pass."),
    argv.boolean("--mlir-print-ir-after-change", help="Print IR only after passes that change it."),
    argv.boolean("--mlir-print-ir-after-failure", help="Print IR only after a pass that fails."),
    argv.boolean("--mlir-print-ir-module-scope", help="Print the whole module then."),
    click.option(
        "--mlir-print-ir-tree-dir",
        type=click.Path(),
        metavar="DIR",
        help="Print it to files in DIR, one for each time.",
    ),
    argv.boolean("--mlir-timing", help="Report the time that each pass took."),
    click.option(
        "--mlir-timing-display",
        type=click.Choice(["list", "tree"]),
        default="tree",
        help="In which order: longest first, or as they ran (default: tree).",
    ),
)

HELP = Group(
    "Help",
    click.option("--explain", metavar="OP", help="Tell what an op is, and exit."),
    argv.boolean("--list-passes", help="List passes, and exit."),
    argv.boolean("--show-dialects", help="List dialects, and exit."),
    click.option("--version", is_flag=True, help="Print versions, and exit."),
    argv.boolean("--help-list", help="List all options and passes by name, and exit."),
    argv.help_hidden(),
)

UNSUPPORTED = Group(
    "Options of mlir-opt that are refused",
    argv.unsupported(
        "--interpret",
        "programs are run by another command: shlo-run --backend=reference FILE",
    ),
    argv.unsupported(
        "--debug-only",
        "this build of MLIR has no debug output; --mlir-print-ir-after-change shows what passes do",
    ),
    argv.unsupported(
        "--mlir-pass-statistics",
        "this build of MLIR counts nothing; --mlir-timing and --mlir-print-ir-after-change tell "
        "what passes did",
    ),
    argv.unsupported(
        "--mlir-print-stacktrace-on-diagnostic",
        "MLIR's bindings do not tell where in C++ a diagnostic comes from; "
        "--mlir-print-ir-after-failure shows the IR that it is about",
    ),
    argv.unsupported(
        "--mlir-print-elementsattrs-with-hex-if-larger",
        "MLIR's bindings write more than 100 elements in hex, and take no other number; "
        "--mlir-elide-elementsattrs-if-larger leaves them out",
    ),
    argv.unsupported(
        "--mlir-print-value-users",
        "MLIR's bindings cannot print them; a pass in Python reads them from value.uses",
    ),
    argv.unsupported(
        "--mlir-print-unique-ssa-ids",
        "MLIR's bindings number the values of each function anew; "
        "--mlir-use-nameloc-as-prefix takes their names from locations",
    ),
    argv.unsupported(
        "--elide-resource-data-from-bytecode",
        "MLIR's bindings write bytecode with all its data; "
        "--mlir-elide-resource-strings-if-larger leaves it out of text",
    ),
)

GROUPS = (
    INPUT_AND_OUTPUT,
    PASSES,
    CHECKS,
    PRINTED_FORM,
    BETWEEN_PASSES,
    UNSUPPORTED,
    HELP,
)
