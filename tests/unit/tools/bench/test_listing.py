"""Programs as plain data: all that an interpreter needs, in a form that JSON keeps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from shlo_tools import program
from shlo_tools.errors import ShloError
from shlo_tools.tools.bench.listing import Listing, listing
from shlo_tools.tools.bench.static_program import with_sizes_of


def listed(text: str) -> Listing:
    return listing(program.load(text))


PROGRAM = """
func.func private @half(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<4x6xf32>
  %0 = stablehlo.multiply %x, %half : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func private @unused(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  return %x : tensor<4x6xf32>
}
func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = func.call @half(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0]
    : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4xf32>
}"""


def test_steps_name_ops_values_types_and_attributes() -> None:
    program_listing = listed(PROGRAM)
    functions = json.loads(json.dumps(program_listing.functions))
    assert set(functions) == {"main", "half"}
    main = functions["main"]
    assert [step["op"] for step in main["steps"]] == [
        *("stablehlo.constant", "stablehlo.constant", "func.call"),
        *("stablehlo.dot_general", "stablehlo.reduce"),
    ]
    call, product, total = main["steps"][2:]
    assert call["callee"] == "half" and call["operands"] == main["arguments"][:1]
    assert product["operands"] == [*call["results"], main["arguments"][1]]
    assert product["attributes"]["lhs_contracting_dimensions"] == [1]
    assert product["attributes"]["rhs_contracting_dimensions"] == [0]
    assert product["result_types"] == [["f32", [4, 3]]]
    assert total["attributes"]["dimensions"] == [1]
    assert [step["op"] for step in total["regions"][0]["steps"]] == ["stablehlo.add"]
    assert main["yields"] == product["results"] + total["results"]


def test_constants_are_arrays_and_splats_one_element() -> None:
    constants = listed(PROGRAM).constants
    assert [constant.tolist() for constant in constants] == [[0.0], [1.0, 2.0, 3.0], [0.5]]


def test_every_value_has_a_number_of_its_own() -> None:
    """Also inside regions, where values from outside keep theirs."""
    functions: Any = listed("""
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %z = stablehlo.add %y, %x : tensor<2xf32>
      stablehlo.return %i, %z : tensor<i32>, tensor<2xf32>
    }
  return %0#1 : tensor<2xf32>
}""").functions
    main = functions["main"]
    (loop,) = main["steps"]
    condition, body = loop["regions"]
    assert condition["steps"][0]["operands"] == [condition["arguments"][0], main["arguments"][0]]
    assert body["steps"][0]["operands"] == [body["arguments"][1], main["arguments"][1]]
    bound = [
        *(*main["arguments"], *condition["arguments"], *body["arguments"], *loop["results"]),
        *(n for inner in (condition, body) for n in inner["steps"][0]["results"]),
    ]
    assert len(bound) == len(set(bound))


def test_sizes_have_to_be_known() -> None:
    """Arguments tell those that types leave open."""
    module = program.load("""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.sine %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}""")
    with pytest.raises(ShloError, match="unknown sizes"):
        listing(module)
    static = with_sizes_of(module, [np.ones(5, np.float32)])
    (sine,) = listing(static).functions["main"]["steps"]
    assert sine["result_types"] == [("f32", (5,))]
    assert with_sizes_of(static, [np.ones(5, np.float32)]) is static
