"""Ops that place quantized elements, constants of them, and control flow that carries them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from batch import check, run
from cases._case import Case, Input
from quantized import operation, snippet, tensor, values

import shlo_tools
from shlo_tools import reference

ELEMENTS = (
    "i8:f32, 0.5:3",
    "i8<-100:100>:f32, 0.5:3",
    "u8:f32, 0.5:130",
    "u4:f32, 0.5:3",
    "i2:f32, 0.5:1",
    "i32:f32, 0.125",
)


def _moves(element: str) -> list[Case]:
    def of(shape: str) -> str:
        return tensor(shape, element)

    gathered = (
        "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
        "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>"
    )
    index, cut = tensor("", "i32"), "start_indices = array<i64: 1>, limit_indices = array<i64: 5>"
    padding = (
        "edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: -1>, "
        "interior_padding = array<i64: 1>"
    )
    spread = "broadcast_dimensions = array<i64: 1>"
    return [
        operation("reshape", [of("2x3")], of("6")),
        operation("transpose", [of("2x3")], of("3x2"), "permutation = array<i64: 1, 0>"),
        operation("slice", [of("5")], of("2"), f"{cut}, strides = array<i64: 2>"),
        operation("concatenate", [of("2"), of("3")], of("5"), "dimension = 0 : i64"),
        operation("pad", [of("3"), of("")], of("5"), padding),
        operation("broadcast_in_dim", [of("2")], of("3x2"), spread),
        operation("reverse", [of("5")], of("5"), "dimensions = array<i64: 0>"),
        operation("dynamic_slice", [of("5"), index], of("2"), "slice_sizes = array<i64: 2>"),
        operation("dynamic_update_slice", [of("5"), of("2"), index], of("5")),
        operation("gather", [of("3x4"), tensor("2", "i32")], of("2x4"), gathered),
        operation("optimization_barrier", [of("5")], of("5")),
    ]


@pytest.mark.parametrize("element", ELEMENTS)
def test_elements_move(element: str) -> None:
    check([_indexed(case) for case in _moves(element)])


def _indexed(case: Case) -> Case:
    """Integers that are not quantized are indices."""
    inputs = [
        item
        if "!" in item.type or "i32>" not in item.type
        else Input(item.type, np.clip(item.array, 0, 2))
        for item in case.inputs
    ]
    return replace(case, inputs=tuple(inputs))


def test_the_axis_moves_along() -> None:
    """Transposed, broadcast and reshaped tensors keep each index's scale."""
    scales = "{0.5, 0.25:4, 2.0:-3}"
    first, second, third = (f"i8:f32:{axis}, {scales}" for axis in range(3))
    rows = [
        ("transpose", "3x2", first, "2x3", second, "permutation = array<i64: 1, 0>"),
        ("broadcast_in_dim", "3", first, "2x2x3", third, "broadcast_dimensions = array<i64: 2>"),
        ("reshape", "3x4", first, "3x2x2", first, ""),
        ("reshape", "2x3", second, "2x1x3", third, ""),
    ]
    cases = []
    for name, shape, inputs, result, expected, attributes in rows:
        source, target, floats = (
            tensor(shape, inputs),
            tensor(result, expected),
            tensor(result, "f32"),
        )
        case = operation(name, [source], target, attributes)
        attribute = f"%out1 = stablehlo.uniform_dequantize %out0 : ({target}) -> {floats}"
        cases.append(snippet(case.label, [source], f"{case.text}\n{attribute}", [target, floats]))
    check(cases)


def test_one_scale_becomes_several() -> None:
    """A dimension of size 1 that is broadcast repeats its scale."""
    source, target = tensor("1", "i8:f32:0, {0.5:2}"), tensor("3", "i8:f32:0, {0.5:2,0.5:2,0.5:2}")
    text = f"""func.func @main(%x: {source}) -> tensor<3xf32> {{
      %0 = stablehlo.broadcast_in_dim %x, dims = [0] : ({source}) -> {target}
      %1 = stablehlo.uniform_dequantize %0 : ({target}) -> tensor<3xf32>
      return %1 : tensor<3xf32>
    }}"""
    assert run(text, np.array([6], np.int8))[0].tolist() == [2.0, 2.0, 2.0]


