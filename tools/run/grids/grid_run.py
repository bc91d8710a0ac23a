"""Running a program in all processes of a grid: ``--parallel``.

``{process}`` in the name of a file stands for the number of the process: what it takes and what it
gives is its own.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from shlo_tools import files, mlir
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run.run_request import COMPILING, Request
from shlo_tools.tools.run.values import array_files, signature
from shlo_tools.tools.run.values.signature import Function

PROCESS = "{process}"

Values = Callable[[Request, Function], Sequence[Array]]
Shown = Callable[[int, Array, Function], str]


def work(
    request: Request, module: mlir.Module, channel: Channel, values: Values, shown: Shown
) -> int:
    """Run the grid, or this rank's part of it; print or write what its processes return."""
    from shlo_tools import parallel

    function = signature.find(module, request.function)
    if request.output:
        array_files.check_count(request.output, len(function.results))
    channel.tell(COMPILING)
    options: Any = {"backend": request.backend, "transport": request.parallel}
    if request.threads:
        options["threads"] = request.threads
    if request.reduction_order:
        options["reduction_order"] = request.reduction_order
    compiled = parallel.compile(
        module,
        num_replicas=request.replicas,
        num_partitions=request.partitions,
        function=request.function,
        **options,
    )
    count = len(compiled.executables)
    if request.output and PROCESS not in request.output and count > 1:
        hint = f"for example --output=out-{PROCESS}.npz"
        raise ShloError(f"--output={request.output}: a file for each process", hint=hint)
    channel.tell("while reading values")
    own = parallel.own_numbers(count, compiled.transport)
    arguments: list[Any] = [None] * count
    for number in own:
        texts = tuple(text.replace(PROCESS, str(number)) for text in request.inputs)
        try:
            arguments[number] = values(replace(request, inputs=texts), function)
        except ShloError as error:
            if compiled.transport == "mpi":
                parallel.end_job(error.render())
            raise
    channel.tell(f"while running @{function.name}")
    results = compiled(arguments, timeout=request.timeout)
    channel.tell("while writing results")
    for number in own:
        listed = [results[number]] if len(function.results) == 1 else list(results[number])
        _give(request, number, listed, function, shown)
    return 0


def _give(
    request: Request, number: int, results: Sequence[Array], function: Function, shown: Shown
) -> None:
    """Write the results of a process, or print them in one piece: ranks share the output."""
    if request.output:
        path = request.output.replace(PROCESS, str(number))
        file = io.BytesIO()
        array_files.write(file, path, results)
        files.write_file(path, file.getvalue())
        return
    lines = [shown(k, array, function) for k, array in enumerate(results)]
    print("\n".join([f"process {number}:", *lines, ""]), end="", flush=True)
