"""PyTorch's modules as StableHLO, by the importer that comes with the MLIR wheel.

    module = shlo_tools.from_torch(model, x)
    executable = shlo_tools.compile(module)

It needs ``torch``, which is imported when ``from_torch`` is called, and shares no MLIR with the
wheel: both may be in one process.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from shlo_tools import mlir, program
from shlo_tools.errors import Diagnostic, ShloError, UnsupportedError

# The importer's own way down, which it would report on in files of the temporary folder.
_PIPELINES = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})",
    "builtin.module(torch-backend-to-stablehlo-backend-pipeline{allow-non-finites=true})",
)


def from_torch(
    model: Any,
    /,
    *arguments: Any,
    dynamic_shapes: Mapping[str, Any] | Sequence[Any] | None = None,
    function: str = "main",
    **keywords: Any,
) -> mlir.Module:
    """Export a ``torch.nn.Module`` to StableHLO.

    The program's arguments are the tensors among the arguments, its results those among what
    ``forward`` returns: in the order in which PyTorch flattens containers (tuples and lists from
    left to right, dictionaries as they were filled). Parameters and buffers become constants, so
    the model should be in the mode that it is to run in: ``model.eval()``. What ``forward`` writes
    into a buffer is a result in front of the others; the next call starts from the constant again.

    Args:
        model: a module, or a ``torch.export.ExportedProgram``, which takes no arguments here.
        arguments: examples of what ``forward`` takes; their values do not matter.
        dynamic_shapes: which sizes may differ from call to call, as ``torch.export.export``
            takes it: ``{"x": {0: torch.export.Dim("batch")}}``.
        function: the name of the program's function.
        keywords: further examples, of ``forward``'s keyword arguments.

    Returns:
        A module of the official bindings, in the library's context. Beside StableHLO it may hold
        ops of shape, tensor and arith, which ``compile`` takes as they are.

    Raises:
        ShloError: torch is not installed, or the importer has no StableHLO for an op.
    """
    if importlib.util.find_spec("torch") is None:
        raise ShloError(
            "from_torch needs PyTorch, which is not installed",
            hint="pip install torch --index-url https://download.pytorch.org/whl/cpu",
        )
    import torch

    if isinstance(model, torch.export.ExportedProgram):
        if arguments or keywords or dynamic_shapes:
            raise ShloError("an ExportedProgram knows its arguments: from_torch(program)")
        exported = model
    elif isinstance(model, torch.nn.Module):
        exported = torch.export.export(
            model, arguments, keywords, dynamic_shapes=dynamic_shapes, strict=False
        )
    else:
        kind = type(model).__name__
        raise ShloError(
            f"{kind} is no torch.nn.Module", hint="put a function into the forward of one"
        )
    with _one_error():
        imported = mlir.torch_importer().export_and_import(
            exported, output_type="raw", func_name=function
        )
    bytecode = program.to_bytecode(_lowered(imported))
    with mlir.library_context():
        return program.parse(bytecode, name=f"<{type(model).__name__}>")


@contextmanager
def _one_error() -> Iterator[None]:
    """What the importer raises for an op that it does not know, as a ShloError."""
    try:
        yield
    except (NotImplementedError, mlir.MLIRError) as error:
        raise UnsupportedError(f"the importer of PyTorch programs: {error}") from error


def _lowered(module: mlir.Module) -> mlir.Module:
    """An imported module as StableHLO, in place."""
    context = module.operation.context
    messages: list[Diagnostic] = []

    def hear(info: Any) -> bool:
        messages.append(mlir.diagnostic(info))
        return True

    context.emit_error_diagnostics = True  # for the handler; some errors fail no pass
    context.attach_diagnostic_handler(hear)
    with mlir.at(context):
        for pipeline in _PIPELINES:
            try:
                mlir.run_passes(mlir.parse_pipeline(pipeline), module.operation)
            except mlir.MLIRError as error:
                failed = [m for m in messages if m.severity == "error"]
                raise UnsupportedError(failed or mlir.diagnostics_of(error)) from error
    return module
