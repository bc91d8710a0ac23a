"""Buffers that are in use at the same time never share bytes; others do where that saves any."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shlo_tools.codegen.memory_plan import ALIGNMENT, Lifetime, plan

LIFETIMES = st.builds(
    lambda size, start, length: Lifetime(size, start, start + length),
    st.integers(0, 1000),
    st.integers(0, 20),
    st.integers(0, 8),
)


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
    assert all(offset % ALIGNMENT == 0 for offset in places.offsets)
    assert places.size <= apart


def test_memory_is_used_again() -> None:
    first, second, third = Lifetime(100, 0, 2), Lifetime(50, 1, 5), Lifetime(100, 3, 4)
    places = plan([first, second, third])
    assert places.offsets == [0, 128, 0]
    assert places.size == 192


def test_a_gap_is_filled() -> None:
    places = plan([Lifetime(64, 0, 1), Lifetime(64, 0, 9), Lifetime(128, 2, 9), Lifetime(32, 3, 4)])
    assert places.offsets == [0, 64, 128, 0]


def test_nothing_needs_no_memory() -> None:
    assert plan([]).size == 0
