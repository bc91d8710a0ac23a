"""Processes in groups of their own, which are gone when whoever started them is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shlo_tools import interrupts


@contextmanager
def group_of(command: str | Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a group; if it has not ended behind the block, the group is killed.

    Signals that arrive while it starts are handled as soon as it is known: an exception in between
    would leave a process that nobody ends.

    Args:
        options: as ``subprocess.Popen`` takes them.
    """
    process = None
    try:
        with interrupts.deferred():
            process = subprocess.Popen(command, start_new_session=True, **options)
        yield process
    finally:
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
