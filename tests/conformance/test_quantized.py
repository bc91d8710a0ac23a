"""Quantized numbers: conversions to and from them, and elementwise ops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch import check, run
from cases._case import Array, Case
from quantized import ELEMENTS, operation, tensor, values

from shlo_tools.quantized_types import quantized_element

EIGHT_BITS = ("i8:f8E4M3FN, 0.5:3", "i4:f8E5M2, 0.5:1")
SIZE = "37"  # odd: a tail stays behind vectors

# --- conversions, worked out with numpy -----------------------------------------------------------
EXAMPLES = [
    example
    for line in (Path(__file__).parent / "spec_examples.json").read_text().splitlines()
    if line.startswith("{") and "!quant." in line
    for example in [json.loads(line.rstrip(","))]
]


def test_there_are_examples() -> None:
    assert {example["op"] for example in EXAMPLES} == {"uniform_dequantize", "uniform_quantize"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[e["id"] for e in EXAMPLES])
def test_example_of_the_specification(example: dict[str, Any]) -> None:
    inputs = np.array(example["args"][0]["value"])
    takes_integers = "(%q_operand: tensor<2xi8>)" in example["module"]
    (result,) = run(example["module"], inputs.astype(np.int8 if takes_integers else np.float32))
    assert result.tolist() == example["expected"][0]["value"]


def quantized(numbers: Array, element: str) -> Array:
    """The specification's ``quantize``, every step rounded to the expressed type."""
    type = quantized_element(tensor("1", element))
    dtype = type.expressed.dtype
    scale, zero_point = (np.asarray(v[0]).astype(dtype) for v in (type.scales, type.zero_points))
    with np.errstate(all="ignore"):
        low, high = (np.asarray(v).astype(dtype) for v in (type.storage_min, type.storage_max))
        shifted = (numbers / scale).astype(dtype) + zero_point
        whole = np.rint(np.minimum(np.maximum(shifted, low), high)).astype(np.float64)
    bounds = np.iinfo(type.storage.dtype) if type.storage.bits >= 8 else None
    if bounds:  # rounding to the expressed type may have raised a bound
        whole = np.clip(np.nan_to_num(whole), float(bounds.min), float(bounds.max))
    return np.asarray(np.nan_to_num(whole).astype(np.int64).astype(type.storage.dtype))


def dequantized(integers: Array, element: str) -> Array:
    """The specification's ``dequantize``, the difference taken without wrapping."""
    type = quantized_element(tensor("1", element))
    difference = integers.astype(np.int64) - type.zero_points[0]
    scale = np.asarray(type.scales[0]).astype(type.expressed.dtype)
    with np.errstate(over="ignore"):
        return np.asarray(difference.astype(type.expressed.dtype) * scale)


def _quantize(element: str, numbers: Array) -> Array:
    type = quantized_element(tensor("1", element))
    source, target = (tensor(str(len(numbers)), e) for e in (str(type.expressed), element))
    text = f"""func.func @main(%x: {source}) -> {target} {{
      %0 = stablehlo.uniform_quantize %x : ({source}) -> {target}
      return %0 : {target}
    }}"""
    return run(text, numbers.astype(type.expressed.dtype))[0]


@pytest.mark.parametrize("element", [*ELEMENTS, *EIGHT_BITS])
def test_quantize(element: str) -> None:
    """Ties, numbers around the ends of the range, far beyond it, Inf and -0."""
    type = quantized_element(tensor("1", element))
    scale, zero_point = type.scales[0], type.zero_points[0]
    low, high = type.storage_min - zero_point, type.storage_max - zero_point
    whole = np.array([low - 2, low - 1, low, low + 1, -2, -1, 0, 1, 2, high - 1, high, high + 1])
    steps = np.concatenate([whole, whole + 0.5, whole - 0.5, whole + 0.25, [1e3, -1e3, 1e10]])
    with np.errstate(over="ignore"):
        numbers = (steps * scale).astype(type.expressed.dtype)
    beyond = np.array([np.inf, -np.inf, -0.0]).astype(type.expressed.dtype)
    numbers = np.concatenate([numbers, beyond])
    np.testing.assert_array_equal(_quantize(element, numbers), quantized(numbers, element))


