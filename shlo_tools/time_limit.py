"""How much time the call that runs in this thread has left, for what is Python in it.

Compiled code polls its frame. The reference, and what runs long on the host's side of a compiled
call, ask here between pieces of their work; one call of a library is not interrupted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from shlo_tools.errors import ExecutionTimeout


class Lock(Protocol):
    """One of ``threading``."""

    def acquire(self, *, timeout: float) -> bool: ...


class _Deadline(threading.local):
    """When the call has to end; on the clock of ``time.monotonic``."""

    at: float | None = None


_deadline = _Deadline()


@contextmanager
def limited(timeout: float | None) -> Iterator[float | None]:
    """The seconds that a call has: no more than are left to the one that it is made in."""
    outer = _deadline.at
    if timeout is None and outer is None:
        yield None
        return
    now = time.monotonic()
    ends = [now + timeout] if timeout is not None else []
    _deadline.at = min([outer, *ends]) if outer is not None else ends[0]
    try:
        yield timeout if _deadline.at != outer else round(max(0.0, _deadline.at - now), 3)
    finally:
        _deadline.at = outer


def is_limited() -> bool:
    """Whether this thread is in a call that has to end some time."""
    return _deadline.at is not None


def left() -> float | None:
    """The seconds that the call in this thread has left, if it has to end some time."""
    return None if _deadline.at is None else max(1e-3, _deadline.at - time.monotonic())


def acquire(lock: Lock) -> None:
    """Wait for a lock no longer than the call in this thread may take.

    Raises:
        ExecutionTimeout: the time is up.
    """
    seconds = left()
    while not lock.acquire(timeout=-1 if seconds is None else min(seconds, threading.TIMEOUT_MAX)):
        check()


def check() -> None:
    """Raise ExecutionTimeout if the time is up."""
    if _deadline.at is not None and time.monotonic() > _deadline.at:
        raise ExecutionTimeout("stopped: the time is up")
