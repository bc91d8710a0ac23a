"""Machine code of the kernels of programs: generated, of earlier programs, or from disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.function import Function
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.compilation import MachineCode, stored
from shlo_tools.cpu.process_library import parts

_MODULES = 2
_SMALL = 4  # kernels that one module serves as well
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


def compiled(names: Iterable[str]) -> dict[str, MachineCode]:
    """The machine code of kernels, by their names; parts of it are generated side by side."""
    codes = {name: _known[name] for name in names if name in _known}
    for functions in _parts(shared_kernels.take()):
        keys = [store.key("kernel", function.name) for function in functions]
        code = parts.compilation(functions, keys)
        codes |= dict.fromkeys(code.names, code)
    _keep(codes)
    return codes


def _parts(kernels: list[Function]) -> list[list[Function]]:
    """Kernels in parts of about the same length."""
    if len(kernels) <= _SMALL:
        return [kernels] if kernels else []
    divided: list[list[Function]] = [[] for _ in range(_MODULES)]
    lengths = [0] * _MODULES
    for kernel in sorted(kernels, key=lambda kernel: -len(kernel.lines)):
        shortest = lengths.index(min(lengths))
        divided[shortest].append(kernel)
        lengths[shortest] += len(kernel.lines)
    return divided


def _keep(kernels: dict[str, MachineCode]) -> None:
    _known.update(kernels)
    for name in kernels:
        _known.move_to_end(name)
    while len(_known) > _MOST:
        _known.popitem(last=False)
