"""Machine code that a thread generates while the program's own passes run, or that disk has.

Such a thread never waits for Python's lock, which Python threads that compute hand over when they
like: see ``requests``.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from shlo_tools import interrupts, mlir
from shlo_tools.codegen.function import ADDRESSES, exporting_text
from shlo_tools.codegen.library import compiling
from shlo_tools.cpu import symbols
from shlo_tools.cpu.machine_code import objects, store
from shlo_tools.cpu.machine_code.objects import ObjectFile
from shlo_tools.cpu.machine_code.requests import Place, Request
from shlo_tools.elf import UnsupportedObject


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

    def wait(self) -> None:
        """Wait until none does. What is kept on disk is there then."""

    def place(self, name: str) -> Place:
        """Where the address of a function is written, and whether that has happened."""
        return Place.of_address(self.addresses[name])

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
        text: of the llvm dialect, with a table of addresses.
        names: the functions whose addresses these are, in its order.
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
        places = {name: part.place(name) for name, part in callees.items()}
        self._request = Request(text, len(names), places)
        self._engine: mlir.ExecutionEngine | None = None
        serve = _compiler()[1]
        with interrupts.deferred():
            self._request.start(serve)

    @property
    def is_running(self) -> bool:
        return self._request.is_running

    def wait(self) -> None:
        with self._lock:
            self._keep()

    def place(self, name: str) -> Place:
        return self._request.place(self.names.index(name))

    def _finish(self) -> None:
        self._keep()
        if self._engine is None:
            raise RuntimeError("LLVM takes no such module")
        for part in self.callees.values():  # which are ready as well, and may have to be kept
            _ = part.addresses
        self._addresses = dict(zip(self.names, self._request.words, strict=True))

    def _keep(self) -> None:
        """Wait for the code; disk has it then, where it is kept."""
        if self._engine is None:
            with interrupts.deferred():
                self._engine = self._request.finished()  # the engine owns the code
            if self._engine is not None and self._keys:
                store.write(self._keys, self._engine.save_object)

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


@cache
def _compiler() -> tuple[object, int]:
    """What has ``shlo_rt_compile``, and its address: the one function that no request makes."""
    functions = compiling.functions()
    text = exporting_text(functions)
    key = store.key("library", text)
    code = stored(key, compiling.COMPILE, lambda _: {})
    if code is not None:
        return code, code.addresses[compiling.COMPILE]
    engine = mlir.ExecutionEngine.of_text(text, keeps_object=objects.is_supported())
    word = ctypes.c_int64.from_address(engine.address(ADDRESSES))
    if key:
        store.write([key], engine.save_object)
    return engine, word.value


def _wait_for_all() -> None:
    """A forked child has none of the threads, and LLVM's locks as they were.

    A process that ends takes away what LLVM computes with.
    """
    for code in list(_unfinished):
        code.wait()


mlir.before_fork.append(_wait_for_all)
atexit.register(_wait_for_all)
