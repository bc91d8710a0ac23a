"""Machine code of the kernels of programs: generated, of earlier programs, or from disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.function import Function
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.compilation import Compilation, MachineCode, stored
from shlo_tools.cpu.process_library import parts

_MODULES = 2
_LONG = 90  # lines that are worth a module of their own, which costs as much as they do
_MOST = 4096  # kernels that stay though no program may use them any more
_known: OrderedDict[str, MachineCode] = OrderedDict()  # by name, what was used last at the end


class _Provider:
    """What this process knows, and what disk has."""

    def __init__(self) -> None:
        self.ahead: Compilation | None = None  # what was begun while stages were being lowered

    def has(self, name: str) -> bool:
        if name in _known:
            return True
        code = stored(_key(name), parts.PREFIX, parts.linked)
        if code is None:
            return False
        names = (name for name in code.names if name.startswith(shared_kernels.PREFIX))
        _known.update(dict.fromkeys(names, code))
        return True

    def noted(self) -> None:
        if not self.is_busy() and shared_kernels.lines_waiting() >= _LONG:
            for functions in _parts(shared_kernels.take()):
                self.ahead = _begin(functions)

    def is_busy(self) -> bool:
        return self.ahead is not None and self.ahead.is_running


_provider = _Provider()
shared_kernels.providers.append(_provider)


def begin() -> None:
    """Let threads generate the machine code of all kernels that were noted, side by side."""
    for functions in _parts(shared_kernels.take()):
        _begin(functions)


def compiled(names: Iterable[str]) -> dict[str, MachineCode]:
    """What has the machine code of kernels, or will have it, by their names."""
    begin()
    codes = {name: _known[name] for name in names if name in _known}
    for name in codes:
        _known.move_to_end(name)
    _forget()
    return codes


def _key(name: str) -> str:
    """Where the store keeps a kernel: one that serves any program is kept as the library is."""
    return store.key("library" if name.startswith(shared_kernels.GENERAL) else "kernel", name)


def _begin(functions: Sequence[Function]) -> Compilation:
    """Let a thread generate the machine code of kernels."""
    code = parts.compilation(functions, [_key(f.name) for f in functions])
    _known.update(dict.fromkeys(code.names, code))
    return code


def _parts(kernels: list[Function]) -> list[list[Function]]:
    """Kernels as modules: those of the program, and those of any."""
    general = [kernel for kernel in kernels if kernel.is_general]
    return [*_divided([k for k in kernels if not k.is_general]), *([general] if general else [])]


def _divided(kernels: list[Function]) -> list[list[Function]]:
    """Kernels in parts of about the same length."""
    long = sum(len(kernel.lines) for kernel in kernels) >= _LONG
    if not long:
        return [kernels] if kernels else []
    divided: list[list[Function]] = [[] for _ in range(_MODULES)]
    lengths = [0] * _MODULES
    for kernel in sorted(kernels, key=lambda kernel: -len(kernel.lines)):
        shortest = lengths.index(min(lengths))
        divided[shortest].append(kernel)
        lengths[shortest] += len(kernel.lines)
    return [part for part in divided if part]


def _forget() -> None:
    """Drop what was not used for long; executables keep what they use."""
    while len(_known) > _MOST:
        _known.popitem(last=False)
