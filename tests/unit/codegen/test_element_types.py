"""Values of every element type between ops: loads, moves, selects, reductions, conversions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.codegen import target
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.narrow_floats import is_narrow

TYPES = [row.name for row in ELEMENT_TYPES.values() if row.name != "index"]
SIZES = [1, 7, 32, 65]


def whole(element: str, shape: tuple[int, ...], seed: int) -> Any:
    """Small whole numbers, which every type holds and whose sums are exact."""
    row = ELEMENT_TYPES[element]
    numbers = np.random.default_rng(seed).integers(0, 2, shape)
    if row.is_complex:
        numbers = numbers + 1j * np.random.default_rng(seed + 1).integers(0, 2, shape)
    if element == "f8E8M0FNU":
        numbers = numbers + 1  # it has no zero
    return numbers.astype(row.dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("element", TYPES)
def test_moves_between_arithmetic(element: str, size: int) -> None:
    """Odd sizes, so that the last vectors are masked; strides, so that lanes lie apart."""
    type, turned = f"tensor<3x{size}x{element}>", f"tensor<{size}x3x{element}>"
    text = f"""func.func @main(%x: {type}, %y: {turned}, %p: tensor<3x{size}xi1>) -> {type} {{
      %0 = stablehlo.transpose %y, dims = [1, 0] : ({turned}) -> {type}
      %1 = stablehlo.reverse %0, dims = [1] : {type}
      %2 = stablehlo.maximum %x, %1 : {type}
      %3 = stablehlo.select %p, %2, %x : tensor<3x{size}xi1>, {type}
      %4 = stablehlo.slice %3 [0:3, 0:{size}:2] : ({type}) -> tensor<3x{-(-size // 2)}x{element}>
      %z = stablehlo.constant dense<1> : tensor<i32>
      %c = stablehlo.convert %z : (tensor<i32>) -> tensor<{element}>
      %5 = stablehlo.pad %4, %c, low = [0, 0], high = [0, {size // 2}], interior = [0, 0]
        : (tensor<3x{-(-size // 2)}x{element}>, tensor<{element}>) -> {type}
      %6 = stablehlo.multiply %5, %1 : {type}
      return %6 : {type}
    }}"""
    p = np.random.default_rng(2).integers(0, 2, (3, size)).astype(bool)
    assert_staged(text, whole(element, (3, size), 0), whole(element, (size, 3), 1), p)


@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("element", [t for t in TYPES if not is_narrow(ELEMENT_TYPES[t])])
def test_sums_of_whole_numbers(element: str, dimensions: tuple[int, ...]) -> None:
    rows, columns = 5, 37
    left = [size for d, size in enumerate((rows, columns)) if d not in dimensions]
    result = f"tensor<{'x'.join([*map(str, left), element])}>"
    type = f"tensor<{rows}x{columns}x{element}>"
    text = f"""func.func @main(%x: {type}) -> {result} {{
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.convert %z : (tensor<i32>) -> tensor<{element}>
      %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add
        across dimensions = {list(dimensions)} : ({type}, tensor<{element}>) -> {result}
      return %0 : {result}
    }}"""
    assert_staged(text, whole(element, (rows, columns), 0))


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_moved_bits_stay(element: str) -> None:
    """Denormals and NaN of all kinds go through selects, transpositions and casts as they are."""
    patterns = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    type = f"tensor<256x256x{element}>"
    bits = "tensor<256x256xui16>"
    text = f"""func.func @main(%b: {bits}, %p: tensor<256x256xi1>) -> {bits} {{
      %x = stablehlo.bitcast_convert %b : ({bits}) -> {type}
      %0 = stablehlo.transpose %x, dims = [1, 0] : ({type}) -> {type}
      %1 = stablehlo.select %p, %x, %0 : tensor<256x256xi1>, {type}
      %2 = stablehlo.negate %1 : {type}
      %3 = stablehlo.abs %2 : {type}
      %4 = stablehlo.select %p, %1, %3 : tensor<256x256xi1>, {type}
      %5 = stablehlo.bitcast_convert %4 : ({type}) -> {bits}
      return %5 : {bits}
    }}"""
    p = np.random.default_rng(0).integers(0, 2, (256, 256)).astype(bool)
    assert_staged(text, patterns, p)


@pytest.mark.parametrize(
    "source, target", [("f32", "ui8"), ("i64", "i16"), ("f64", "ui32"), ("ui16", "i4")]
)
def test_parts_of_elements(source: str, target: str) -> None:
    """Elements as their parts, and back."""
    wide, narrow = ELEMENT_TYPES[source], ELEMENT_TYPES[target]
    parts = wide.bits // narrow.bits
    of, to = f"tensor<33x{source}>", f"tensor<33x{parts}x{target}>"
    text = f"""func.func @main(%x: {of}) -> ({to}, {of}) {{
      %0 = stablehlo.bitcast_convert %x : ({of}) -> {to}
      %1 = stablehlo.reverse %0, dims = [0] : {to}
      %2 = stablehlo.bitcast_convert %1 : ({to}) -> {of}
      return %0, %2 : {to}, {of}
    }}"""
    x = np.random.default_rng(0).integers(0, 200, 33).astype(wide.dtype) * 3
    assert_staged(text, x.astype(wide.dtype))


def test_halves_without_instructions_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that has no conversions of f16 gets them as integer arithmetic."""
    without = replace(target.host(), converts_f16=False)
    monkeypatch.setattr(target, "host", lambda: without)
    text = """func.func @main(%x: tensor<65536xf16>, %y: tensor<65536xf32>)
        -> (tensor<65536xf32>, tensor<65536xf16>) {
      %0 = stablehlo.convert %x : (tensor<65536xf16>) -> tensor<65536xf32>
      %1 = stablehlo.convert %y : (tensor<65536xf32>) -> tensor<65536xf16>
      return %0, %1 : tensor<65536xf32>, tensor<65536xf16>
    }"""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    steps = np.random.default_rng(0).integers(-1, 2, 1 << 16)
    ties = x.astype(np.float32).view(np.int32) + 4096 + steps  # next to the middle of two
    y = np.where(np.isnan(x), np.nan, ties.astype(np.int32).view(np.float32)).astype(np.float32)
    wide, narrow = compile(text)(x, y)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(wide, x.astype(np.float32))
        np.testing.assert_array_equal(narrow, y.astype(np.float16))


@pytest.mark.parametrize("adds_words", {False, target.host().adds_words})
def test_bf16_between_ops(adds_words: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each op rounds, to even, denormals and numbers next to infinity too; NaN stays NaN.

    What is rounded is what f32 has the sum, the product and the quotient of two bf16 rounded to.
    """
    rounding = replace(target.host(), adds_words=adds_words)
    monkeypatch.setattr(target, "host", lambda: rounding)
    text = """func.func @main(%a: tensor<65536xui16>, %b: tensor<65536xui16>)
        -> (tensor<65536xf32>, tensor<65536xf32>) {
      %x = stablehlo.bitcast_convert %a : (tensor<65536xui16>) -> tensor<65536xbf16>
      %y = stablehlo.bitcast_convert %b : (tensor<65536xui16>) -> tensor<65536xbf16>
      %0 = stablehlo.multiply %x, %y : tensor<65536xbf16>
      %1 = stablehlo.negate %0 : tensor<65536xbf16>
      %2 = stablehlo.add %1, %x : tensor<65536xbf16>
      %3 = stablehlo.abs %2 : tensor<65536xbf16>
      %4 = stablehlo.subtract %3, %y : tensor<65536xbf16>
      %5 = stablehlo.divide %4, %x : tensor<65536xbf16>
      %6 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf32>
      %7 = stablehlo.convert %5 : (tensor<65536xbf16>) -> tensor<65536xf32>
      return %6, %7 : tensor<65536xf32>, tensor<65536xf32>
    }"""
    codes = np.arange(1 << 16, dtype=np.uint16)
    for seed in range(4):
        assert_staged(text, codes, np.random.default_rng(seed).permutation(codes))


def test_bf16_that_is_not_rounded() -> None:
    """The greater of two, the lesser, and whole numbers near one are bf16 as they are."""
    text = """func.func @main(%a: tensor<65536xui16>, %b: tensor<65536xui16>)
        -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>) {
      %x = stablehlo.bitcast_convert %a : (tensor<65536xui16>) -> tensor<65536xbf16>
      %y = stablehlo.bitcast_convert %b : (tensor<65536xui16>) -> tensor<65536xbf16>
      %0 = stablehlo.maximum %x, %y : tensor<65536xbf16>
      %1 = stablehlo.minimum %0, %x : tensor<65536xbf16>
      %2 = stablehlo.floor %0 : tensor<65536xbf16>
      %3 = stablehlo.ceil %1 : tensor<65536xbf16>
      %4 = stablehlo.subtract %2, %3 : tensor<65536xbf16>
      %5 = stablehlo.round_nearest_even %y : tensor<65536xbf16>
      %6 = stablehlo.convert %1 : (tensor<65536xbf16>) -> tensor<65536xf32>
      %7 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf32>
      %8 = stablehlo.convert %5 : (tensor<65536xbf16>) -> tensor<65536xf32>
      return %6, %7, %8 : tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>
    }"""
    codes = np.arange(1 << 16, dtype=np.uint16)
    for seed in range(4):
        with np.errstate(invalid="ignore"):  # the reference has NaN as f64
            assert_staged(text, codes, np.random.default_rng(seed).permutation(codes))
