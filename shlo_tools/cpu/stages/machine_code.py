"""Machine code of the kernels of a program."""

from __future__ import annotations

from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import KERNELS
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.process_library.compilation import Compilation


def compiled(module: mlir.Module) -> tuple[list[Any], dict[str, int]]:
    """Compile the nested modules of kernels side by side: owners of the code, and addresses.

    The nested modules leave the module.
    """
    nested = [op for op in ir.children(module.operation) if KERNELS in op.attributes]
    compilations = []
    for part in nested:
        names = [name.value for name in ir.items_of(part, KERNELS)]
        own = mlir.empty_module()
        mlir.move_ops(part.regions[0].blocks[0], own.body)
        ops = ir.children(own.operation)
        callees = [ir.symbol_name(op) for op in ops if ir.is_declaration(op)]
        compilations.append(Compilation(own, names, parts.linked(callees)))
        part.erase()
    addresses: dict[str, int] = {}
    for compilation in compilations:
        addresses |= compilation.addresses
    return [*compilations], addresses
