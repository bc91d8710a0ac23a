"""Places for buffers in one block of memory, from when each of them is in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ALIGNMENT = 64  # bytes that every place is a multiple of


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
    active: list[int] = []
    size = 0
    for number in sorted(range(len(lifetimes)), key=lambda n: lifetimes[n].start):
        lifetime = lifetimes[number]
        active = [other for other in active if lifetimes[other].end >= lifetime.start]
        at = 0
        for other in sorted(active, key=lambda n: offsets[n]):
            if at + lifetime.size <= offsets[other]:
                break
            at = max(at, aligned(offsets[other] + lifetimes[other].size))
        offsets[number] = at
        active.append(number)
        size = max(size, aligned(at + lifetime.size))
    return MemoryPlan(offsets, size)


def aligned(size: int) -> int:
    """The next multiple of ``ALIGNMENT``."""
    return -(-size // ALIGNMENT) * ALIGNMENT
