"""Threads that run compiled code alone: Python knows nothing of them, nor they of its lock.

They have to be joined before the process ends.
"""

from __future__ import annotations

import ctypes

from shlo_tools.cpu import symbols

Thread = ctypes.c_ulong


def begin(function: int, argument: int) -> Thread | None:
    """A thread that calls the function at an address; None where there are no more threads."""
    thread = Thread()
    operands = None, ctypes.c_void_p(function), ctypes.c_void_p(argument)
    failed = symbols.process().pthread_create(ctypes.byref(thread), *operands)
    return None if failed else thread


def join(thread: Thread) -> None:
    """Wait until a thread has ended. Other Python threads run meanwhile."""
    symbols.process().pthread_join(thread, None)
