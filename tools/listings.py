"""What shlo-opt can tell without a program: versions, dialects, passes, ops."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence

import click

from shlo_tools import __version__, mlir, ops
from shlo_tools.errors import ShloError, did_you_mean
from shlo_tools.ops import _op
from shlo_tools.pipeline import registry


def versions(tool: str) -> str:
    """Versions of the package, the provider, MLIR and StableHLO."""
    return "\n".join(
        (
            f"{tool} (shlo-tools) {__version__}",
            f"  {mlir.DISTRIBUTION} {mlir.provider_version()}",
            f"  MLIR {mlir.mlir_version().removeprefix('MLIR')}",
            f"  StableHLO {mlir.stablehlo_version()}",
        )
    )


def dialects() -> str:
    """``Available Dialects: arith,chlo,...``; the bindings tell them in an error message only."""
    with mlir.library_context():
        try:
            mlir.parse_module("unknown_dialect.op")
        except mlir.MLIRError as error:
            notes = " ".join(note.message for d in mlir.diagnostics_of(error) for note in d.notes)
            listed = notes.replace(" (*)", "")  # what MLIR puts behind dialects defined at run time
            match = re.search(r"Available dialects: ([\w, ]*\w)", listed)
            if match:
                return f"Available Dialects: {match[1].replace(', ', ',')}"
    raise ShloError("this MLIR does not tell its dialects")


def options(command: click.Command) -> str:
    """A command's options in the order of their names, with what they do."""
    context = click.Context(command)
    declared = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    rows = sorted(record for option in declared if (record := option.get_help_record(context)))
    width = max(len(spelling) for spelling, _ in rows)
    return "\n".join(["Options:", *(f"  {name:{width}}  {text}" for name, text in rows)])


def passes(plugins: Sequence[str] = ()) -> str:
    """Python passes and pipelines with their summaries, then the names of the C++ passes."""
    for plugin in plugins:
        registry.load_plugin(plugin)
    summaries = registry.summaries()
    width = max(len(name) for name in summaries)
    native = native_passes()
    rows = [f"  --{name:{width}}  {summary}".rstrip() for name, summary in summaries.items()]
    return "\n".join(["Passes written in Python:", *rows, "", "Passes of MLIR and StableHLO:"]) + (
        "".join(f"\n  --{name}" for name in native)
    )


def native_passes() -> list[str]:
    """The names of the C++ passes that no Python pass has."""
    summaries = registry.summaries()
    return [name for name in mlir.native_pass_names() if name not in summaries]


def explain(name: str) -> str:
    """What an op is: its function's documentation, and what it takes."""
    full = name if "." in name else f"stablehlo.{name}"
    description = ops.DESCRIPTIONS.get(full)
    if description is None:
        if full in mlir.registered_op_names():
            raise ShloError(f"{full} is an op that this version has no documentation of")
        hint = did_you_mean(full, [*ops.DESCRIPTIONS, *mlir.registered_op_names()])
        raise ShloError(f"there is no op {full!r}", hint=hint)
    signature = description.signature
    rows = [_row(parameter, signature.parameters) for parameter in description.parameters]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)] if rows else [0, 0]
    lines = [f"  {n:{widths[0]}}  {t:{widths[1]}}  {role}".rstrip() for n, t, role in rows]
    documentation = inspect.getdoc(description.rule) or ""
    return "\n".join([f"{full} -> {signature.return_annotation}", "", documentation, "", *lines])


def _row(
    parameter: _op.Parameter, signature: Mapping[str, inspect.Parameter]
) -> tuple[str, str, str]:
    """Name, type and role of a parameter."""
    role = parameter.role.value
    if parameter.optional:
        role += " (optional)" if parameter.default is None else f", {parameter.default!r} if absent"
    return parameter.name, str(signature[parameter.name].annotation), role
