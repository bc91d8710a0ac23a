"""Machine code that a thread generates while the program's own passes run, or that disk has.

LLVM generates the code of a module at the first look-up of one of its functions, which lets other
Python threads run.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from shlo_tools import mlir
from shlo_tools.codegen.lowered import ADDRESSES
from shlo_tools.cpu import symbols
from shlo_tools.cpu.machine_code import objects, store
from shlo_tools.cpu.machine_code.elf import UnsupportedObject
from shlo_tools.cpu.machine_code.objects import ObjectFile


class MachineCode:
    """Functions in memory, which belongs to this object.

    Attributes:
        names: of the functions.
        callees: what has the functions of the process library that these call.
    """

    def __init__(self, names: Sequence[str], callees: Mapping[str, MachineCode]) -> None:
        self.names, self.callees = names, callees
        self._addresses: Mapping[str, int] = {}
        self._lock = threading.Lock()
        _unfinished.add(self)

    @property
    def addresses(self) -> Mapping[str, int]:
        """The addresses of functions, as soon as there are any."""
        with self._lock:
            if self in _unfinished:
                self._finish()
                _unfinished.discard(self)
        return self._addresses

    @property
    def is_running(self) -> bool:
        """Whether a thread still generates code."""
        return False

    def _finish(self) -> None:
        """Provide the addresses. Whoever waits may hold the lock of the library's context."""
        raise NotImplementedError

    def image(self) -> bytes:
        """The object file, which ``Loading`` takes."""
        raise NotImplementedError


_unfinished: set[MachineCode] = set()


class Compilation(MachineCode):
    """Machine code of a module.

    Args:
        text: of the llvm dialect, with a function that writes down addresses.
        names: the functions whose addresses it writes, in its order.
        keys: those of the store under which the code is kept, if any.
    """

    def __init__(
        self,
        text: str,
        names: Sequence[str],
        keys: Sequence[str],
        callees: Mapping[str, MachineCode],
    ) -> None:
        super().__init__(names, callees)
        self._keys = [key for key in keys if key]
        self._text = text
        self._engine: mlir.ExecutionEngine | None = None
        self._thread = threading.Thread(target=self._generate)
        with suppress(RuntimeError):  # no more threads, or none at the end of the process
            self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def _finish(self) -> None:
        if self._thread.ident is not None:
            self._thread.join()
        if self._engine is None:
            self._generate()  # there was no thread, or what it met is raised here

    def _generate(self) -> None:
        engine = mlir.ExecutionEngine.of_text(self._text, keeps_object=objects.is_supported())
        for name, part in self.callees.items():
            engine.bind(name, part.addresses[name])
        words = (ctypes.c_int64 * len(self.names))()
        fill = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.address(ADDRESSES))
        fill(ctypes.addressof(words))
        if self._keys:
            store.write(self._keys, engine.save_object)
        self._addresses = dict(zip(self.names, words, strict=True))
        self._engine, self._text = engine, ""  # the engine owns the code

    def image(self) -> bytes:
        if not self.addresses or self._engine is None:
            raise RuntimeError("there is no code")
        with open(os.memfd_create("object"), "rb") as file:  # LLVM writes to a path alone
            self._engine.save_object(f"/proc/self/fd/{file.fileno()}")
            return file.read()


class Loading(MachineCode):
    """Machine code that disk has."""

    def __init__(self, file: ObjectFile, callees: Mapping[str, MachineCode]) -> None:
        super().__init__(file.defined, callees)
        self._file = file
        self._memory: Any = None

    def _finish(self) -> None:
        self._memory, self._addresses = self._file.load(self._resolved)

    def image(self) -> bytes:
        return self._file.image

    def _resolved(self, name: str) -> int:
        part = self.callees.get(name)
        return symbols.address(name) if part is None else part.addresses[name]


Callees = Callable[[Sequence[str]], Mapping[str, MachineCode]]


def stored(key: str, prefix: str, callees: Callees) -> MachineCode | None:
    """What the store has under a key, if anything.

    Args:
        prefix: of the functions that are the process library's.
        callees: what has those.
    """
    image = store.read(key)
    return None if image is None else loading(image, prefix, callees)


def loading(image: bytes, prefix: str, callees: Callees) -> MachineCode | None:
    """The machine code of an object file; None where it is none that can be loaded here.

    Args:
        prefix, callees: see ``stored``.
    """
    try:
        file = ObjectFile(image)
    except UnsupportedObject:
        return None
    library = [name for name in file.undefined if name.startswith(prefix)]
    if any(not symbols.address(name) for name in file.undefined if name not in library):
        return None
    return Loading(file, callees(library))


def _finish_all() -> None:
    """A forked child has none of the threads, and LLVM's locks as they were."""
    for code in list(_unfinished):
        _ = code.addresses


mlir.before_fork.append(_finish_all)
