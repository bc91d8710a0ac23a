"""Buffers that are in use at the same time never share bytes; others do where that saves any."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shlo_tools.codegen.memory_plan import ALIGNMENT, Lifetime, inside, plan

LIFETIMES = st.builds(
    lambda size, start, length: Lifetime(size, start, start + length),
    st.integers(0, 1000),
    st.integers(0, 20),
    st.integers(0, 8),
)


def is_aligned(lifetime: Lifetime, offset: int) -> bool:
    """Numbers stand side by side, all else at the start of a line of the cache."""
    return offset % (ALIGNMENT if lifetime.size > 16 else 16) == 0


@given(st.lists(LIFETIMES, max_size=24))
def test_no_byte_has_two_users_at_any_time(lifetimes: list[Lifetime]) -> None:
    places = plan(lifetimes)
    for time in range(30):
        owners: set[int] = set()
        for lifetime, offset in zip(lifetimes, places.offsets, strict=True):
            if lifetime.start <= time <= lifetime.end:
                place = set(range(offset, offset + lifetime.size))
                assert not place & owners
                owners |= place
        assert max(owners, default=0) <= max(places.size - 1, 0)


@given(st.lists(LIFETIMES, max_size=24))
def test_places_are_aligned_and_no_larger_than_without_sharing(lifetimes: list[Lifetime]) -> None:
    places = plan(lifetimes)
    apart = sum(-(-lifetime.size // ALIGNMENT) * ALIGNMENT for lifetime in lifetimes)
    for lifetime, offset in zip(lifetimes, places.offsets, strict=True):
        assert is_aligned(lifetime, offset)
    assert places.size <= apart


def test_memory_is_used_again() -> None:
    first, second, third = Lifetime(100, 0, 2), Lifetime(50, 1, 5), Lifetime(100, 3, 4)
    places = plan([first, second, third])
    assert places.offsets == [0, 128, 0]
    assert places.size == 192


def test_a_gap_is_filled() -> None:
    places = plan([Lifetime(64, 0, 1), Lifetime(64, 0, 9), Lifetime(128, 2, 9), Lifetime(32, 3, 4)])
    assert places.offsets == [0, 64, 128, 0]


def test_numbers_stand_side_by_side() -> None:
    places = plan([Lifetime(4, 0, 9), Lifetime(16, 0, 9), Lifetime(17, 0, 9), Lifetime(8, 1, 2)])
    assert places.offsets == [0, 16, 64, 32]


def test_nothing_needs_no_memory() -> None:
    assert plan([]).size == 0


@given(st.lists(LIFETIMES, max_size=24), st.lists(LIFETIMES, max_size=6))
def test_blocks_are_used_before_they_are_needed(
    lifetimes: list[Lifetime], blocks: list[Lifetime]
) -> None:
    places = inside(lifetimes, blocks)
    owners: dict[tuple[int, int, int], int] = {}
    for number, (block, offset) in places.items():
        lifetime = lifetimes[number]
        assert lifetime.end < blocks[block].start
        assert is_aligned(lifetime, offset)
        assert offset + lifetime.size <= blocks[block].size
        for time in range(lifetime.start, lifetime.end + 1):
            for byte in range(offset, offset + lifetime.size):
                assert owners.setdefault((block, time, byte), number) == number


def test_what_fits_nowhere_has_no_place() -> None:
    blocks = [Lifetime(100, 6, 9), Lifetime(64, 6, 9)]
    lifetimes = [Lifetime(64, 0, 3), Lifetime(64, 2, 5), Lifetime(101, 1, 2), Lifetime(1, 0, 6)]
    assert inside(lifetimes, blocks) == {0: (1, 0), 1: (0, 0)}