def test_bits_stay_as_they_are() -> None:
    byte, unsigned = tensor("4", "i8:f32, 0.5:3"), tensor("4", "u8:f32, 0.5:3")
    nibble, other = tensor("4", "i4:f32, 0.5"), tensor("4", "u4:f32, 0.5")
    wide = tensor("", "i32:f32, 0.5")
    pairs = [
        (byte, "tensor<4xi8>"),
        (byte, "tensor<4xui8>"),
        (byte, unsigned),
        ("tensor<4xi8>", byte),
        (nibble, "tensor<4xi4>"),
        (nibble, other),
        (other, "tensor<4xi4>"),
        (byte, wide),
        (wide, byte),
    ]
    check([operation("bitcast_convert", [one], result) for one, result in pairs])


# --- constants ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("element", "storage", "literals", "integers"),
    [
        ("i8:f32, 0.5:3", "i8", "[-128, 127]", [-128, 127]),
        ("u8:f32, 0.5:3", "i8", "[-56, 127]", [200, 127]),  # spelled with a sign
        ("i4:f32, 0.5", "i4", "[-8, 7]", [-8, 7]),
        ("u4:f32, 0.5", "i4", "[-8, 7]", [8, 7]),
        ("i2:f32, 0.5", "i2", "[-2, 1]", [-2, 1]),
        ("i32:f32, 0.5", "i32", "[2147483647, 0]", [2147483647, 0]),
        ("i8:f32, 0.5:3", "i8", "9", [9, 9]),
    ],
)
def test_literals_are_integers(
    element: str, storage: str, literals: str, integers: list[int]
) -> None:
    type = tensor("2", element)
    text = f"""func.func @main() -> {type} {{
      %0 = "stablehlo.constant"() {{value = dense<{literals}> : tensor<2x{storage}>}} : () -> {type}
      return %0 : {type}
    }}"""
    assert run(text)[0].tolist() == integers
    assert reference.interpret(text).tolist() == integers


@pytest.mark.parametrize("storage", ["i8", "u8", "i4", "u4", "i32"])
def test_large_constants(storage: str) -> None:
    """They leave the module before it is compiled."""
    count = 5000
    literals = [(7 * i) % 16 - 8 for i in range(count)]
    type = tensor(str(count), f"{storage}:f32, 0.5")
    attributes = f"dense<{literals}> : tensor<{count}xi{storage[1:]}>"
    text = f"""func.func @main() -> tensor<{count}xf32> {{
      %0 = "stablehlo.constant"() {{value = {attributes}}} : () -> {type}
      %1 = stablehlo.uniform_dequantize %0 : ({type}) -> tensor<{count}xf32>
      return %1 : tensor<{count}xf32>
    }}"""
    wraps = 1 << int(storage[1:]) if storage[0] == "u" else 0
    expected = [0.5 * (value + wraps if value < 0 else value) for value in literals]
    assert run(text)[0].tolist() == expected


def test_sizes_known_at_run_time() -> None:
    """What the pass makes of them means the same; native code need not run it."""
    rows = tensor("?x2", "i8:f32:1, {0.5:3,0.25}")
    one, bounded = tensor("?x2", "i8:f32, 0.5:3"), tensor("?x2", "i8:f32, 0.5:3")
    bounded = bounded.replace(">>", ">, #stablehlo.bounds<4, ?>>")
    text = f"""func.func @main(%x: tensor<?x2xf32>, %y: {one}, %z: {bounded})
        -> ({rows}, tensor<?x2xf32>, {one}, {bounded}) {{
      %0 = stablehlo.uniform_quantize %x : (tensor<?x2xf32>) -> {rows}
      %1 = stablehlo.uniform_dequantize %0 : ({rows}) -> tensor<?x2xf32>
      %2 = stablehlo.add %y, %y : {one}
      %3 = stablehlo.negate %z : {bounded}
      return %0, %1, %2, %3 : {rows}, tensor<?x2xf32>, {one}, {bounded}
    }}"""
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-quantized)").run(module)
    assert "uniform_quantize" not in str(module)
    x = np.array([[1.25, 100], [-3, 0.5], [0.75, -0.1]], np.float32)
    inputs = [x, *(np.array([[3, 4], [127, -128], [0, 9]], np.int8) for _ in range(2))]
    rewritten, expected = (reference.interpret(program, *inputs) for program in (module, text))
    for one_result, other in zip(rewritten, expected, strict=True):
        np.testing.assert_array_equal(one_result, other)
    assert expected[0].tolist() == [[6, 127], [-3, 2], [4, 0]]


