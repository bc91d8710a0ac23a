"""Machine code of the kernels of programs: generated, of earlier programs, or from disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from shlo_tools import ir, mlir
from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.lowered import KERNELS
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.compilation import Compilation, MachineCode, stored
from shlo_tools.cpu.process_library import parts

_MOST = 4096  # kernels that stay though no program may use them any more
_known: OrderedDict[str, MachineCode] = OrderedDict()  # by name, what was used last at the end


def _is_known(name: str) -> bool:
    if name in _known:
        return True
    code = stored(store.key("kernel", name), parts.PREFIX, parts.linked)
    if code is None:
        return False
    _keep({kernel: code for kernel in code.names if kernel.startswith(shared_kernels.PREFIX)})
    return True


shared_kernels.providers.append(_is_known)


def compiled(module: mlir.Module, names: Iterable[str]) -> dict[str, MachineCode]:
    """The machine code of kernels, by their names.

    Kernels of nested modules are compiled side by side; the nested modules leave the module.
    """
    codes = {name: _known[name] for name in names if name in _known}
    for nested in [op for op in ir.children(module.operation) if KERNELS in op.attributes]:
        kernels = [name.value for name in ir.items_of(nested, KERNELS)]
        own = mlir.empty_module()
        mlir.move_ops(nested.regions[0].blocks[0], own.body)
        ops = ir.children(own.operation)
        callees = [ir.symbol_name(op) for op in ops if ir.is_declaration(op)]
        keys = [store.key("kernel", name) for name in kernels]
        code = Compilation(own, kernels, keys, parts.linked(callees))
        codes |= dict.fromkeys(kernels, code)
        nested.erase()
    _keep(codes)
    return codes


def _keep(kernels: dict[str, MachineCode]) -> None:
    _known.update(kernels)
    for name in kernels:
        _known.move_to_end(name)
    while len(_known) > _MOST:
        _known.popitem(last=False)
