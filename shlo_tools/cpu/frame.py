"""Call frames on the host's side: their memory, and what is written there for a call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.cpu.memory import aligned_bytes, reserved_bytes
from shlo_tools.cpu.process_library import threads as pool
from shlo_tools.cpu.process_library.callbacks import callback_table

_INDEX = {name: i for i, name in enumerate(layout.FIELDS)}


class Frame:
    """One frame with its arena; used by one call at a time.

    Args:
        arena_bytes: of the arena, at the least.
        grows: the arena has to take any number of bytes.
        has_jobs: the call runs jobs, which want threads and scratch memory.
        threads: how many of them a job may have, the calling one included; None for all.

    Attributes:
        is_claimed: whether somebody stopped its call, and may ask it yet again: it serves no other.
    """

    def __init__(
        self,
        arena_bytes: int,
        weights: int,
        host_calls: Sequence[Callable[[int], None]] = (),
        *,
        grows: bool = False,
        has_jobs: bool = False,
        threads: int | None = None,
    ) -> None:
        self.is_claimed = False
        self.words = (ctypes.c_int64 * len(layout.FIELDS))()
        self.address = ctypes.addressof(self.words)
        self.arena = reserved_bytes(arena_bytes) if grows else aligned_bytes(arena_bytes)
        self.arena_start: int = self.arena.ctypes.data
        words = self.words
        words[_INDEX["version"]] = layout.VERSION
        words[_INDEX["arena_end"]] = self.arena_start + len(self.arena)
        words[_INDEX["callbacks"]] = callback_table()
        words[_INDEX["weights"]] = weights
        if has_jobs:
            words[_INDEX["helpers"]] = pool.helpers(threads)
            if threads != 1:
                words[_INDEX["pool"]] = pool.state()
            self._scratch = aligned_bytes(SCRATCH_BYTES)
            words[_INDEX["scratch"]] = self._scratch.ctypes.data
        calls: Sequence[Any] = host_calls
        self._host_calls = (ctypes.py_object * max(1, len(calls)))(*calls)
        words[_INDEX["host"]] = ctypes.addressof(self._host_calls)

    def reset(self) -> None:
        """Make the frame ready for a call."""
        self.words[_INDEX["status"]] = 0
        self.words[_INDEX["poll"]] = 0
        self.words[_INDEX["arena"]] = self.arena_start

    def ask(self, request: int) -> None:
        """Make the running call poll (``POLL_SIGNALS``) or stop (``POLL_CANCEL``)."""
        self.words[_INDEX["poll"]] = request

    def __getitem__(self, field: str) -> int:
        """The value of a field."""
        return self.words[_INDEX[field]]
