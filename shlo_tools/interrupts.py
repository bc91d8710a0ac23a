"""Signals that wait while something is done that must not be cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def deferred() -> Iterator[None]:
    """Handle what arrives within the block behind it; only main threads are interrupted at all."""
    late: list[int] = []
    handlers = _handlers()
    try:
        for number in handlers:
            signal.signal(number, lambda number, _: late.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for arrived in late:
        signal.raise_signal(arrived)


def _handlers() -> dict[signal.Signals, Any]:
    """Functions that handle signals here; what is ignored stays so, for children as well."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    return {number: handler for number, handler in handlers.items() if callable(handler)}
