"""Ops with computations on quantized scalars: reductions, windows, scatters, sorts, maps."""

from __future__ import annotations

import numpy as np
import pytest
from batch import check, run
from cases._case import Case
from quantized import snippet, tensor, values

ELEMENTS = (
    "i8:f32, 0.5:3",
    "i8<-100:100>:f32, 0.5:3",
    "u8:f32, 0.5:130",
    "u4:f32, 0.5:3",
    "i2:f32, 0.5:1",
    "i32:f32, 0.125",
)
WIDE = "i32:f32, 0.125"
OTHER = "i8:f32, 0.25:-1"


def _applying(name: str, element: str) -> str:
    one = tensor("", element)
    return f"""({{ ^bb0(%a: {one}, %b: {one}):
      %c = stablehlo.{name} %a, %b : {one}
      stablehlo.return %c : {one} }})"""


def _reductions(name: str, inputs: str, expected: str) -> list[Case]:
    """The computation may take a wider type than the elements have."""
    init, body = tensor("", inputs), _applying(name, expected)
    matrix, row = tensor("4x3", inputs), tensor("3", expected)
    vector = tensor("7", inputs)
    windows = (
        "window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, "
        "padding = dense<1> : tensor<1x2xi64>"
    )
    reduced = f"""%out0 = "stablehlo.reduce"(%in0, %in1) {body}
      {{dimensions = array<i64: 0>}} : ({matrix}, {init}) -> {row}"""
    windowed = f"""%out0 = "stablehlo.reduce_window"(%in0, %in1) {body}
      {{{windows}}} : ({vector}, {init}) -> {tensor("4", expected)}"""
    return [
        snippet(f"reduce {name} {inputs} {expected}", [matrix, init], reduced, [row]),
        snippet(
            f"reduce_window {name} {inputs} {expected}",
            [vector, init],
            windowed,
            [tensor("4", expected)],
        ),
    ]


@pytest.mark.parametrize("name", ["add", "maximum", "minimum", "multiply"])
def test_reductions(name: str) -> None:
    check([case for element in ELEMENTS for case in _reductions(name, element, element)])


@pytest.mark.parametrize("name", ["add", "maximum"])
def test_reductions_to_other_types(name: str) -> None:
    pairs = [(inputs, WIDE) for inputs in ELEMENTS[:5]] + [(ELEMENTS[0], OTHER)]
    check([case for inputs, expected in pairs for case in _reductions(name, inputs, expected)])


def test_sums_saturate_on_the_way() -> None:
    """Every step quantizes; elements are met in order."""
    one, scalar = tensor("3", "i8:f32, 1.0"), tensor("", "i8:f32, 1.0")
    text = f"""func.func @main(%x: {one}, %i: {scalar}) -> {scalar} {{
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] :
        ({one}, {scalar}) -> {scalar}
      return %0 : {scalar}
    }}"""
    assert run(text, np.array([100, 100, -100], np.int8), np.array(0, np.int8))[0] == 27


def test_a_wider_sum_does_not_saturate() -> None:
    one, scalar, wide = tensor("3", "i8:f32, 1.0"), tensor("", "i8:f32, 1.0"), tensor("", WIDE)
    text = f"""func.func @main(%x: {one}, %i: {scalar}) -> {wide} {{
      %0 = "stablehlo.reduce"(%x, %i) {_applying("add", WIDE)}
        {{dimensions = array<i64: 0>}} : ({one}, {scalar}) -> {wide}
      return %0 : {wide}
    }}"""
    # 300 in steps of 1/8
    assert run(text, np.array([100, 100, 100], np.int8), np.array(0, np.int8))[0] == 2400


