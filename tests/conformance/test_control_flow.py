"""``case``, ``if``, and random programs of branches and loops."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionError

I4 = "tensor<4xi32>"


# --- case -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("branches", [1, 2, 5])
def test_case(branches: int) -> None:
    """An index out of range, a negative one too, takes the last branch; values are captured."""
    bodies = ", ".join(
        f"""{{
          %c{i} = stablehlo.constant dense<{i}> : {I4}
          %s{i} = stablehlo.add %a, %c{i} : {I4}
          stablehlo.return %s{i}, %a : {I4}, {I4}
        }}"""
        for i in range(branches)
    )
    executable = shlo_tools.compile(f"""
      func.func @main(%index: tensor<i32>, %a: {I4}) -> ({I4}, {I4}) {{
        %0:2 = "stablehlo.case"(%index) ({bodies}) : (tensor<i32>) -> ({I4}, {I4})
        return %0#0, %0#1 : {I4}, {I4}
      }}""")
    a = np.arange(4, dtype=np.int32)
    for index in (-(2**31), -1, *range(branches), branches, 2**31 - 1):
        branch = index if 0 <= index < branches else branches - 1
        one, two = executable(np.int32(index), a)
        np.testing.assert_array_equal(one, a + branch)
        np.testing.assert_array_equal(two, a)


def test_only_the_branch_taken_runs() -> None:
    """An endless loop in the other branch is not entered, nor a failing check met."""
    executable = shlo_tools.compile("""
      func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
        %0 = "stablehlo.if"(%p) ({
          %no = arith.constant false
          cf.assert %no, "the wrong branch"
          %true = stablehlo.constant dense<true> : tensor<i1>
          %1 = "stablehlo.while"(%a) ({
          ^bb0(%x: tensor<f32>):
            stablehlo.return %true : tensor<i1>
          }, {
          ^bb0(%x: tensor<f32>):
            stablehlo.return %x : tensor<f32>
          }) : (tensor<f32>) -> tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }, {
          %2 = stablehlo.negate %a : tensor<f32>
          stablehlo.return %2 : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        return %0 : tensor<f32>
      }""")
    assert executable(False, 3.0) == -3.0
    with pytest.raises(ExecutionError, match="the wrong branch"):
        executable(True, 3.0)
    assert executable(False, 4.0) == -4.0
