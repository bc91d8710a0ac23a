"""Waiting for another thread: looking a few times, then asleep.

What processes of a grid wait for is often there as soon as another one has had the interpreter's
lock for a moment. More looks cost more than they save: who looks takes that lock from those who
bring about what it waits for.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from typing import Any

Inbox = queue.SimpleQueue  # what a thread waits at, and others put something into
_LOOKS = 5

give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


def next_of(inbox: queue.SimpleQueue[Any], timeout: float | None = None) -> Any:
    """What is put into an inbox next.

    Raises:
        queue.Empty: nothing is, within so many seconds.
    """
    for _ in range(_LOOKS):
        if not inbox.empty():
            break
        give_way()
    return inbox.get(timeout=timeout)