# --- control flow ---------------------------------------------------------------------------------
def _flow(element: str) -> list[Case]:
    one, index = tensor("3", element), "tensor<i32>"
    doubled = f"""
      %zero = stablehlo.constant dense<0> : {index}
      %loop:2 = stablehlo.while(%x = %in0, %i = %zero) : {one}, {index} cond {{
        %more = stablehlo.compare LT, %i, %in1 : ({index}, {index}) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        %step = stablehlo.constant dense<1> : {index}
        %next = stablehlo.add %i, %step : {index}
        %twice = stablehlo.add %x, %x : {one}
        stablehlo.return %twice, %next : {one}, {index}
      }}
      %out0 = stablehlo.add %loop#0, %in0 : {one}"""
    chosen = f"""
      %out0 = "stablehlo.if"(%in1) ({{
        %sum = stablehlo.add %in0, %in0 : {one}
        stablehlo.return %sum : {one}
      }}, {{
        stablehlo.return %in0 : {one}
      }}) : (tensor<i1>) -> {one}"""
    branches = f"""
      %out0 = "stablehlo.case"(%in1) ({{
        stablehlo.return %in0 : {one}
      }}, {{
        %sum = stablehlo.add %in0, %in0 : {one}
        stablehlo.return %sum : {one}
      }}) : ({index}) -> {one}"""
    packed = f"""
      %pair = stablehlo.tuple %in0, %in1 : tuple<{one}, tensor<i1>>
      %out0 = stablehlo.get_tuple_element %pair[0] : (tuple<{one}, tensor<i1>>) -> {one}"""
    x = values(one)
    number, truth = np.array(1, np.int32), np.array(True)
    return [
        snippet("while", [one, index], doubled, [one], [x, number]),
        snippet("if", [one, "tensor<i1>"], chosen, [one], [x, truth]),
        snippet("case", [one, index], branches, [one], [x, number]),
        snippet("tuple", [one, "tensor<i1>"], packed, [one], [x, truth]),
    ]


@pytest.mark.parametrize("element", ["i8:f32, 0.5:3", "u4:f32, 0.5:3", "i8:f32:0, {0.5,2.0:1,0.1}"])
def test_control_flow(element: str) -> None:
    check(_flow(element))


def test_functions_take_and_return_integers() -> None:
    one = tensor("3", "i8:f32, 0.5:3")
    text = f"""
      func.func @main(%x: {one}) -> {one} {{
        %0 = func.call @twice(%x) : ({one}) -> {one}
        %1 = func.call @twice(%0) : ({one}) -> {one}
        return %1 : {one}
      }}
      func.func private @twice(%x: {one}) -> {one} {{
        %0 = stablehlo.add %x, %x : {one}
        return %0 : {one}
      }}"""
    # (x - 3) * 4 + 3
    assert run(text, np.array([3, 5, -7], np.int8))[0].tolist() == [3, 11, -37]


# --- the interface --------------------------------------------------------------------------------
def _executables(text: str) -> list[Any]:
    return [shlo_tools.compile(text), reference.compile(text)]


def test_signature_shows_quantized_types() -> None:
    one = "tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>"
    text = f"func.func @main(%x: {one}) -> {one} {{ return %x : {one} }}"
    for program in _executables(text):
        assert str(program.signature) == f"({one}) -> ({one})"
        assert program([1, 2]).tolist() == [1, 2]


def test_numbers_are_refused_where_integers_are_wanted() -> None:
    one = tensor("2", "i8:f32, 0.5:3")
    text = f"func.func @main(%x: {one}) -> {one} {{ return %x : {one} }}"
    for program in _executables(text):
        with pytest.raises(shlo_tools.errors.ArgumentError, match=re.escape("int8 (i8) wanted")):
            program(np.zeros(2, np.float32))
        with pytest.raises(shlo_tools.errors.ArgumentError, match="shape"):
            program(np.zeros(3, np.int8))
