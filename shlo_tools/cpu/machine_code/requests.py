"""Requests for machine code, each of which a thread of its own serves.

What such a thread does is one function of the process library (``codegen.library.compiling``), so
that it never waits for Python's lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import NamedTuple

from shlo_tools import mlir
from shlo_tools.codegen.function import ADDRESSES
from shlo_tools.codegen.library.compiling import CALLEE, DONE, REQUEST, REQUEST_WORDS, WORKING
from shlo_tools.cpu import posix_threads
from shlo_tools.cpu.machine_code import objects

_Words = ctypes.Array[ctypes.c_int64]


class Place(NamedTuple):
    """Where the address of a function is written.

    Attributes:
        address: of the word.
        state: the address of the state of the request that writes it.
        kept: what has both.
    """

    address: int
    state: int
    kept: object

    @classmethod
    def of_address(cls, address: int) -> Place:
        """Of a function that there is."""
        words = _words([address, DONE])
        start = ctypes.addressof(words)
        return cls(start, start + 8, words)


class Request:
    """Machine code of a text, made by a thread.

    Args:
        text: of the llvm dialect, with a table of addresses.
        count: how many there are.
        callees: where the functions are that it calls.

    Attributes:
        words: the addresses, once there are any.
    """

    def __init__(self, text: str, count: int, callees: Mapping[str, Place]) -> None:
        encoded, table = text.encode(), ADDRESSES.encode()
        names = [name.encode() for name in callees]
        entries = _words([0] * (len(CALLEE) * len(names)))
        for number, (name, place) in enumerate(zip(names, callees.values(), strict=True)):
            entry = {"name": _address(name), "length": len(name)}
            entry |= {"address": place.address, "state": place.state}
            for field, value in entry.items():
                entries[len(CALLEE) * number + CALLEE[field]] = value
        self.words: _Words = _words([0] * count)
        context = mlir.BareContext.take()
        self._context: mlir.BareContext | None = context
        fields = {
            "context": context.pointer,
            "text": _address(encoded),
            "length": len(encoded),
            "keeps_object": objects.is_supported(),
            "table": _address(table),
            "table_length": len(table),
            "words": ctypes.addressof(self.words),
            "made": count,
            "callees": ctypes.addressof(entries),
            "count": len(names),
            **mlir.compiling_functions(),
        }
        self._request = _words([0] * REQUEST_WORDS)
        for field, value in fields.items():
            self._request[REQUEST[field]] = value
        self._kept: list[object] = [encoded, table, names, entries, callees]
        self._thread: posix_threads.Thread | None = None

    def start(self, serve: int) -> None:
        """Let a thread serve the request; where there are no more threads, this one does.

        No signal may come between: whoever waits for the thread has to know it.

        Args:
            serve: the address of ``shlo_rt_compile``.
        """
        where = ctypes.addressof(self._request)
        self._thread = posix_threads.begin(serve, where)
        if self._thread is None:
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(serve)(where)

    @property
    def is_running(self) -> bool:
        """Whether code is still being generated."""
        return self._request[REQUEST["state"]] == WORKING

    def place(self, number: int) -> Place:
        """Where one of the addresses is written."""
        state = ctypes.addressof(self._request) + 8 * REQUEST["state"]
        return Place(ctypes.addressof(self.words) + 8 * number, state, self)

    def finished(self) -> mlir.ExecutionEngine | None:
        """What owns the code, which is told once; None where MLIR or LLVM does not take the text.

        One thread may ask at a time, and waits for the code. No signal may come between: to join a
        thread twice ends the process.
        """
        if self._thread is not None:
            posix_threads.join(self._thread)
            self._thread = None
        if self._context is None:
            return None
        self._context.give_back()
        self._context = None
        self._kept.clear()
        engine = mlir.ExecutionEngine.of_pointer(self._request[REQUEST["engine"]])
        return engine if self._request[REQUEST["state"]] == DONE else None


def _words(values: list[int]) -> _Words:
    return (ctypes.c_int64 * len(values))(*values)


def _address(data: bytes) -> int:
    """Where bytes lie, for as long as there are these."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
