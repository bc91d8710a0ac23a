"""Vectors of bytes and of two bytes, of which only some lanes exist, beside unmapped memory."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import NARROWER, assert_passes, assert_staged

from shlo_tools.dtypes import ELEMENT_TYPES

ELEMENTS = ("i8", "ui8", "i16", "ui16", "f16", "bf16", "i1")
# What takes anything as it is, spelled as a constant, of minima and of "and".
MOST = {"i8": 127, "ui8": 255, "i16": 32767, "ui16": 65535, "f16": "0x7C00", "bf16": "0x7F80"}
ONES = {"i8": -1, "ui8": 255, "i16": -1, "ui16": 65535}


def array(shape: tuple[int, ...], element: str) -> np.ndarray:
    numbers = np.random.default_rng(len(element)).integers(0, 256, shape)
    return numbers.astype(ELEMENT_TYPES[element].dtype)


def windows(op: str, element: str, width: int, size: int, start: object) -> str:
    type, scalar = f"tensor<9x{width}x{element}>", f"tensor<{element}>"
    return f"""
    func.func @main(%x: {type}) -> {type} {{
      %c = stablehlo.constant dense<{start}> : {scalar}
      %0 = "stablehlo.reduce_window"(%x, %c) <{{window_dimensions = array<i64: {size}, {size}>,
          padding = dense<{size // 2}> : tensor<2x2xi64>}}> ({{
        ^bb0(%a: {scalar}, %b: {scalar}):
          %s = stablehlo.{op} %a, %b : {scalar}
          stablehlo.return %s : {scalar}
      }}) : ({type}, {scalar}) -> {type}
      return %0 : {type}
    }}"""


@pytest.mark.parametrize("width", [5, 31, 33, 64, 133, 250])
@pytest.mark.parametrize("element", MOST)
def test_windows(element: str, width: int) -> None:
    """Padding that changes nothing, and padding that does, in windows of few and many elements."""
    x = array((9, width), element)
    for start in (MOST[element], "3.0" if element in ("f16", "bf16") else 3):
        assert_staged(windows("minimum", element, width, 3, start), x)
    assert_staged(windows("minimum", element, width, 9, MOST[element]), x)


@pytest.mark.parametrize("element", ONES)
def test_bits_that_all_elements_have(element: str) -> None:
    assert_staged(windows("and", element, 70, 5, ONES[element]), array((9, 70), element))


@pytest.mark.parametrize("width", [3, 9, 37, 67, 133])
@pytest.mark.parametrize("element", ELEMENTS)
def test_rows(element: str, width: int) -> None:
    """Rows that are no whole vectors, loaded forwards and backwards, and stored."""
    type, part = f"tensor<7x{width}x{element}>", f"tensor<7x1x{element}>"
    row = f"tensor<{width}x{element}>"
    text = f"""
    func.func @main(%x: {type}, %y: {row}, %z: {part}) -> {type} {{
      %0 = stablehlo.reverse %x, dims = [1] : {type}
      %1 = stablehlo.broadcast_in_dim %y, dims = [1] : ({row}) -> {type}
      %2 = stablehlo.broadcast_in_dim %z, dims = [0, 1] : ({part}) -> {type}
      %3 = stablehlo.maximum %0, %1 : {type}
      %4 = stablehlo.minimum %3, %2 : {type}
      return %4 : {type}
    }}"""
    assert_staged(text, *(array(shape, element) for shape in ((7, width), (width,), (7, 1))))


@pytest.mark.parametrize("name", NARROWER)
def test_narrower_registers(name: str) -> None:
    assert_passes(__file__, name)
