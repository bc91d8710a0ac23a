"""Waiting for another thread: looking for a while, then asleep.

Who sleeps takes tens of microseconds to wake up, and what processes of a grid wait for is often
there sooner. Looking gives the interpreter's lock and the core away each time, so those that
compute are not held up.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from typing import Any

Inbox = queue.SimpleQueue  # what a thread waits at, and others put something into
_LOOKS = 60  # about as long as waking up takes

_give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


def next_of(inbox: queue.SimpleQueue[Any], timeout: float | None = None) -> Any:
    """What is put into an inbox next.

    Raises:
        queue.Empty: nothing is, within so many seconds.
    """
    for _ in range(_LOOKS):
        if not inbox.empty():
            break
        _give_way()
    return inbox.get(timeout=timeout)
