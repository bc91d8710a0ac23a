"""How many chunks a job has, where there are few: two threads get as many of them each."""

from __future__ import annotations

import itertools

import pytest

from shlo_tools.codegen.jobs import even_part


@pytest.mark.parametrize(
    ("count", "part", "unit", "times", "expected"),
    [
        (784, 64, 8, 1, 56),  # 14 chunks, not 13
        (576, 64, 8, 1, 48),  # 12, as 10 chunks would be of 64 rows, which are 9
        (784, 64, 8, 2, 64),  # 26 in all
        (512, 64, 8, 1, 64),
        (60, 64, 8, 1, 64),  # one chunk
        (0, 64, 8, 1, 64),
        (196, 32, 8, 1, 32),  # no multiple of 8 leaves an even number of chunks
        (100, 1, 1, 1, 1),
        (99, 1, 1, 1, 1),  # many chunks
        (3, 1, 1, 1, 1),  # of one row each
    ],
)
def test_examples(count: int, part: int, unit: int, times: int, expected: int) -> None:
    assert even_part(count, part, unit, times) == expected


def test_parts_are_no_longer_and_of_whole_units() -> None:
    for count, units, unit, times in itertools.product(
        range(1, 200, 7), range(1, 9), (1, 8), (1, 3)
    ):
        part = units * unit
        size = even_part(count, part, unit, times)
        chunks = -(-count // size) * times
        assert 0 < size <= part
        assert size % unit == 0
        assert size == part or chunks % 2 == 0 or chunks >= 32
