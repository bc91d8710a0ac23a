"""Python's search for reference cycles, and when it pauses."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_pauses = 0  # of blocks that will end the pause


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the search for reference cycles.

    Among many live objects it costs a tenth to a fifth of what makes many objects; these live until
    the end anyhow.
    """
    global _pauses
    was_enabled = gc.isenabled()
    gc.disable()
    _pauses += was_enabled
    try:
        yield
    finally:
        _pauses -= was_enabled
        if was_enabled:
            gc.enable()


def collect_new() -> None:
    """Search what was made during a pause now, as other threads compute, and not at its end."""
    if _pauses:
        gc.collect(0)