def test_quantize_rounds_ties_to_even() -> None:
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 126.5, -128.5, -127.5], np.float32)
    expected = [0, 2, 2, 0, -2, 127, 126, -128, -128]
    assert _quantize("i8:f32, 1.0", numbers).tolist() == expected


def test_quantize_clamps_before_it_rounds() -> None:
    """To the storage range, which may be narrower than the type."""
    numbers = np.array([-1e9, -10.4, 10.4, 10.6, 1e9, np.inf, -np.inf], np.float32)
    expected = [-10, -10, 10, 10, 10, 10, -10]
    assert _quantize("i8<-10:10>:f32, 1.0", numbers).tolist() == expected


def test_not_a_number_becomes_zero() -> None:
    """As in conversions to integers; the specification leaves it open."""
    nan = np.array([np.nan, -np.nan], np.float32)
    for element in ("i8:f32, 0.5:3", "u4:f32, 0.5:15", "i32:f32, 0.5"):
        assert _quantize(element, nan).tolist() == [0, 0]


@pytest.mark.parametrize("element", [*ELEMENTS, *EIGHT_BITS])
def test_dequantize(element: str) -> None:
    type = quantized_element(tensor("1", element))
    source, target = (tensor(SIZE, e) for e in (element, str(type.expressed)))
    text = f"""func.func @main(%x: {source}) -> {target} {{
      %0 = stablehlo.uniform_dequantize %x : ({source}) -> {target}
      return %0 : {target}
    }}"""
    integers = values(source)
    np.testing.assert_array_equal(run(text, integers)[0], dequantized(integers, element))


