"""A user's program as all engines read it: text, and an archive of its arguments."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from shlo_tools import ir, mlir, program
from shlo_tools.cpu.executable import select_function
from shlo_tools.errors import ShloError
from shlo_tools.pipeline import runner
from shlo_tools.tools.bench.least_time import limit_of
from shlo_tools.tools.bench.program_files import ARGUMENTS, MODULE, write_facts
from shlo_tools.tools.bench.worker import save_arrays
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run import inputs, signature
from shlo_tools.tools.run.inputs import Wanted


def write(
    folder: Path, source: bytes, name: str, function: str, values: Sequence[str], channel: Channel
) -> int:
    """Write the program's files to a folder; returns the exit status. Loads MLIR.

    Args:
        source: text, bytecode or a portable artifact.
        name: what messages call it.
        function: what is run; engines know it as ``main``.
        values: the arguments, in the notation of ``tools.run.inputs``.

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
        channel.tell("while counting what the program needs")
        limit = limit_of(module, arguments)
    dtypes = save_arrays(str(folder / ARGUMENTS), arguments, "arg")
    write_facts(folder, dtypes, limit)
    return 0


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
