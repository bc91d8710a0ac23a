"""Reductions of nothing, which run time tells, give what they start with."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import compile

# Control flow that carries unknown sizes goes through linalg as a whole.
PROGRAM = """func.func @main(%x: tensor<?x2xf32>, %p: tensor<i32>) -> tensor<2xf32> {{
  %y = "stablehlo.case"(%p) ({{
    stablehlo.return %x : tensor<?x2xf32>
  }}, {{
    %twice = stablehlo.add %x, %x : tensor<?x2xf32>
    stablehlo.return %twice : tensor<?x2xf32>
  }}) : (tensor<i32>) -> tensor<?x2xf32>
  %start = stablehlo.constant dense<-5.0> : tensor<f32>
  %0 = stablehlo.reduce(%y init: %start) across dimensions = [0]
    : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%sum: tensor<f32>, %element: tensor<f32>) {{
    {body}
  }}
  return %0 : tensor<2xf32>
}}"""
# Where all elements are true, so is whatever is made of one more of them.
ALWAYS = """func.func @main(%x: tensor<?x2xi1>, %p: tensor<i32>) -> tensor<i1> {
  %y = "stablehlo.case"(%p) ({
    stablehlo.return %x : tensor<?x2xi1>
  }, {
    %not = stablehlo.not %x : tensor<?x2xi1>
    stablehlo.return %not : tensor<?x2xi1>
  }) : (tensor<i32>) -> tensor<?x2xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %all = stablehlo.reduce(%y init: %true) applies stablehlo.or across dimensions = []
    : (tensor<?x2xi1>, tensor<i1>) -> tensor<?x2xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%all init: %false) applies stablehlo.or across dimensions = [0, 1]
    : (tensor<?x2xi1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}"""
BODIES = {
    "add": "%1 = stablehlo.add %sum, %element : tensor<f32> stablehlo.return %1 : tensor<f32>",
    "last": "stablehlo.return %element : tensor<f32>",
    "constant": "%1 = stablehlo.constant dense<3.0> : tensor<f32> "
    "stablehlo.return %1 : tensor<f32>",
}


@pytest.mark.parametrize("name", BODIES)
def test_nothing_is_left_of_the_call_before(name: str) -> None:
    executable = compile(PROGRAM.format(body=BODIES[name]))
    last = np.array([7, 9], np.float32)
    rows = np.stack([last - 1, last])
    expected = {"add": rows.sum(0) - 5, "last": last, "constant": np.full(2, 3.0)}[name]
    for _ in range(2):
        np.testing.assert_array_equal(executable(rows, np.int32(0)), expected)
        empty = executable(rows[:0], np.int32(0))
        np.testing.assert_array_equal(empty, np.full(2, -5, np.float32))


def test_nothing_is_left_where_fusion_finds_out_what_elements_are() -> None:
    executable = compile(ALWAYS)
    for rows in (3, 0, 1, 0):
        assert executable(np.zeros((rows, 2), np.bool_), np.int32(0)) == (rows > 0)
