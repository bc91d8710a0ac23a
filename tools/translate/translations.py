"""The translations by name: each makes text or bytes of a program, for the next one or the output.

One more is a function here, a row in ``FUNCTIONS``, and one in ``request.TRANSLATIONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.interop import interpretation, lifting, vhlo
from shlo_tools.program import versions
from shlo_tools.tools.printed_form import asm_options
from shlo_tools.tools.translate.request import Request

_LLVM_HINT = "lower it first: shlo-opt --shlo-to-llvm, or shlo-opt --to=llvm"

# Takes a program, what it was read from, and what was asked for.
Translation = Callable[[mlir.Module, str | bytes, Request], str | bytes]


def serialize(module: mlir.Module, source: str | bytes, request: Request) -> bytes:
    """StableHLO or VHLO to a portable artifact."""
    target = str(versions.target(request.target))
    try:
        return program.serialize(
            module,
            target,
            allow_other_dialects=request.allow_other_dialects,
            strip_debuginfo=request.strip_debuginfo,
        )
    except ShloError as error:
        *others, last = error.diagnostics
        hint = f"--explain-target={target} lists all that is in the way"
        raise ShloError([*others, replace(last, hint=hint)]) from error


def deserialize(module: mlir.Module, source: str | bytes, request: Request) -> str:
    """A portable artifact, or VHLO as text, to StableHLO."""
    vhlo.to_stablehlo(module)
    return ir.printed(module.operation, **asm_options(request)) + "\n"


def stablehlo_version(source: str | bytes) -> str:
    """What ``--print-stablehlo-version`` says of an artifact."""
    version = versions.of_artifact(source) if isinstance(source, bytes) else None
    if version is None:
        return "// Failed parsing StableHLO version from portable artifact\n"
    return f"// Reading portable artifact with StableHLO version: {version}\n"


def interpret(module: mlir.Module, source: str | bytes, request: Request) -> str:
    """A program to its results."""
    return interpretation.interpret(module, request.args, dense=request.interpreter_print_dense)


def mlir_to_llvmir(module: mlir.Module, source: str | bytes, request: Request) -> str:
    """A module in the llvm dialect to LLVM IR."""
    ops = mlir.walk(module.operation)
    for op in ops:
        if op.name.startswith(("stablehlo.", "chlo.", "vhlo.", "func.")):
            message = f"{op.name} is no op of the llvm dialect"
            raise ShloError(message, place=mlir.place_of(op.location), hint=_LLVM_HINT)
    with mlir.hearing() as diagnostics:
        text = mlir.llvm_ir(module.operation)
    if text is None:
        raise ShloError(diagnostics or "the module cannot be translated to LLVM IR")
    return text


def to_python(module: mlir.Module, source: str | bytes, request: Request) -> str:
    """A program to the Python source that builds it."""
    return lifting.to_python(module)


FUNCTIONS: Mapping[str, Translation] = {
    "serialize": serialize,
    "deserialize": deserialize,
    "interpret": interpret,
    "mlir-to-llvmir": mlir_to_llvmir,
    "to-python": to_python,
}
