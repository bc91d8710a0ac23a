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


def test_shuffled_bytes_times_a_constant() -> None:
    """LLVM looped for ever where it multiplies bytes."""
    text = """func.func @main(%x: tensor<4x4xi8>) -> (tensor<4x4x4xi8>, tensor<4xi8>) {
      %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<4x4xi8>) -> tensor<4x4x4xi8>
      %c = stablehlo.constant dense<-3> : tensor<i8>
      %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.multiply across dimensions = []
        : (tensor<4x4x4xi8>, tensor<i8>) -> tensor<4x4x4xi8>
      %zero = stablehlo.constant dense<0> : tensor<i8>
      %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4x4xi8>, tensor<i8>) -> tensor<4xi8>
      return %1, %2 : tensor<4x4x4xi8>, tensor<4xi8>
    }"""
    x = np.arange(-100, 92, 12, dtype=np.int8).reshape(4, 4)
    product, total = compile(text)(x)
    expected = np.int8(-3) * np.broadcast_to(x[:, None], (4, 4, 4))
    np.testing.assert_array_equal(product, expected.astype(np.int8))
    np.testing.assert_array_equal(total, x.sum(0, dtype=np.int8))
