"""What programs have that no object can have, told by the names of ops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.library.calling import CALL_HOST
from shlo_tools.codegen.library.fourier import plans
from shlo_tools.codegen.manifest import HostKernel
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages.program import Program
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend import fourier_loops
from shlo_tools.mlir import Operation

LAPACK = "scipy_"  # how the names of functions begin that OpenBLAS has
_OURS = "shlo."  # what the host computes of ops that are no custom calls


def refuse_sizes(module: mlir.Module, function: str) -> None:
    """Refuse values of sizes that run time tells, as they stand in a program.

    Raises:
        UnsupportedError: with the first ops that have such.
    """
    func = ir.functions_by_name(module.operation)[function]
    inputs, results = ir.signature(func)
    for kind, types in (("argument", inputs), ("result", results)):
        for number, type in enumerate(types):
            if mlir.is_dynamic(type):
                raise UnsupportedError(
                    f"@{function}: {kind} {number} is {type}, and objects want known sizes",
                    hint="shlo-opt --shlo-refine-arguments='types=...' writes them in",
                    place=mlir.place_of(func.location),
                )


def refuse_uncut(module: mlir.Module, function: str) -> NoReturn:
    """Refuse a program that cannot be cut into stages.

    Raises:
        UnsupportedError: always; with the ops that are why.
    """
    func = ir.functions_by_name(module.operation)[function]
    ops = [op for op in mlir.walk(func) if op.name != "func.func"]
    why = "objects want tensors of plain numbers whose sizes are known"
    ir.raise_unsupported([op for op in ops if op.name == "func.call"][:3], "it cannot be inlined")
    ir.raise_unsupported([op for op in ops if _has_odd_values(op)][:3], why)
    raise UnsupportedError(f"@{function} cannot be cut into stages: {why}")


def _has_odd_values(op: Operation) -> bool:
    types = [value.type for value in (*op.operands, *op.results)]
    return any(_is_odd(type) for type in types)


def _is_odd(type: mlir.Type) -> bool:
    if mlir.is_memref(type):
        return False
    if not mlir.is_tensor(type) or mlir.is_dynamic(type) or "!" in mlir.spelling(type):
        return True
    tensor = dtypes.tensor_type(type)
    return bool(tensor.bounds) or tensor.element_type.is_quantized


def refuse_stages(
    module: mlir.Module, program: Program, calls: Mapping[int, HostKernel], *, lapack: bool
) -> None:
    """Refuse stages that want more than kernels, the runtime and functions in C.

    Args:
        calls: what the host is called for.
        lapack: whether functions of LAPACK and BLAS will be linked.

    Raises:
        UnsupportedError: with their ops.
    """
    functions = ir.functions_by_name(module.operation)
    for name, reason in program.plain.items():
        _refuse(functions[name], f"no kernel computes it ({reason}), and objects have nothing else")
    for name, code in program.codes.items():
        words = {word for context in code.contexts for word in context.words}
        needed = sorted(word for word in words if isinstance(word, str))
        for symbol in needed:
            if fourier_loops.is_name(symbol):
                _refuse(functions[name], "it is a function of numpy, which objects cannot have")
            if plans.is_name(symbol):
                _refuse(functions[name], "it reads a table of factors, which objects do not have")
            if symbol.startswith(LAPACK) and not lapack:
                public = symbol.removeprefix(LAPACK)
                _refuse(functions[name], f"it calls {public}; --lapack leaves that to the linker")
            if not symbol.startswith((parts.PREFIX, LAPACK)):
                _refuse(functions[name], f"it calls {symbol} of the host process")
        if any(job.function == CALL_HOST for job in code.jobs):
            number = code.contexts[0].words[0]
            reason = _not_callable(calls[number]) if isinstance(number, int) else "it is called"
            if reason:
                _refuse(functions[name], reason)


def _not_callable(kernel: HostKernel) -> str:
    """Why a C function cannot stand for a call of the host; '' where one can."""
    call = kernel.call
    if call.target.startswith(_OURS):
        return "Python computes it, which objects cannot call"
    if kernel.called:
        return "its function calls computations of the program"
    if call.output_operand_aliases:
        return "results of it begin as operands"
    for type, layout in (
        *zip(call.input_types, call.operand_layouts, strict=True),
        *zip(call.result_types, call.result_layouts, strict=True),
    ):
        if layout != tuple(reversed(range(type.rank))) and type.rank > 1:
            return f"it wants {type} in the layout {list(layout)}, and arrays are row-major"
    return ""


def _refuse(func: Operation, reason: str) -> None:
    ops = ir.children(func)
    ir.raise_unsupported([ops[-2] if len(ops) > 1 else func], reason)
