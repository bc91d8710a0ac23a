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


@pytest.mark.parametrize("seed", range(30, 50))
def test_random_loops_of_donated_arguments(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = LoopProgram(rng, 2).text()
    executable = compile(text, donate=[0, 1])
    x, y = (rng.integers(-9, 10, SIZE).astype(np.float32) for _ in range(2))
    for number in (0, 1, 2, 5):
        results = executable(x.copy(), y.copy(), np.int32(number))
        expected = interpret(text, x, y, np.int32(number))
        for place, (result, target) in enumerate(zip(results, expected, strict=True)):
            np.testing.assert_array_equal(result, target, err_msg=text)
            assert not any(np.may_share_memory(result, other) for other in results[:place])


def test_values_without_elements_stay_outside_of_branches() -> None:
    text = """
    func.func @main(%x: tensor<0x1xf32>) -> tensor<0x1xf32> {
      %0 = stablehlo.divide %x, %x : tensor<0x1xf32>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %1:2 = "stablehlo.if"(%c) ({
        stablehlo.return %0, %x : tensor<0x1xf32>, tensor<0x1xf32>
      }, {
        stablehlo.return %0, %0 : tensor<0x1xf32>, tensor<0x1xf32>
      }) : (tensor<i1>) -> (tensor<0x1xf32>, tensor<0x1xf32>)
      return %1#0 : tensor<0x1xf32>
    }"""
    assert compile(text)(np.ones((0, 1), np.float32)).shape == (0, 1)
