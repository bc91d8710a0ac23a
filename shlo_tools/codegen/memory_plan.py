"""Places for buffers in one block of memory, from when each of them is in use."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ALIGNMENT = 64  # bytes that places are multiples of, but for those of a few bytes
_LEAST = 16  # what those are multiples of: the largest number of all element types
_TRIES = 8  # blocks that are looked at for a lifetime


@dataclass(frozen=True)
class Lifetime:
    """``size`` bytes that are in use from ``start`` to ``end``, both included."""

    size: int
    start: int
    end: int


@dataclass(frozen=True)
class MemoryPlan:
    """A place for each lifetime, in their order, and the size of the block that holds them."""

    offsets: list[int]
    size: int


def plan(lifetimes: Sequence[Lifetime]) -> MemoryPlan:
    """Give each the lowest place that none in use at the same time covers, in order of starts."""
    offsets = [0] * len(lifetimes)
    block = _Block(lifetimes)
    size = 0
    for number in _by_starts(lifetimes):
        offsets[number] = block.lowest(number)
        block.put(number, offsets[number])
        size = max(size, aligned(offsets[number] + lifetimes[number].size))
    return MemoryPlan(offsets, size)


def inside(
    lifetimes: Sequence[Lifetime], blocks: Sequence[Lifetime]
) -> Mapping[int, tuple[int, int]]:
    """Places in blocks that are in use for something else later.

    Returns:
        For the lifetimes that end before a block's starts, and that it has room for beside others,
        the block and the offset there, by their numbers.
    """
    free = sorted(range(len(blocks)), key=lambda n: blocks[n].size)
    contents = [_Block(lifetimes) for _ in blocks]
    places: dict[int, tuple[int, int]] = {}
    for number in _by_starts(lifetimes) if blocks else ():
        lifetime = lifetimes[number]
        first = bisect_left(free, lifetime.size, key=lambda n: blocks[n].size)
        late = [n for n in free[first : first + _TRIES] if blocks[n].start <= lifetime.start]
        for block in late:  # they are of no use to those that start later, either
            free.remove(block)
        for block in free[first : first + _TRIES]:
            if blocks[block].start <= lifetime.end:
                continue
            at = contents[block].lowest(number)
            if at + lifetime.size <= blocks[block].size:
                contents[block].put(number, at)
                places[number] = block, at
                break
    return places


def _by_starts(lifetimes: Sequence[Lifetime]) -> list[int]:
    return sorted(range(len(lifetimes)), key=lambda n: lifetimes[n].start)


class _Block:
    """Memory that lifetimes are put into, in order of their starts."""

    def __init__(self, lifetimes: Sequence[Lifetime]) -> None:
        self._lifetimes = lifetimes
        self._active: list[tuple[int, int, int]] = []  # offset, end, number; sorted
        self._first_end = 0  # when one of them, at the earliest, is in use no more

    def lowest(self, number: int) -> int:
        """The lowest place that none in use at the same time covers."""
        lifetime = self._lifetimes[number]
        if self._first_end < lifetime.start:
            ends = self._lifetimes
            self._active = [own for own in self._active if ends[own[2]].end >= lifetime.start]
            self._first_end = min((ends[own[2]].end for own in self._active), default=0)
        at, size, step = 0, lifetime.size, ALIGNMENT if lifetime.size > _LEAST else _LEAST
        for offset, end, _ in self._active:
            if at + size <= offset:
                break
            if end > at:
                at = _next(end, step)
        return at

    def put(self, number: int, offset: int) -> None:
        lifetime = self._lifetimes[number]
        ends = (self._first_end, lifetime.end) if self._active else (lifetime.end,)
        self._first_end = min(ends)
        insort(self._active, (offset, offset + lifetime.size, number))


def aligned(size: int) -> int:
    """The next multiple of ``ALIGNMENT``."""
    return _next(size, ALIGNMENT)


def _next(size: int, step: int) -> int:
    return -(-size // step) * step
