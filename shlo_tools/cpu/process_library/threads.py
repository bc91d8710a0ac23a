"""The threads of the process library's pool: started when the first program needs them.

They are joined before the process ends, since they may be inside compiled code; a forked child has
none of them and starts its own when it needs to. ``SHLO_NUM_THREADS`` says how many threads
compute, the calling one included; an executable may be kept to fewer.
"""

from __future__ import annotations

import atexit
import ctypes
import operator
import os
import threading
from typing import Any

import numpy as np

from shlo_tools import processors
from shlo_tools.codegen.library import pool as layout
from shlo_tools.cpu import posix_threads
from shlo_tools.cpu.memory import aligned_bytes
from shlo_tools.cpu.process_library import parts
from shlo_tools.errors import ShloError

_VARIABLE = "SHLO_NUM_THREADS"
_lock = threading.Lock()

ALL = 1 << 31  # helpers of a call that may have as many as there are


class Pool:
    """The state that threads share, and the threads."""

    def __init__(self, workers: int) -> None:
        self.state = aligned_bytes(8 * layout.STATE_WORDS).view(np.int64)
        self.state[:] = 0
        parts.keep(self.state)
        self.address: int = self.state.ctypes.data
        self._threads: list[posix_threads.Thread] = []
        self._kept: list[object] = []
        for _ in range(workers):
            self._start()
        self.state[layout.STATE["workers"]] = len(self._threads)

    def _start(self) -> None:
        scratch = aligned_bytes(layout.SCRATCH_BYTES)
        number = len(self._threads) + 1
        table = (ctypes.c_int64 * 3)(self.address, scratch.ctypes.data, number)
        thread = posix_threads.begin(parts.address(layout.WORKER), ctypes.addressof(table))
        if thread is not None:
            self._threads.append(thread)
            self._kept += [scratch, table]

    def stop(self) -> None:
        """End the threads; what runs is finished first."""
        self.state[layout.STATE["stop"]] = 1
        wake = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(parts.address(layout.WAKE))
        wake(self.address)
        for thread in self._threads:
            posix_threads.join(thread)
        self._threads.clear()

    def leave_behind(self) -> None:
        """In a forked child: nobody is inside, sleeps, or holds the mutex; no job finds workers."""
        state, words = self.state, layout.STATE
        state[words["lost"]] = state[words["busy"]]
        for name in ("workers", "active", "asleep"):
            state[words[name]] = 0
        state[words["mutex"] : words["share"]] = 0


_pool: Pool | None = None


def state() -> int:
    """The address of the pool's state."""
    global _pool
    if _pool is None:
        with _lock:
            if _pool is None:
                _pool = Pool(thread_count() - 1)
    return _pool.address


def thread_count() -> int:
    """How many threads compute.

    Raises:
        ShloError: ``SHLO_NUM_THREADS`` is no positive number.
    """
    return processors.thread_count(_VARIABLE)


def limit_of(threads: Any) -> int | None:
    """How many threads a call may use, as a caller says it; None where nothing is said.

    Raises:
        ShloError: it is no whole number, or less than one.
    """
    if threads is None:
        return None
    try:
        count = None if isinstance(threads, bool | np.bool_) else operator.index(threads)
    except TypeError:
        count = None
    if count is None or count < 1:
        raise ShloError(
            f"threads={threads!r} is no number of threads",
            hint="1 is the calling thread alone; without a number all threads of the pool compute",
        )
    return count


def helpers(limit: int | None) -> int:
    """How many threads of the pool may help a calling thread."""
    return ALL if limit is None else min(limit - 1, ALL)


def _stop() -> None:
    if _pool is not None:
        _pool.stop()


def _after_fork() -> None:
    """The threads are not in a forked child, and the state may be that of a job half done."""
    global _pool, _lock
    if _pool is not None:
        _pool.leave_behind()
    _pool, _lock = None, threading.Lock()


atexit.register(_stop)
os.register_at_fork(after_in_child=_after_fork)
