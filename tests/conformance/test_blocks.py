"""Functions of several blocks run natively; the reference does not jump, so numpy is the oracle."""

import numpy as np
import pytest

import shlo_tools

SIZES = ("3", "?")


def _loop(size: str) -> str:
    """w + n * x, rotated once per round: no round can be done in place."""
    v = f"tensor<{size}xf32>"
    return f"""func.func @main(%x: {v}, %w: {v}, %n: tensor<i32>) -> {v} {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      cf.br ^bb1(%w, %zero : {v}, tensor<i32>)
    ^bb1(%a: {v}, %i: tensor<i32>):
      %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %more = tensor.extract %less[] : tensor<i1>
      cf.cond_br %more, ^bb2, ^bb3
    ^bb2:
      %turned = stablehlo.reverse %a, dims = [0] : {v}
      %s = stablehlo.add %x, %turned : {v}
      %next = stablehlo.add %i, %one : tensor<i32>
      cf.br ^bb1(%s, %next : {v}, tensor<i32>)
    ^bb3:
      return %a : {v}
    }}"""


@pytest.mark.parametrize("size", SIZES)
def test_a_loop_of_blocks(size: str) -> None:
    executable = shlo_tools.compile(_loop(size))
    x, w = np.array([1, 2, 4], np.float32), np.array([10, 20, 30], np.float32)
    for rounds in (0, 1, 2, 5, 1000):
        expected = w
        for _ in range(rounds):
            expected = x + expected[::-1]
        np.testing.assert_array_equal(executable(x, w, np.int32(rounds)), expected)


@pytest.mark.parametrize("size", SIZES)
def test_a_function_that_returns_in_two_places(size: str) -> None:
    v = f"tensor<{size}xf32>"
    executable = shlo_tools.compile(f"""func.func @main(%x: {v}, %p: tensor<i1>) -> {v} {{
      %first = tensor.extract %p[] : tensor<i1>
      %d = stablehlo.add %x, %x : {v}
      cf.cond_br %first, ^bb1, ^bb2(%d : {v})
    ^bb1:
      %y = stablehlo.reverse %d, dims = [0] : {v}
      return %y : {v}
    ^bb2(%z: {v}):
      %n = stablehlo.negate %z : {v}
      return %n : {v}
    }}""")
    x = np.array([1, 2, 4], np.float32)
    np.testing.assert_array_equal(executable(x, np.True_), 2 * x[::-1])
    np.testing.assert_array_equal(executable(x, np.False_), -2 * x)