def test_dequantize_does_not_wrap() -> None:
    source = tensor("2", "i8:f32, 1.0:-128")
    text = f"""func.func @main(%x: {source}) -> tensor<2xf32> {{
      %0 = stablehlo.uniform_dequantize %x : ({source}) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    assert run(text, np.array([127, -128], np.int8))[0].tolist() == [255.0, 0.0]


@pytest.mark.parametrize("element", [e for e in ELEMENTS if ":f32" in e])
@pytest.mark.parametrize("expected", ["i8:f32, 0.75:2", "u4:f32, 3.0:1", "i32:f32, 0.001"])
def test_requantize(element: str, expected: str) -> None:
    source, target = tensor(SIZE, element), tensor(SIZE, expected)
    text = f"""func.func @main(%x: {source}) -> {target} {{
      %0 = stablehlo.uniform_quantize %x : ({source}) -> {target}
      return %0 : {target}
    }}"""
    integers = values(source)
    right = quantized(dequantized(integers, element), expected)
    np.testing.assert_array_equal(run(text, integers)[0], right)


# --- dequantize_op_quantize -----------------------------------------------------------------------
EXACT = "abs ceil floor negate round_nearest_afz round_nearest_even sign sqrt"
FUNCTIONS = (
    "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine tan tanh"
)
BINARY = "add divide maximum minimum multiply remainder subtract"


def _elementwise(element: str) -> list[Case]:
    one, boolean = tensor(SIZE, element), tensor(SIZE, "i1")
    cases = [operation(name, [one], one) for name in EXACT.split()]
    cases += [operation(name, [one, one], one) for name in BINARY.split()]
    for direction, comparison in (("LT", "FLOAT"), ("EQ", "TOTALORDER"), ("GE", "SIGNED")):
        attributes = (
            f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
            f"compare_type = #stablehlo<comparison_type {comparison}>"
        )
        cases.append(operation("compare", [one, one], boolean, attributes))
    cases.append(operation("is_finite", [one], boolean))
    cases.append(operation("clamp", [one, one, one], one))
    cases.append(operation("select", [boolean, one, one], one))
    precision = "exponent_bits = 5 : i32, mantissa_bits = 3 : i32"
    cases.append(operation("reduce_precision", [one], one, precision))
    cases.append(operation("iota", [], one, "iota_dimension = 0 : i64"))
    return cases


@pytest.mark.parametrize("element", ELEMENTS)
def test_elementwise(element: str) -> None:
    check(_elementwise(element))


@pytest.mark.parametrize("element", ["i8:f32, 0.05:3", "u4:f16, 0.25:4", "i16:f64, 0.001"])
def test_functions(element: str) -> None:
    one = tensor(SIZE, element)
    cases = [operation(name, [one], one, steps=1) for name in FUNCTIONS.split()]
    cases += [operation(name, [one, one], one, steps=1) for name in ("atan2", "power")]
    check(cases)


def test_each_operand_has_its_own_scale() -> None:
    """Ordering is that of the numbers, not of the integers."""
    one, other, result = (
        tensor(SIZE, e) for e in ("i8:f32, 0.5:3", "i8:f32, 0.25:-100", "i8:f32, 0.3")
    )
    lower = "comparison_direction = #stablehlo<comparison_direction LT>"
    cases = [operation(name, [one, other], result) for name in BINARY.split()]
    cases.append(operation("compare", [one, other], tensor(SIZE, "i1"), lower))
    cases.append(operation("abs", [one], result))
    check(cases)


def test_maximum_of_different_scales() -> None:
    one, other = tensor("2", "i8:f32, 1.0"), tensor("2", "i8:f32, 10.0")
    text = f"""func.func @main(%x: {one}, %y: {other}) -> ({other}, tensor<2xi1>) {{
      %0 = stablehlo.maximum %x, %y : ({one}, {other}) -> {other}
      %1 = stablehlo.compare GT, %x, %y : ({one}, {other}) -> tensor<2xi1>
      return %0, %1 : {other}, tensor<2xi1>
    }}"""
    largest, greater = run(text, np.array([20, 50], np.int8), np.array([3, 4], np.int8))
    assert largest.tolist() == [3, 5]  # 20 < 30, 50 > 40
    assert greater.tolist() == [False, True]


def test_sum_saturates() -> None:
    one = tensor("3", "i8:f32, 0.5:3")
    text = f"""func.func @main(%x: {one}, %y: {one}) -> {one} {{
      %0 = stablehlo.add %x, %y : {one}
      return %0 : {one}
    }}"""
    x, y = np.array([5, 127, -128], np.int8), np.array([7, 127, -128], np.int8)
    assert run(text, x, y)[0].tolist() == [9, 127, -128]  # 1 + 2 is 3, 3 / 0.5 + 3 is 9


def test_select_clamps_what_lies_outside_of_the_storage_range() -> None:
    """dequantize_select_quantize: 100 is no value of the type, but may be passed."""
    one = tensor("2", "i8<-10:10>:f32, 0.5")
    text = f"""func.func @main(%p: tensor<2xi1>, %x: {one}, %y: {one}) -> {one} {{
      %0 = stablehlo.select %p, %x, %y : tensor<2xi1>, {one}
      return %0 : {one}
    }}"""
    x, y = np.array([100, 3], np.int8), np.array([4, -5], np.int8)
    assert run(text, np.array([True, False]), x, y)[0].tolist() == [10, -5]


# --- scales per axis ------------------------------------------------------------------------------
def test_addition_along_an_axis() -> None:
    one = tensor("2x3x5", "i8:f32:1, {0.5:3, 0.25, 2.0:-3}")
    other = tensor("2x3x5", "i8:f32, 0.5:3")
    check([operation("add", [one, one], one), operation("add", [one, other], one)])


def test_conversions_along_an_axis() -> None:
    for axis in range(3):
        one = tensor("3x3x3", f"i8:f32:{axis}, {{0.5:3, 0.25, 2.0:-3}}")
        other = tensor("3x3x3", "u8:f32, 0.3:20")
        numbers = tensor("3x3x3", "f32")
        check(
            [
                operation("uniform_quantize", [numbers], one),
                operation("uniform_dequantize", [one], numbers),
                operation("uniform_quantize", [one], other),
                operation("uniform_quantize", [other], one),
            ]
        )


def test_a_scale_per_column() -> None:
    type = tensor("2x2", "i8:f32:1, {0.5:1, 4.0}")
    text = f"""func.func @main(%x: tensor<2x2xf32>) -> ({type}, tensor<2x2xf32>) {{
      %0 = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> {type}
      %1 = stablehlo.uniform_dequantize %0 : ({type}) -> tensor<2x2xf32>
      return %0, %1 : {type}, tensor<2x2xf32>
    }}"""
    integers, numbers = run(text, np.array([[3, 3], [-60, 1000]], np.float32))
    assert integers.tolist() == [[7, 1], [-119, 127]]
    assert numbers.tolist() == [[3, 4], [-60, 508]]
