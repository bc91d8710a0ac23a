"""Random programs of tiny tensors against the reference, without a read or write outside."""

from __future__ import annotations

import pytest
from staged_programs import assert_staged
from tiny_programs import FLOATS, INTEGERS, TinyProgram

_TYPES = (*FLOATS, *INTEGERS, "i1", "complex<f32>", "complex<f64>")


@pytest.mark.parametrize("element", _TYPES)
def test_random_programs(element: str) -> None:
    for seed in range(4):
        program = TinyProgram(seed, element, 40)
        assert_staged(program.text(), *program.arrays())
