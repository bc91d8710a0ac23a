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
        self._active: list[tuple[int, int]] = []  # offset, number; sorted

    def lowest(self, number: int) -> int:
        """The lowest place that none in use at the same time covers."""
        lifetime = self._lifetimes[number]
        self._active = [
            pair for pair in self._active if self._lifetimes[pair[1]].end >= lifetime.start
        ]
        at = 0
        for offset, other in self._active:
            if at + lifetime.size <= offset:
                break
            end = offset + self._lifetimes[other].size
            at = max(at, _next(end, ALIGNMENT if lifetime.size > _LEAST else _LEAST))
        return at

    def put(self, number: int, offset: int) -> None:
        insort(self._active, (offset, number))


def aligned(size: int) -> int:
    """The next multiple of ``ALIGNMENT``."""
    return _next(size, ALIGNMENT)


def _next(size: int, step: int) -> int:
    return -(-size // step) * step
