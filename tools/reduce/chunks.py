"""Delta debugging of lists: as few items as will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def fewest(items: Sequence[T], shows: Callable[[Sequence[T]], bool]) -> list[T]:
    """Leave items out, many at once and then fewer, as long as the rest ``shows`` it still."""
    kept = list(items)
    size = len(kept)
    while size:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size :]
            if shows(rest):
                kept = rest
            else:
                start += size
        size //= 2
    return kept
