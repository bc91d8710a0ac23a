"""What this process may run on."""

from __future__ import annotations

import os


def processor_count() -> int:
    """How many processors this process, and its children, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
