"""What an executable makes of its constants before its first call, see ``once``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident

from shlo_tools import time_limit
from shlo_tools.cpu import memory
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.stages.alternating import placed
from shlo_tools.cpu.stages.entry import Entry
from shlo_tools.cpu.stages.once import Once
from shlo_tools.cpu.stages.table import Planned
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.dtypes import Array
from shlo_tools.time_limit import limited


class Preparation:
    """Runs a first program once, however many threads want what it makes.

    Args:
        addresses, constants: as of ``Planned``.
        frame: makes a frame for its call.

    Attributes:
        arrays: what it makes; they take memory when they are written.
        left_out: as of ``Once``.
    """

    def __init__(
        self,
        once: Once,
        addresses: Mapping[str, int],
        constants: Sequence[Array],
        frame: Callable[[], Frame],
    ) -> None:
        self.left_out = once.left_out
        self.arrays = [memory.aligned_empty(type) for type in once.kept]
        self._types, self._frame = once.kept, frame
        self._planned = Planned(*placed(once.first), addresses, constants)
        self._is_done = False
        self.forget_threads()

    def forget_threads(self) -> None:
        """None of those that are at it is in a forked child."""
        self._lock = threading.RLock()
        self._runs_in = 0

    def ensure(self) -> None:
        """Return when it is done; where it fails, the next call begins again.

        Raises:
            ExecutionTimeout: the time of this thread's call is up.
        """
        if self._is_done:
            return
        lock = self._lock
        time_limit.acquire(lock)
        try:
            if not self._is_done:
                self._run()
        finally:
            lock.release()

    def _run(self) -> None:
        # A signal's handler may call the program in the thread that is at it. It needs what is
        # kept at once; others must not see that before the interrupted run has ended, too.
        is_nested = self._runs_in == get_ident()
        self._runs_in = get_ident()
        try:
            frame = self._frame()
            entry = Entry(self._planned, (), self._types, frame)
            entry.write_to(self.arrays)
            with limited(None) as limit, watched(frame, limit):
                entry.unchecked(())
            raise_for_status(frame, (), limit)
            self._is_done = not is_nested
        finally:
            self._runs_in = get_ident() if is_nested else 0
