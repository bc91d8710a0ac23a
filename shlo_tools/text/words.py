"""Words that a text may have, looked for at the speed of memory.

In a long text ``bytes.find`` takes about as long for one word as all of this for as many as are
asked for: each has a character that few bytes of a program are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

_RARE = b"./#"
_LONGEST = 32  # characters
_SHORT = 1 << 15  # bytes of a text that ``bytes.find`` goes through in microseconds


class Words:
    """The words of a text that have a point, a slash or ``#``.

    Args:
        source: the text.
    """

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._places: Callable[[int], Any] = cache(self._all)

    def __contains__(self, word: bytes) -> bool:
        if len(self.source) < _SHORT:
            return word in self.source
        rare = next(place for place, byte in enumerate(word) if byte in _RARE)
        starts = self._places(word[rare]) - rare
        # What is next to a point is the same in most words.
        farthest = sorted(range(len(word)), key=lambda place: -abs(place - rare))
        for place in farthest[:-1]:
            starts = starts[self._bytes[starts + place] == word[place]]
            if not len(starts):
                return False
        return bool(len(starts))

    @cached_property
    def _bytes(self) -> Any:
        around = bytes(_LONGEST)
        return np.frombuffer(around + self.source + around, np.uint8)

    def _all(self, byte: int) -> Any:
        """Where a byte stands."""
        return np.flatnonzero(self._bytes == byte)
