"""A table of jobs that is run with a clock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from shlo_tools.codegen.jobs import ENTRY_POINT
from shlo_tools.codegen.library import jobs as layout
from shlo_tools.codegen.library import profiling
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages.entry import Entry
from shlo_tools.dtypes import Array

_EVENTS = 200_000  # of eight megabytes


class Recorder:
    """Has the calls of an entry measured, and blocks that would run at once run in turn.

    Attributes:
        totals: for each row of the entry's table, how often it ran, and nanoseconds.
    """

    def __init__(self, entry: Entry) -> None:
        self._entry, table = entry, entry.table
        self.totals = np.zeros((len(table.rows), 2), np.int64)
        self._log = np.zeros(0, np.int64)
        self._rows = table.copied()
        for number in table.together:  # the blocks follow, behind the row that skips them
            self._rows[number] = [layout.ALWAYS, 0, number + 2, *layout.NOTHING_MEASURED]
        self._table = _words([word for row in self._rows for word in row])
        own = [ctypes.addressof(self._table), len(table.rows), self.totals.ctypes.data, 0]
        self._plain = _words(own)
        self._timed: list[ctypes.Array[ctypes.c_int64]] = []
        self._row = _words(
            [parts.address(profiling.PROFILE), 0, ENTRY_POINT, *layout.NOTHING_MEASURED]
        )
        self.measure()

    def measure(self) -> None:
        """Have the next calls add to ``totals``."""
        self._run(self._plain)

    def trace(self) -> None:
        """Have the next call write events."""
        table, size = self._entry.table, len(profiling.EVENT)
        self._log = np.zeros(profiling.LOG_WORDS + size * _EVENTS, np.int64)
        self._log[1] = _EVENTS
        log = self._log.ctypes.data
        rows = list(self._rows)
        contexts = _words([0] * (len(profiling.TIMED_CONTEXT) * len(table.rows)))
        step = 8 * len(profiling.TIMED_CONTEXT)
        for number, (function, context, chunks, *measured) in enumerate(rows):
            if function < layout.KINDS or chunks == ENTRY_POINT:
                continue
            first = number * len(profiling.TIMED_CONTEXT)
            contexts[first : first + 4] = [function, context, number, log]
            timed = parts.address(profiling.TIMED)
            rows[number] = [timed, ctypes.addressof(contexts) + step * number, chunks, *measured]
        flat = _words([word for row in rows for word in row])
        own = [ctypes.addressof(flat), len(table.rows), self.totals.ctypes.data, log]
        self._timed = [contexts, flat, _words(own)]
        self._run(self._timed[-1])

    def events(self) -> tuple[Array, int]:
        """Rows of ``profiling.EVENT``, and how many there was no room for."""
        count, capacity = map(int, self._log[: profiling.LOG_WORDS])
        size = len(profiling.EVENT)
        kept = min(count, capacity)
        events = self._log[profiling.LOG_WORDS :].reshape(-1, size)[:kept]
        return events, count - kept

    def _run(self, context: ctypes.Array[ctypes.c_int64]) -> None:
        self._row[1] = ctypes.addressof(context)
        self._entry.redirect(ctypes.addressof(self._row), 1)


def _words(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(1, len(values)))(*values)
