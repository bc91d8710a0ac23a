"""What this process may run on, and how many threads of it do what."""

from __future__ import annotations

import os

from shlo_tools.errors import ShloError


def processor_count() -> int:
    """How many processors this process, and its children, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(variable: str) -> int:
    """How many threads a variable of the environment asks for; one a processor where it is not set.

    Args:
        variable: ``SHLO_NUM_THREADS`` for those that compute, ``SHLO_COMPILE_THREADS`` for those
            that compile: one lowers a program, the others generate machine code meanwhile.

    Raises:
        ShloError: it is no positive number.
    """
    text = os.environ.get(variable)
    if not text:
        return processor_count()
    if not text.isdecimal() or int(text) < 1:
        raise ShloError(f"{variable}={text} is no number of threads")
    return int(text)
