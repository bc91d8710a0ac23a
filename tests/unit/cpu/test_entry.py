"""Entering machine code as a method of Python's."""

from __future__ import annotations

import ctypes
import gc

from shlo_tools.codegen.library import entering
from shlo_tools.cpu.stages import entry


def test_methods_outlive_what_made_them() -> None:
    """Threads that call programs first at the same time make several makers; one is kept."""
    words = (ctypes.c_int64 * len(entering.CALL))()
    words[entering.CALL.index("count")] = 5
    methods = [entry._methods.__wrapped__()(ctypes.addressof(words)) for _ in range(20)]
    gc.collect()
    kept = [bytes(64) for _ in range(1000)]  # where freed memory would be used again
    assert {method((1, 2)) for method in methods} == {entering.REFUSED}
    assert len(kept) == 1000
