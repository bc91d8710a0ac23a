"""Convolutions of every form behind guard pages: random ones against the reference."""

from __future__ import annotations

import pytest
from convolution_programs import ELEMENTS, ConvolutionProgram
from staged_programs import assert_staged

_SEEDS = 20


@pytest.mark.parametrize("first", range(0, 60, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_convolutions(element: str, first: int) -> None:
    for seed in range(first, first + _SEEDS):
        program = ConvolutionProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
