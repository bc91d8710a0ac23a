"""Programs that MLIR's verifier takes and the specification does not: both backends refuse them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError

LEAST = -(2**63)  # MLIR's mark of an unknown size

REDUCE_WINDOW = """func.func @main(%x: tensor<9xi16>, %init: tensor<i16>) -> tensor<3xi16> {{
  %0 = "stablehlo.reduce_window"(%x, %init) <{{window_dimensions = array<i64: {window}>,
      window_strides = array<i64: 3>}}> ({{
  ^bb0(%a: tensor<i16>, %b: tensor<i16>):
    %1 = stablehlo.add %a, %b : tensor<i16>
    stablehlo.return %1 : tensor<i16>
  }}) : (tensor<9xi16>, tensor<i16>) -> tensor<3xi16>
  return %0 : tensor<3xi16>
}}"""

SELECT_AND_SCATTER = """
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) -> tensor<4xf32> {{
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{{window_dimensions = array<i64: {window}>,
      window_strides = array<i64: 2>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""

FFT = """func.func @main(%x: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {{
  %0 = "stablehlo.fft"(%x) <{{fft_length = array<i64: {window}>,
      fft_type = #stablehlo<fft_type FFT>}}> : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}}"""

TOP_K = """func.func @main(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {
    mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64
  } : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}"""


def _random_bits(state: str, declared: str, algorithm: str = "THREE_FRY") -> str:
    return f"""func.func @main(%s: tensor<{state}>) -> tensor<4xui32> {{
      %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm}
        : (tensor<{state}>) -> (tensor<{declared}>, tensor<4xui32>)
      return %1 : tensor<4xui32>
    }}"""


QUANTIZED = "!quant.uniform<i8:f32, 0.1:3>"
DYNAMIC_CONV = f"""
func.func @main(%x: tensor<1x4x1x{QUANTIZED}>, %k: tensor<3x1x1x{QUANTIZED}>,
                %padding: tensor<1x2xi64>) -> tensor<1x4x1x{QUANTIZED}> {{
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {{
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  }} : (tensor<1x4x1x{QUANTIZED}>, tensor<3x1x1x{QUANTIZED}>, tensor<1x2xi64>)
    -> tensor<1x4x1x{QUANTIZED}>
  return %0 : tensor<1x4x1x{QUANTIZED}>
}}"""

BITCAST = """func.func @main(%x: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}"""

SELECT = """func.func @main(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xi32> {
  %0 = "chlo.broadcast_select"(%p, %x, %x)
    : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}"""

END = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  stablehlo.return %x : tensor<4xf32>
}"""


def _form(name: str, type: str) -> str:
    return f"""func.func @main(%x: tensor<9x{type}>, %y: tensor<{type}>) -> tensor<9x{type}> {{
      %0 = chlo.broadcast_{name} %x, %y : (tensor<9x{type}>, tensor<{type}>) -> tensor<9x{type}>
      return %0 : tensor<9x{type}>
    }}"""


i16, f32 = np.ones(9, np.int16), np.ones(4, np.float32)
CASES: dict[str, tuple[str, list[Any]]] = {
    "reduce_window": (REDUCE_WINDOW.format(window=LEAST), [i16, np.int16(0)]),
    "select_and_scatter": (SELECT_AND_SCATTER.format(window=LEAST), [f32, f32[:2], f32[0]]),
    "fft -1": (FFT.format(window=-1), [np.ones(4, np.complex128)]),
    "fft": (FFT.format(window=LEAST), [np.ones(4, np.complex128)]),
    "topk": (TOP_K, [np.ones((2, 9), np.float32)]),
    "state of 64": (_random_bits("64xui64", "64xui64"), [np.ones(64, np.uint64)]),
    "state of 3": (_random_bits("3xui64", "3xui64"), [np.ones(3, np.uint64)]),
    "state of 8-bit words": (_random_bits("16xui8", "16xui8"), [np.ones(16, np.uint8)]),
    "state of floats": (_random_bits("2xf64", "2xf64"), [np.ones(2)]),
    "another state": (_random_bits("2xui64", "2xf32"), [np.ones(2, np.uint64)]),
    "dynamic_conv": (
        DYNAMIC_CONV,
        [np.ones((1, 4, 1), np.int8), np.ones((3, 1, 1), np.int8), np.zeros((1, 2), np.int64)],
    ),
    "bitcast_convert": (BITCAST, [f32]),
    "broadcast_select": (SELECT, [np.True_, f32[:3]]),
    "stablehlo.return": (END, [f32]),
    "broadcast_divide of booleans": (_form("divide", "i1"), [i16 == 1, np.True_]),
    "broadcast_power of booleans": (_form("power", "i1"), [i16 == 1, np.True_]),
    "broadcast_shift_left of floats": (_form("shift_left", "f32"), [f32, f32[0]]),
    "broadcast_shift_right_logical of floats": (_form("shift_right_logical", "f64"), [f32, f32[0]]),
    "broadcast_atan2 of integers": (_form("atan2", "i16"), [i16, i16[0]]),
    "broadcast_next_after of integers": (_form("next_after", "i16"), [i16, i16[0]]),
}


@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
@pytest.mark.parametrize("name", CASES)
def test_is_refused(run: Callable[..., Any], name: str) -> None:
    program, arguments = CASES[name]
    with pytest.raises(ShloError, match=r"stablehlo\.|chlo\."):
        run(program, *arguments)


@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
def test_windows_that_are_right(run: Callable[..., Any]) -> None:
    got = run(REDUCE_WINDOW.format(window=2), np.arange(9, dtype=np.int16), np.int16(0))
    np.testing.assert_array_equal(got, [0 + 1, 3 + 4, 6 + 7])


@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint32])
def test_states_of_other_integers(run: Callable[..., Any], algorithm: str, dtype: Any) -> None:
    """They are read as words of ui64, the low half first: ``bitcast_convert`` joins them so."""
    words = np.array([0x8000000180000002, 0xFFFFFFFFFFFFFFFF], np.uint64)
    names = {np.int64: "2xi64", np.int32: "4xi32", np.uint32: "4xui32"}
    program = _random_bits("2xui64", "2xui64", algorithm)
    other = program.replace("2xui64", names[dtype])
    np.testing.assert_array_equal(run(other, words.view(dtype)), run(program, words))


CONVOLUTION = """
func.func @main(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<?x?x?x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, -3], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<?x?x?x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x?x?x8xf32>
  return %0 : tensor<?x?x?x8xf32>
}"""


@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
@pytest.mark.parametrize("rows", [0, 1, 2, 4, 5])
def test_padding_beyond_the_data_leaves_no_windows(run: Callable[..., Any], rows: int) -> None:
    """By C25 of ``convolution`` a window larger than what is left makes the result empty."""
    got = run(CONVOLUTION, np.ones((1, rows, 2, 3), np.float32), np.ones((3, 3, 3, 8), np.float32))
    assert got.shape == (1, max(rows + 1 - 3 - 3 + 1, 0), 2, 8)
