"""Ending a run whose time is up, whatever code it is in."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_GRACE = 0.3  # seconds that a run has to stop by itself after its time is up


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Let the kernel end this process when the block runs longer, and some grace."""
    if seconds is None:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