def test_several_results() -> None:
    """Each has a type of its own."""
    first, second = "i8:f32, 0.5:3", OTHER
    types = [tensor("4", first), tensor("4", second), tensor("", first), tensor("", second)]
    wide, same = tensor("", WIDE), tensor("", second)
    text = f"""
      %out0, %out1 = "stablehlo.reduce"(%in0, %in1, %in2, %in3) ({{
        ^bb0(%a: {wide}, %b: {same}, %c: {wide}, %d: {same}):
          %sum = stablehlo.add %a, %c : {wide}
          %most = stablehlo.maximum %b, %d : {same}
          stablehlo.return %sum, %most : {wide}, {same}
      }}) {{dimensions = array<i64: 0>}} : ({", ".join(types)}) -> ({wide}, {same})"""
    check([snippet("reduce of two", types, text, [wide, same])])


def _scatter(name: str, arguments: str, expected: str) -> Case:
    dimensions = (
        "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    )
    types = [tensor("5", arguments), tensor("4x1", "i32"), tensor("4", arguments)]
    text = f"""%out0 = "stablehlo.scatter"(%in0, %in1, %in2) {_applying(name, expected)}
      {{{dimensions}}} : ({", ".join(types)}) -> {tensor("5", expected)}"""
    indices = np.array([[0], [3], [3], [9]], np.int32)
    inputs = [values(types[0]), indices, values(types[2], 1)]
    return snippet(
        f"scatter {name} {arguments} {expected}", types, text, [tensor("5", expected)], inputs
    )


def test_scatter() -> None:
    cases = [_scatter(name, e, e) for e in ELEMENTS for name in ("add", "maximum")]
    check([*cases, _scatter("add", ELEMENTS[0], WIDE)])


def _select_and_scatter(element: str) -> Case:
    one = tensor("", element)
    types = [tensor("6", element), tensor("3", element), one]
    text = f"""%out0 = "stablehlo.select_and_scatter"(%in0, %in1, %in2) ({{
        ^bb0(%a: {one}, %b: {one}):
          %keeps = stablehlo.compare GE, %a, %b : ({one}, {one}) -> tensor<i1>
          stablehlo.return %keeps : tensor<i1>
      }}, {{
        ^bb0(%c: {one}, %d: {one}):
          %sum = stablehlo.add %c, %d : {one}
          stablehlo.return %sum : {one}
      }}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}
      : ({", ".join(types)}) -> {types[0]}"""
    return snippet(f"select_and_scatter {element}", types, text, [types[0]])


def test_select_and_scatter() -> None:
    check([_select_and_scatter(element) for element in ELEMENTS])


def _sort(element: str) -> Case:
    """By descending numbers, with positions, so that equal elements show their order."""
    one, row, places = tensor("", element), tensor("3x9", element), "tensor<3x9xi32>"
    text = f"""
      %places = stablehlo.iota dim = 1 : {places}
      %out0, %out1 = "stablehlo.sort"(%in0, %places) ({{
        ^bb0(%a: {one}, %b: {one}, %c: tensor<i32>, %d: tensor<i32>):
          %before = stablehlo.compare GT, %a, %b : ({one}, {one}) -> tensor<i1>
          stablehlo.return %before : tensor<i1>
      }}) {{dimension = 1 : i64, is_stable = true}} : ({row}, {places}) -> ({row}, {places})"""
    return snippet(f"sort {element}", [row], text, [row, places])


def test_sort() -> None:
    check([_sort(element) for element in ELEMENTS])


def test_map() -> None:
    cases = []
    for element in ELEMENTS:
        one, other = tensor("", element), tensor("", OTHER)
        inputs, result = tensor("6", element), tensor("6", OTHER)
        text = f"""%out0 = "stablehlo.map"(%in0) ({{
            ^bb0(%x: {one}):
              %negated = stablehlo.negate %x : {one}
              %y = stablehlo.uniform_quantize %negated : ({one}) -> {other}
              stablehlo.return %y : {other}
          }}) {{dimensions = array<i64: 0>}} : ({inputs}) -> {result}"""
        cases.append(snippet(f"map {element}", [inputs], text, [result]))
    check(cases)
