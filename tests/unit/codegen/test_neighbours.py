"""Products and sums with what moves elements beside them: random programs against the reference."""

from __future__ import annotations

import pytest
from exact_programs import ELEMENTS
from neighbour_programs import NeighbourProgram
from staged_programs import assert_staged

_SEEDS = 20


@pytest.mark.parametrize("first", range(210, 290, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_neighbours(element: str, first: int) -> None:
    for seed in range(first, first + _SEEDS):
        program = NeighbourProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
