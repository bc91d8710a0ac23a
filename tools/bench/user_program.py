"""A user's program as all engines read it: text, and an archive of its arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from shlo_tools import mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.tools.bench.worker import save_arrays
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run import inputs, signature
from shlo_tools.tools.run.inputs import Wanted

MODULE, ARGUMENTS, DTYPES = "program.mlir", "arguments.npz", "dtypes.json"


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
        ShloError: the program or a value is none.
    """
    channel.tell("while parsing")
    with mlir.library_context():
        module = program.module_of(source, name=name, expendable=True)
        function = signature.find(module, function).name
        if function != "main":
            raise ShloError(
                f"@{function} is not @main, which is what other engines run",
                hint="rename it in the text",
            )
        channel.tell("while reading values")
        slots = Wanted("--input", "argument", "arg", signature.find(module, function).inputs)
        arguments = inputs.read(values, slots)
        is_text = not program.is_bytecode(source)
        (folder / MODULE).write_text(source.decode() if is_text else str(module))
    dtypes = save_arrays(str(folder / ARGUMENTS), arguments, "arg")
    (folder / DTYPES).write_text(json.dumps(dtypes))
    return 0
