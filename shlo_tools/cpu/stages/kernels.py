"""Machine code of the kernels of programs: generated, of earlier programs, or from disk."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.function import Function
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.compilation import Compilation, MachineCode, stored
from shlo_tools.cpu.process_library import parts
from shlo_tools.processors import thread_count

# What LLVM takes for a line, about, and for a module beside its lines.
_LINE, _MODULE = 30e-6, 3e-3  # seconds
_SOME, _LONGEST = 40, 240  # lines of a module that is begun while others are still written
_LONG = 90  # lines that are worth a second module
_MOST = 512  # kernels that stay though no program may use them any more, of up to 1 MB each
_VARIABLE = "SHLO_COMPILE_THREADS"
_known: OrderedDict[str, MachineCode] = OrderedDict()  # by name, what was used last at the end


class _Provider:
    """What this process knows, and what disk has.

    Attributes:
        ahead: what was begun while stages were being lowered, and when it will be ready.
    """

    def __init__(self) -> None:
        self.ahead: list[tuple[Compilation, float]] = []

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
        """Begin a module where a processor is free beside the one that lowers stages."""
        lines = shared_kernels.lines_waiting()
        if lines >= _SOME and len(self.running()) < thread_count(_VARIABLE) - 1:
            most = max(_LONGEST, lines // 2)
            for functions in filter(None, _by_home(shared_kernels.take(most))):
                seconds = _MODULE + _LINE * sum(len(f.lines) for f in functions)
                self.ahead.append((_begin(functions), time.perf_counter() + seconds))

    def running(self) -> list[float]:
        """How long the modules will take that are being compiled."""
        self.ahead = [(code, end) for code, end in self.ahead if code.is_running]
        now = time.perf_counter()
        return [max(0.0, end - now) for _, end in self.ahead]


_provider = _Provider()
shared_kernels.providers.append(_provider)


def begin() -> None:
    """Let threads generate the machine code of all kernels that were noted, side by side."""
    program, general = _by_home(shared_kernels.take())
    for functions in _divided(program, _provider.running(), thread_count(_VARIABLE)):
        _begin(functions)
    if general:
        _begin(general)


def compiled(names: Iterable[str]) -> dict[str, MachineCode]:
    """What has the machine code of kernels, or will have it, by their names."""
    begin()
    codes = {name: _known[name] for name in names if name in _known}
    for name in codes:
        _known.move_to_end(name)
    _forget()
    return codes


def _key(name: str) -> str:
    """Where the store keeps a kernel: one that serves any program is kept as the library is.

    Kernels beside it in its module may call functions that the library of other sources has not.
    """
    kind = "library" if name.startswith(shared_kernels.GENERAL) else "kernel"
    return store.key(kind, f"{parts.sources()} {name}")


def _begin(functions: Sequence[Function]) -> Compilation:
    """Let a thread generate the machine code of kernels."""
    code = parts.compilation(functions, [_key(f.name) for f in functions])
    _known.update(dict.fromkeys(code.names, code))
    return code


def _by_home(kernels: Sequence[Function]) -> list[list[Function]]:
    """Kernels of the program, and those of any, which disk keeps elsewhere."""
    homes: tuple[list[Function], list[Function]] = [], []
    for kernel in kernels:
        homes[kernel.is_general].append(kernel)
    return list(homes)


def _divided(
    kernels: Sequence[Function], running: Sequence[float], cores: int
) -> list[list[Function]]:
    """Kernels in modules that are ready as soon as possible, the long ones first.

    Args:
        running: for how many seconds processors are busy.
    """
    if sum(len(kernel.lines) for kernel in kernels) < _LONG:
        cores = 1
    loads = sorted([*running, *([0.0] * (cores - len(running)))])[:cores]
    modules: list[list[Function]] = [[] for _ in loads]
    for kernel in sorted(kernels, key=lambda kernel: -len(kernel.lines)):
        seconds = _LINE * len(kernel.lines)
        ends = [
            load + seconds + (0.0 if module else _MODULE)
            for load, module in zip(loads, modules, strict=True)
        ]
        first = ends.index(min(ends))
        modules[first].append(kernel)
        loads[first] = ends[first]
    return [module for module in modules if module]


def _forget() -> None:
    """Drop what was not used for long; executables keep what they use."""
    while len(_known) > _MOST:
        _known.popitem(last=False)
