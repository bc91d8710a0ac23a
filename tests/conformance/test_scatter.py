"""Scatter: what lies outside is skipped, element by element, whatever the index type."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

PROGRAM = """
func.func @main(%i: tensor<1x{type}>) -> tensor<4xi32> {{
  %x = stablehlo.constant dense<0> : tensor<4xi32>
  %u = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }}) : (tensor<4xi32>, tensor<1x{type}>, tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}}"""


@pytest.mark.parametrize(
    ("type", "index", "expected"),
    [
        ("i32", 1, [0, 7, 8, 0]),
        ("i32", 3, [0, 0, 0, 7]),  # the second element is outside
        ("i32", -1, [8, 0, 0, 0]),  # the first one is
        ("i64", -(2**63), [0, 0, 0, 0]),
        ("i64", 2**63 - 1, [0, 0, 0, 0]),
        ("ui8", 255, [0, 0, 0, 0]),  # not -1
        ("ui64", 2**64 - 1, [0, 0, 0, 0]),  # adding the offset must not wrap around
        ("ui64", 2**63, [0, 0, 0, 0]),
        ("ui64", 2, [0, 0, 7, 8]),
    ],
)
def test_elements_outside_are_skipped(type: str, index: int, expected: list[int]) -> None:
    dtype = type.replace("ui", "uint") if type.startswith("ui") else type.replace("i", "int")
    executable = shlo_tools.compile(PROGRAM.format(type=type))
    np.testing.assert_array_equal(executable(np.array([index], dtype)), expected)
