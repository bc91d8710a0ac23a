"""Processes in groups of their own, which are gone when whoever started them is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def group_of(command: str | Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a group; if it has not ended behind the block, the group is killed.

    Signals that arrive while it starts are handled as soon as it is known: an exception in between
    would leave a process that nobody ends.

    Args:
        options: as ``subprocess.Popen`` takes them.
    """
    late: list[int] = []
    handlers = _handlers()
    for number in handlers:
        signal.signal(number, lambda number, _: late.append(number))
    process = None
    try:
        try:
            process = subprocess.Popen(command, start_new_session=True, **options)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        for arrived in late:
            signal.raise_signal(arrived)
        yield process
    finally:
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _handlers() -> dict[signal.Signals, Any]:
    """Functions that handle signals here; what is ignored has to stay so in the child."""
    if threading.current_thread() is not threading.main_thread():  # others are not interrupted
        return {}
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    return {number: handler for number, handler in handlers.items() if callable(handler)}
