"""Machine code of the kernels of a program."""

from __future__ import annotations

import threading
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import ADDRESSES, KERNELS
from shlo_tools.cpu.process_library import parts


def compiled(module: mlir.Module) -> tuple[list[Any], dict[str, int]]:
    """Compile the nested modules of kernels side by side: owners of the code, and addresses.

    The nested modules leave the module.
    """
    nested = [op for op in ir.children(module.operation) if KERNELS in op.attributes]
    engines, names = [], []
    for part in nested:
        listed = ir.items_of(part, KERNELS)
        names.append([name.value for name in listed])
        own = mlir.empty_module()
        mlir.move_ops(part.regions[0].blocks[0], own.body)
        engine = mlir.execution_engine(own, 0)
        for op in ir.children(own.operation):
            if ir.is_declaration(op):
                name = ir.symbol_name(op)
                mlir.bind_symbol(engine, name, parts.address(name))
        engines.append(engine)
        part.erase()
    # Code is made at the first look-up, which lets other Python threads run.
    threads = [
        threading.Thread(target=mlir.entry_address, args=(engine, ADDRESSES))
        for engine in engines[1:]
    ]
    for thread in threads:
        thread.start()
    addresses: dict[str, int] = {}
    for engine, part_names in zip(engines, names, strict=True):
        addresses |= parts.addresses_in(engine, part_names)
    for thread in threads:
        thread.join()
    return engines, addresses
