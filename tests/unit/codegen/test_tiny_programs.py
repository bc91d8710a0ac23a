"""Random programs of tiny tensors against the reference, without a read or write outside."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from tiny_programs import FLOATS, INTEGERS, TinyProgram

from shlo_tools import compile

_TYPES = (*FLOATS, *INTEGERS, "i1", "complex<f32>", "complex<f64>")


@pytest.mark.parametrize("element", _TYPES)
def test_random_programs(element: str) -> None:
    for seed in range(4):
        program = TinyProgram(seed, element, 40)
        assert_staged(program.text(), *program.arrays())


def test_a_branch_without_results_in_a_tiny_loop() -> None:
    text = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%i = %n) : tensor<i32>
      cond {
        %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %q = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.if"(%q) ({
          stablehlo.return
        }, {
          stablehlo.return
        }) : (tensor<i1>) -> ()
        %1 = stablehlo.subtract %i, %one : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }
      return %0 : tensor<i32>
    }"""
    assert compile(text)(np.int32(5)) == 0
