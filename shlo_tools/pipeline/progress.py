"""How far long work is, for whoever watches: work that comes in parts tells its listener of each.

with watched_by(lambda done, total, what: ...):  # 3, 120, "stages"
    compile(...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Part = TypeVar("Part", covariant=True)
Listener = Callable[[int, int, str], None]  # parts that are done, of all; what they are

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class _Parts(Sized, Iterable[Part], Protocol[Part]):
    """A list, a view of a dictionary, and the like."""


@contextmanager
def watched_by(listener: Listener) -> Iterator[None]:
    """Have a listener told within the block, by what runs in its thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def counted(parts: _Parts[Part], what: str) -> Iterator[Part]:
    """The same parts, each of which is told of before it is worked on."""
    listener, total = _listener.get(), len(parts)
    for done, part in enumerate(parts):
        if listener is not None:
            listener(done, total, what)
        yield part
    if listener is not None and total:
        listener(total, total, what)
