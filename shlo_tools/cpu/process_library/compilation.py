"""Machine code that a thread generates while the program's own passes run.

LLVM generates the code of a module at the first look-up of one of its functions, which lets other
Python threads run.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from shlo_tools import mlir
from shlo_tools.codegen.lowered import ADDRESSES


class Compilation:
    """The machine code of a module, which belongs to this object.

    Args:
        module: of the llvm dialect, with a function that writes down addresses.
        exported: the functions whose addresses it writes, in its order.
        callees: what compiles functions of other modules that this one calls.
    """

    def __init__(
        self, module: mlir.Module, exported: Sequence[str], callees: Mapping[str, Compilation]
    ) -> None:
        self._engine = mlir.execution_engine(module, 0)
        self.exported, self._callees = tuple(exported), callees
        self._addresses: dict[str, int] = {}
        # No lock is needed to get done: whoever waits may hold that of the library's context.
        self._thread = threading.Thread(target=self._generate)
        _unfinished.add(self)
        with suppress(RuntimeError):  # no more threads, or none at the end of the process
            self._thread.start()

    @property
    def addresses(self) -> dict[str, int]:
        """The addresses of functions, as soon as there are any."""
        if self in _unfinished:
            if self._thread.ident is not None:
                self._thread.join()
            if not self._addresses:
                self._generate()  # there was no thread, or what it met is raised here
            _unfinished.discard(self)
        return self._addresses

    def _generate(self) -> None:
        for name, part in self._callees.items():
            mlir.bind_symbol(self._engine, name, part.addresses[name])
        words = (ctypes.c_int64 * len(self.exported))()
        fill = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(mlir.entry_address(self._engine, ADDRESSES))
        fill(ctypes.addressof(words))
        self._addresses = dict(zip(self.exported, words, strict=True))


_unfinished: set[Compilation] = set()


def _finish() -> None:
    """A forked child has none of the threads, and LLVM's locks as they were."""
    for compilation in list(_unfinished):
        _ = compilation.addresses


mlir.before_fork.append(_finish)
