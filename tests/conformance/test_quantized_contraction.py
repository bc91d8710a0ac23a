"""Contractions, convolutions and whole-matrix ops on quantized tensors.

They compute in the expressed type. An exact sum differs from that by less than a storage step
wherever results fit their storage, so results may be one step off it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from batch import check, run
from cases._case import Array
from cases._tolerances import Steps
from quantized import operation, snippet, tensor, values

from shlo_tools.quantized_types import quantized_element

LHS = "i8:f32, 0.5:3"
KERNEL = "i8:f32, 0.25"
COLUMNS = "i8<-127:127>:f32:1, {0.5,0.25,0.03}"
DOT = (
    "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
    "rhs_contracting_dimensions = [0]>"
)


def numbers(integers: Array, type: str) -> Array:
    """What the integers stand for, exactly: f64 holds every product with an f32 scale."""
    attribute = quantized_element(type)
    shape = [1] * integers.ndim
    if attribute.axis is not None:
        shape[attribute.axis] = -1
    scales = np.array(attribute.scales, np.float32).astype(np.float64).reshape(shape)
    zero_points = np.array(attribute.zero_points).reshape(shape)
    return np.asarray((integers.astype(np.int64) - zero_points) * scales)


def steps_off(result: Array, exact: Array, type: str) -> float:
    """The largest distance of integers from those nearest to exact numbers."""
    attribute = quantized_element(type)
    shape = [1] * result.ndim
    if attribute.axis is not None:
        shape[attribute.axis] = -1
    scales = np.array(attribute.scales, np.float32).astype(np.float64).reshape(shape)
    expected = np.rint(exact / scales + np.array(attribute.zero_points).reshape(shape))
    clamped = np.clip(expected, attribute.storage_min, attribute.storage_max)
    return float(np.abs(result.astype(np.float64) - clamped).max())


@pytest.mark.parametrize(
    ("rhs", "result"),
    [
        (KERNEL, "i8:f32, 30.0:3"),
        (KERNEL, "i32:f32, 0.125"),
        (COLUMNS, "i8:f32, 60.0:-5"),
        (COLUMNS, "i8:f32:1, {50.5:2,20.25,4.03:-5}"),
        (COLUMNS, "i32:f32:1, {0.25,0.125,0.015}"),
    ],
)
def test_dot_general(rhs: str, result: str) -> None:
    types, expected = [tensor("5x64", LHS), tensor("64x3", rhs)], tensor("5x3", result)
    case = operation("dot_general", types, expected, DOT)
    text = f"""func.func @main(%in0: {types[0]}, %in1: {types[1]}) -> {expected} {{
      {case.text}
      return %out0 : {expected}
    }}"""
    lhs, kernel = values(types[0]), values(types[1], 1)
    exact = numbers(lhs, types[0]) @ numbers(kernel, types[1])
    assert steps_off(run(text, lhs, kernel)[0], exact, expected) <= 1
    check([replace(case, tolerance=Steps(1))])


def test_dot_general_of_small_integers_is_exact() -> None:
    lhs, rhs, expected = (
        tensor(s, e)
        for s, e in (("1x3", "i8:f32, 0.5:1"), ("3x1", KERNEL), ("1x1", "i32:f32, 0.125"))
    )
    text = f"""func.func @main(%x: {lhs}, %y: {rhs}) -> {expected} {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {expected}
      return %0 : {expected}
    }}"""
    x, y = np.array([[2, 3, -4]], np.int8), np.array([[10], [-1], [2]], np.int8)
    assert run(text, x, y)[0] == 1 * 10 + 2 * -1 + -5 * 2  # in steps of 1/8


@pytest.mark.parametrize("rhs", [KERNEL, COLUMNS])
def test_hybrid_dot_general(rhs: str) -> None:
    """Dequantize, then compute with floats: never the other way round."""
    types = [tensor("5x64", "f32"), tensor("64x3", rhs)]
    case = operation("dot_general", types, "tensor<5x3xf32>", DOT)
    text = f"""func.func @main(%in0: {types[0]}, %in1: {types[1]}) -> tensor<5x3xf32> {{
      {case.text}
      return %out0 : tensor<5x3xf32>
    }}"""
    lhs, kernel = values(types[0]), values(types[1], 1)
    weights = numbers(kernel, types[1])
    terms = np.abs(lhs.astype(np.float64)) @ np.abs(weights)
    error = np.abs(run(text, lhs, kernel)[0] - lhs.astype(np.float64) @ weights)
    assert (error <= 64 * np.finfo(np.float32).eps * terms).all()


OUTPUTS = "i8<-127:127>:f32:3, {0.5,0.25,0.03}"
LAYOUT = (
    "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
    "padding = dense<1> : tensor<2x2xi64>, batch_group_count = 1 : i64, "
    "feature_group_count = 1 : i64"
)


@pytest.mark.parametrize(
    ("rhs", "result"),
    [
        (KERNEL, "i8:f32, 60.0:3"),
        (OUTPUTS, "i8:f32, 60.0:3"),
        (OUTPUTS, "u8:f32:3, {50.5:120,20.25:100,4.03:130}"),
        (OUTPUTS, "i32:f32:3, {0.25,0.125,0.015}"),
    ],
)
def test_convolution(rhs: str, result: str) -> None:
    types = [tensor("2x5x5x2", LHS), tensor("3x3x2x3", rhs)]
    case = operation("convolution", types, tensor("2x5x5x3", result), LAYOUT, steps=1)
    check([case])


def test_convolution_of_single_cells() -> None:
    """Padding counts as the number 0, not as the integer 0."""
    lhs, rhs, expected = (tensor("1x2x1", e) for e in ("i8:f32, 0.5:3", KERNEL, "i8:f32, 0.125:-1"))
    rhs = tensor("3x1x1", KERNEL)
    text = f"""func.func @main(%x: {lhs}, %y: {rhs}) -> {expected} {{
      %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {{pad = [[1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : ({lhs}, {rhs}) -> {expected}
      return %0 : {expected}
    }}"""
    x, y = np.array([[[5], [2]]], np.int8), np.array([[[1]], [[2]], [[4]]], np.int8)
    # numbers 1 and -0.5; taps 0.25, 0.5 and 1
    assert run(text, x, y)[0].reshape(-1).tolist() == [-1, -1]


def test_hybrid_convolution() -> None:
    types = [tensor("2x5x5x2", "f32"), tensor("3x3x2x3", OUTPUTS)]
    case = operation("convolution", types, tensor("2x5x5x3", "f32"), LAYOUT)
    text = f"""func.func @main(%in0: {types[0]}, %in1: {types[1]}) -> tensor<2x5x5x3xf32> {{
      {case.text}
      return %out0 : tensor<2x5x5x3xf32>
    }}"""
    lhs, kernel = values(types[0]), values(types[1], 1)
    weights = numbers(kernel, types[1])
    padded = np.pad(lhs.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    exact = np.einsum("byxiuv,uvio->byxo", patches, weights)
    terms = np.einsum("byxiuv,uvio->byxo", np.abs(patches), np.abs(weights))
    error = np.abs(run(text, lhs, kernel)[0] - exact)
    assert (error <= 18 * np.finfo(np.float32).eps * terms).all()


def test_batch_normalization() -> None:
    batch, features = tensor("4x3", LHS), tensor("3", LHS)
    attributes = "epsilon = 100.0 : f32, feature_index = 1 : i64"
    variance = np.array([3, 5, 100], np.int8)
    arguments = [batch, *[features] * 4]
    arrays = [values(batch), *[values(features, i) for i in range(3)], variance]
    inference = operation(
        "batch_norm_inference", arguments, batch, attributes, inputs=arrays, steps=1
    )
    types = f"({batch}, {features}, {features}) -> ({batch}, {features}, {features})"
    training = f"""%out0, %out1, %out2 = "stablehlo.batch_norm_training"(%in0, %in1, %in2)
      {{{attributes}}} : {types}"""
    arguments = [batch, features, features, features, batch]
    gradient = f"""%out0, %out1, %out2 = "stablehlo.batch_norm_grad"(%in0, %in1, %in2, %in3, %in4)
      {{{attributes}}} : ({", ".join(arguments)}) -> ({batch}, {features}, {features})"""
    results = [batch, features, features]
    inputs = [values(batch), values(features), values(features, 1), variance, values(batch, 2)]
    check(
        [
            inference,
            snippet("batch_norm_training", arguments[:3], training, results, steps=1),
            snippet("batch_norm_grad", arguments, gradient, results, inputs, steps=1),
        ]
    )


def test_cholesky() -> None:
    one = tensor("3x3", "i8:f32, 0.25")
    square = np.array([[64, 16, 8], [16, 68, 4], [8, 4, 101]], np.int8)
    case = operation("cholesky", [one], one, "lower = true", inputs=[square], steps=1)
    text = f"""func.func @main(%in0: {one}) -> {one} {{
      {case.text}
      return %out0 : {one}
    }}"""
    # [[16, 4, 2], [4, 17, 1], [2, 1, 25.25]] is the square of [[4, 0, 0], [1, 4, 0], [.5, .125, 5]]
    lower = np.tril(run(text, square)[0])
    assert lower.tolist() == [[16, 0, 0], [4, 16, 0], [2, 0, 20]]
    check([case])
