"""A user's program as all engines read it: text, and an archive of its arguments."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

from shlo_tools import ir, mlir, program
from shlo_tools.cpu.executable import select_function
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.pipeline import runner
from shlo_tools.tools.bench.least_time import limit_of
from shlo_tools.tools.bench.listing import listing
from shlo_tools.tools.bench.program_files import (
    ARGUMENTS,
    CONSTANTS,
    LISTING,
    MODULE,
    write_dtypes,
    write_limit,
)
from shlo_tools.tools.bench.static_program import with_sizes_of
from shlo_tools.tools.bench.workers.serving import save_arrays
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run.values import inputs, signature
from shlo_tools.tools.run.values.inputs import Wanted


def write(
    folder: Path,
    source: bytes,
    name: str,
    function: str,
    values: Sequence[str],
    lists: bool,
    channel: Channel,
) -> int:
    """Write the program's files to a folder; returns the exit status. Loads MLIR.

    Args:
        source: text, bytecode or a portable artifact.
        name: what messages call it.
        function: what is run; engines know it as ``main``.
        values: the arguments, in the notation of ``tools.run.values.inputs``.
        lists: write the program as plain data as well.

    Raises:
        ShloError: the program or a value is none, or has no such function.
    """
    channel.tell("while parsing")
    with mlir.library_context():
        module = program.module_of(source, name=name, expendable=True)
        function = signature.find(module, function).name
        channel.tell("while reading values")
        slots = Wanted("--input", "argument", "arg", signature.find(module, function).inputs)
        arguments = inputs.read(values, slots)
        if function != "main":
            _make_main(module, function)
        is_as_read = function == "main" and not program.is_bytecode(source)
        text = source.decode() if is_as_read else ir.printed(module.operation)
        (folder / MODULE).write_text(text)
        if lists:
            channel.tell("while listing the program's ops")
            _write_listing(folder, module, arguments)
        channel.tell("while counting what the program needs")
        limit = limit_of(module, arguments)
    dtypes = save_arrays(str(folder / ARGUMENTS), arguments, "arg")
    write_dtypes(folder, dtypes)
    write_limit(folder, limit)
    return 0


def _write_listing(folder: Path, module: mlir.Module, arguments: Sequence[Array]) -> None:
    """Write the program as plain data, or why that cannot be."""
    try:
        listed = listing(with_sizes_of(module, arguments))
    except ShloError as error:
        refusal = str(error).splitlines()[0].removeprefix("error: ")
        (folder / LISTING).write_text(json.dumps({"refusal": refusal}))
        return
    archive = str(folder / CONSTANTS)
    dtypes = save_arrays(archive, listed.constants, "constant")
    data = {"functions": listed.functions, "constants": archive, "dtypes": dtypes}
    (folder / LISTING).write_text(json.dumps(data))


def _make_main(module: mlir.Module, function: str) -> None:
    """Name a function ``@main``, as other engines call what they run; what it does not need goes.

    Raises:
        ShloError: it needs the program's own ``@main`` in a way that cannot be renamed.
    """
    select_function(module, function)
    runner.run("builtin.module(symbol-dce)", module)
    functions = ir.functions_by_name(module.operation)
    if "main" in functions:
        other = next(name for n in itertools.count() if (name := f"main_{n}") not in functions)
        uses = [op for op in mlir.walk(module.operation) if ir.called_name(op) == "main"]
        if len(uses) != ir.printed(module.operation).count("@main") - 1:
            raise ShloError(
                f"@{function} needs @main, which is not only called: rename one of them"
            )
        for op in uses:
            ir.set_called_name(op, other)
        functions["main"].attributes["sym_name"] = mlir.string_attr(other)
    functions[function].attributes["sym_name"] = mlir.string_attr("main")
