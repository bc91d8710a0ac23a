"""Values that share memory in loops and branches, against the reference, in random programs."""

from __future__ import annotations

import numpy as np
import pytest
from loop_programs import SIZE, LoopProgram

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.executable import StagedExecutable


@pytest.mark.parametrize("seed", range(30))
def test_random_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = LoopProgram(rng, 2).text()
    executable = compile(text)
    assert isinstance(executable, StagedExecutable), text
    x, y = (rng.integers(-9, 10, SIZE).astype(np.float32) for _ in range(2))
    originals = x.copy(), y.copy()
    for number in (0, 1, 2, 5):
        results = executable(x, y, np.int32(number))
        expected = interpret(text, x, y, np.int32(number))
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target, err_msg=text)
        np.testing.assert_array_equal((x, y), originals)
