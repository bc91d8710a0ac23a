"""Computations that are no scalar code: control flow, larger tensors, further reductions.

One body serves every op that takes a computation: it adds its operands in a roundabout way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shlo_tools

Array = np.ndarray[Any, Any]

S = "tensor<i32>"

# Each computes %a + %b of two tensors<i32> as %sum; %table is tensor<3xi32> [0, 1, 2] from outside.
SUMS = {
    "if": f"""
      %order = stablehlo.compare LT, %a, %b : ({S}, {S}) -> tensor<i1>
      %sum = "stablehlo.if"(%order) ({{
        %0 = stablehlo.add %a, %b : {S}
        stablehlo.return %0 : {S}
      }}, {{
        %1 = stablehlo.add %b, %a : {S}
        stablehlo.return %1 : {S}
      }}) : (tensor<i1>) -> {S}""",
    "while": f"""
      %one = stablehlo.constant dense<1> : {S}
      %zero = stablehlo.constant dense<0> : {S}
      %r:2 = stablehlo.while(%left = %b, %so_far = %a) : {S}, {S}
      cond {{
        %more = stablehlo.compare GT, %left, %zero : ({S}, {S}) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        %less = stablehlo.subtract %left, %one : {S}
        %next = stablehlo.add %so_far, %one : {S}
        stablehlo.return %less, %next : {S}, {S}
      }}
      %sum = stablehlo.add %r#1, %zero : {S}""",
    "larger tensors": f"""
      %x = stablehlo.reshape %a : ({S}) -> tensor<1xi32>
      %y = stablehlo.reshape %b : ({S}) -> tensor<1xi32>
      %both = stablehlo.concatenate %x, %y, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %none = stablehlo.constant dense<0> : {S}
      %sum = stablehlo.reduce(%both init: %none) applies stablehlo.add across dimensions = [0]
        : (tensor<2xi32>, {S}) -> {S}""",
    "captured tensor": f"""
      %none = stablehlo.constant dense<0> : {S}
      %three = stablehlo.reduce(%table init: %none) applies stablehlo.add across dimensions = [0]
        : (tensor<3xi32>, {S}) -> {S}
      %t = stablehlo.add %a, %three : {S}
      %u = stablehlo.add %t, %b : {S}
      %sum = stablehlo.subtract %u, %three : {S}""",
    "sort": f"""
      %x = stablehlo.reshape %a : ({S}) -> tensor<1xi32>
      %y = stablehlo.reshape %b : ({S}) -> tensor<1xi32>
      %both = stablehlo.concatenate %x, %y, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %sorted = "stablehlo.sort"(%both) ({{
        ^bb0(%l: {S}, %r: {S}):
          %less = stablehlo.compare LT, %l, %r : ({S}, {S}) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
      }}) {{dimension = 0 : i64}} : (tensor<2xi32>) -> tensor<2xi32>
      %p = stablehlo.slice %sorted [0:1] : (tensor<2xi32>) -> tensor<1xi32>
      %q = stablehlo.slice %sorted [1:2] : (tensor<2xi32>) -> tensor<1xi32>
      %s = stablehlo.add %p, %q : tensor<1xi32>
      %sum = stablehlo.reshape %s : (tensor<1xi32>) -> {S}""",
}

T = "tensor<4x5xi32>"
TABLE = "%table = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>"
ADDING = f"({{ ^bb0(%a: {S}, %b: {S}): @SUM stablehlo.return %sum : {S} }})"
KEEPING = f"""({{ ^bb0(%a: {S}, %b: {S}): @SUM
  %twice = stablehlo.add %a, %a : {S}
  %more = stablehlo.compare GE, %twice, %sum : ({S}, {S}) -> tensor<i1>
  stablehlo.return %more : tensor<i1> }})"""


def _run(text: str, body: str, *arguments: Array) -> Any:
    program = f"func.func @main(%in: {T}, %init: {S}) {text}"
    return shlo_tools.compile(program.replace("@SUM", SUMS[body]))(*arguments)


@pytest.fixture(params=SUMS)
def body(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def numbers() -> Array:
    return np.random.default_rng(4).integers(0, 9, (4, 5)).astype(np.int32)


INIT = np.array(3, np.int32)


def test_reduce(body: str, numbers: Array) -> None:
    text = f"""-> tensor<5xi32> {{ {TABLE}
      %0 = "stablehlo.reduce"(%in, %init) {ADDING} {{dimensions = array<i64: 0>}}
        : ({T}, {S}) -> tensor<5xi32>
      return %0 : tensor<5xi32> }}"""
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), numbers.sum(0) + 3)


def test_map(body: str, numbers: Array) -> None:
    text = f"""-> {T} {{ {TABLE}
      %c = stablehlo.constant dense<2> : {T}
      %0 = "stablehlo.map"(%in, %c) {ADDING} {{dimensions = array<i64: 0, 1>}} : ({T}, {T}) -> {T}
      return %0 : {T} }}"""
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), numbers + 2)


def test_reduce_window(body: str, numbers: Array) -> None:
    """Windows that overlap and windows in the padding."""
    text = f"""-> tensor<4x3xi32> {{ {TABLE}
      %0 = "stablehlo.reduce_window"(%in, %init) {ADDING} {{
        window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>,
        padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}} : ({T}, {S}) -> tensor<4x3xi32>
      return %0 : tensor<4x3xi32> }}"""
    # Padding and every window start at init: what a window holds of padding counts as well.
    padded = np.pad(numbers, ((0, 1), (1, 0)), constant_values=3)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2, 2))[:, ::2]
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), windows.sum((2, 3)) + 3)


def test_scatter(body: str, numbers: Array) -> None:
    text = f"""-> {T} {{ {TABLE}
      %rows = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
      %updates = stablehlo.constant dense<5> : tensor<3x5xi32>
      %0 = "stablehlo.scatter"(%in, %rows, %updates) {ADDING} {{
        scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
        }} : ({T}, tensor<3xi32>, tensor<3x5xi32>) -> {T}
      return %0 : {T} }}"""
    expected = numbers + 5 * np.array([[1], [0], [2], [0]])
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), expected)


def test_select_and_scatter(body: str, numbers: Array) -> None:
    """The larger of two neighbours gets the update: %a >= %b if 2 * %a >= %a + %b."""
    text = f"""-> {T} {{ {TABLE}
      %source = stablehlo.constant dense<7> : tensor<2x5xi32>
      %0 = "stablehlo.select_and_scatter"(%in, %source, %init) {KEEPING}, {ADDING} {{
        window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>
        }} : ({T}, tensor<2x5xi32>, {S}) -> {T}
      return %0 : {T} }}"""
    # Two regions stand in one list.
    text = text.replace("}), ({", "}, {")
    first = numbers[0::2] >= numbers[1::2]
    expected = np.full((4, 5), 3)
    expected[0::2] += 7 * first
    expected[1::2] += 7 * ~first
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), expected)


def test_sort(body: str, numbers: Array) -> None:
    """Descending, by a comparison of 2 * %a with %a + %b."""
    comparing = KEEPING.replace("GE", "GT")
    text = f"""-> {T} {{ {TABLE}
      %0 = "stablehlo.sort"(%in) {comparing} {{dimension = 1 : i64}} : ({T}) -> {T}
      return %0 : {T} }}"""
    np.testing.assert_array_equal(_run(text, body, numbers, INIT), -np.sort(-numbers, axis=1))
