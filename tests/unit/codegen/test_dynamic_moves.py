"""Kernels that read and write where numbers of the program say."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "ui8": np.uint8, "i1": np.bool_}


def values(shape: tuple[int, ...], type: str, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed).integers(0, 100, shape)
    return (numbers % 2 if type == "i1" else numbers).astype(TYPES[type])


@pytest.mark.parametrize("start", [-(2**31), -1, 0, 3, 5, 6, 2**31 - 1])
@pytest.mark.parametrize("type", TYPES)
def test_a_dynamic_slice_is_read_inside_a_kernel(type: str, start: int) -> None:
    text = f"""func.func @main(%x: tensor<8x70x{type}>, %i: tensor<i32>) -> tensor<37x3x{type}> {{
      %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 37]
        : (tensor<8x70x{type}>, tensor<i32>, tensor<i32>) -> tensor<3x37x{type}>
      %1 = stablehlo.transpose %0, dims = [1, 0]
        : (tensor<3x37x{type}>) -> tensor<37x3x{type}>
      %2 = stablehlo.maximum %1, %1 : tensor<37x3x{type}>
      return %2 : tensor<37x3x{type}>
    }}"""
    assert_staged(text, values((8, 70), type), np.int32(start))


@pytest.mark.parametrize("start", [0, 100, 255])
def test_starts_without_a_sign_are_large(start: int) -> None:
    text = """func.func @main(%x: tensor<300xf32>, %i: tensor<ui8>) -> tensor<10xf32> {
      %0 = stablehlo.dynamic_slice %x, %i, sizes = [10]
        : (tensor<300xf32>, tensor<ui8>) -> tensor<10xf32>
      %1 = stablehlo.negate %0 : tensor<10xf32>
      return %1 : tensor<10xf32>
    }"""
    assert_staged(text, values((300,), "f32"), np.uint8(start))


def test_starts_that_are_computed_in_the_same_program() -> None:
    text = """func.func @main(%x: tensor<64xf32>, %i: tensor<i64>) -> tensor<7xf32> {
      %one = stablehlo.constant dense<1> : tensor<i64>
      %0 = stablehlo.add %i, %one : tensor<i64>
      %1 = stablehlo.dynamic_slice %x, %0, sizes = [7]
        : (tensor<64xf32>, tensor<i64>) -> tensor<7xf32>
      %2 = stablehlo.multiply %1, %1 : tensor<7xf32>
      %3 = stablehlo.dynamic_slice %2, %i, sizes = [7]
        : (tensor<7xf32>, tensor<i64>) -> tensor<7xf32>
      return %3 : tensor<7xf32>
    }"""
    assert_staged(text, values((64,), "f32"), np.int64(9))


def test_a_product_reads_a_dynamic_slice() -> None:
    text = """func.func @main(%w: tensor<3x8x8xf32>, %x: tensor<4x8xf32>, %i: tensor<i32>)
        -> tensor<4x8xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 8, 8]
        : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %1 = stablehlo.reshape %0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      return %2 : tensor<4x8xf32>
    }"""
    assert_staged(text, values((3, 8, 8), "f32"), values((4, 8), "f32"), np.int32(1))


@pytest.mark.parametrize("start", [-5, 0, 2, 1000])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(
    "shape, part",
    [
        ((8, 70), (3, 37)),
        ((8, 70), (8, 1)),
        ((8, 70), (1, 70)),
        ((8, 70), (3, 70)),
        ((8, 70), (8, 70)),
        ((2, 3, 5, 7), (2, 1, 5, 7)),
        ((2, 3, 5, 7), (1, 3, 5, 2)),
        ((100,), (33,)),
        ((5, 4), (0, 4)),
        ((), ()),
    ],
)
def test_an_update_is_written_over_its_operand(
    shape: tuple[int, ...], part: tuple[int, ...], type: str, start: int
) -> None:
    whole = "x".join([*map(str, shape), type])
    small = "x".join([*map(str, part), type])
    starts = "".join([", %i"] * len(shape))
    types = "".join([", tensor<i32>"] * len(shape))
    text = f"""func.func @main(%x: tensor<{whole}>, %u: tensor<{small}>, %i: tensor<i32>)
        -> tensor<{whole}> {{
      %0 = stablehlo.dynamic_update_slice %x, %u{starts}
        : (tensor<{whole}>, tensor<{small}>{types}) -> tensor<{whole}>
      return %0 : tensor<{whole}>
    }}"""
    assert_staged(text, values(shape, type), values(part, type, seed=1), np.int32(start))


def test_an_update_that_is_a_view_of_its_operand() -> None:
    text = """func.func @main(%x: tensor<64xf32>, %i: tensor<i32>) -> tensor<64xf32> {
      %0 = stablehlo.slice %x [0:40] : (tensor<64xf32>) -> tensor<40xf32>
      %1 = stablehlo.reverse %0, dims = [0] : tensor<40xf32>
      %2 = stablehlo.dynamic_update_slice %x, %1, %i
        : (tensor<64xf32>, tensor<40xf32>, tensor<i32>) -> tensor<64xf32>
      return %2 : tensor<64xf32>
    }"""
    assert_staged(text, values((64,), "f32"), np.int32(11))
