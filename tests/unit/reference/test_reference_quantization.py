"""Quantized tensors in the reference."""

from __future__ import annotations

import numpy as np
from reference_arrays import array, run, same

from shlo_tools.reference import quantization

PER_TENSOR = "!quant.uniform<i8:f32, 0.5:3>"


def test_quantize_clamps_then_rounds_to_even() -> None:
    body = """
      %q = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 1.0>>
      %b = stablehlo.bitcast_convert %q : (tensor<6x!quant.uniform<i8:f32, 1.0>>) -> tensor<6xi8>
      return %b : tensor<6xi8>"""
    x = array("f32", 0.5, 1.5, 2.5, -0.5, 1e9, -1e9)
    result = run(body, x, signature="(%x: tensor<6xf32>) -> tensor<6xi8>")
    assert result.tolist() == [0, 2, 2, 0, 127, -128]


def test_quantized_arithmetic_and_movement() -> None:
    type = f"tensor<2x{PER_TENSOR}>"
    body = f"""
      %s = stablehlo.add %x, %y : {type}
      %r = stablehlo.reverse %s, dims = [0] : {type}
      %f = stablehlo.uniform_dequantize %r : ({type}) -> tensor<2xf32>
      return %f, %r : tensor<2xf32>, {type}"""
    signature = f"(%x: {type}, %y: {type}) -> (tensor<2xf32>, {type})"
    numbers, integers = run(body, [5, 127], [7, -128], signature=signature)
    # (5 - 3 + 7 - 3) / 2 and (124 - 131) / 2, reversed
    assert numbers.tolist() == [-3.5, 3.0]
    assert integers.tolist() == [-4, 9]


def test_quantized_reduction() -> None:
    body = f"""
      %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] :
        (tensor<3x{PER_TENSOR}>, tensor<{PER_TENSOR}>) -> tensor<{PER_TENSOR}>
      return %r : tensor<{PER_TENSOR}>"""
    signature = f"(%x: tensor<3x{PER_TENSOR}>, %i: tensor<{PER_TENSOR}>) -> tensor<{PER_TENSOR}>"
    assert run(body, [4, 5, 6], 3, signature=signature) == 3 + 1 + 2 + 3


def test_hybrid_dot_with_scales_per_axis() -> None:
    kernel = "tensor<2x2x!quant.uniform<i8:f32:1, {0.5,2.0}>>"
    body = f"""
      %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] :
        (tensor<1x2xf32>, {kernel}) -> tensor<1x2xf32>
      return %r : tensor<1x2xf32>"""
    signature = f"(%x: tensor<1x2xf32>, %w: {kernel}) -> tensor<1x2xf32>"
    x, w = array("f32", 1, 10).reshape(1, 2), [[3, 4], [-128, 1]]
    expected = x @ np.array([[1.5, 8.0], [-64.0, 2.0]], np.float32)
    same(run(body, x, w, signature=signature), expected)


def test_dequantize_does_not_wrap() -> None:
    type = quantization.quantized_element("tensor<1x!quant.uniform<i8:f32, 1.0:-128>>")
    numbers = quantization.dequantize(quantization.QuantizedArray(array("i8", 127), type))
    assert numbers.tolist() == [255.0]
