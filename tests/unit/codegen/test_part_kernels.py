"""Kernels that read what is made of parts: pads of every form, concatenations, reversed tensors."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile

TYPES = {"f32": np.float32, "f64": np.float64, "i16": np.int16, "i1": np.bool_}
# shape, low, high, interior
PADS = [
    ((5,), (2,), (3,), (0,)),
    ((40,), (2,), (33,), (1,)),
    ((40,), (-3,), (-4,), (2,)),
    ((40,), (-3,), (7,), (3,)),
    ((1,), (1,), (-1,), (0,)),
    ((1,), (-1,), (1,), (0,)),
    ((2,), (-1,), (0,), (0,)),
    ((0,), (3,), (2,), (4,)),
    ((3, 70), (1, 2), (2, 3), (0, 0)),
    ((3, 70), (1, -2), (0, 3), (2, 0)),
    ((3, 70), (-1, 2), (4, -3), (0, 2)),
    ((1, 33), (1, 0), (-1, 0), (0, 0)),
    ((0, 33), (2, 1), (0, 0), (0, 0)),
    ((2, 3, 5), (1, 0, 2), (0, 1, 1), (1, 2, 3)),
    ((2, 3, 5), (0, 0, 0), (-2, 0, 0), (0, 0, 0)),
]


def values(shape: tuple[int, ...], type: str, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed).integers(0, 100, shape)
    return (numbers % 2 if type == "i1" else numbers).astype(TYPES[type])


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def double(type: str) -> str:
    return "stablehlo.or" if type == "i1" else "stablehlo.add"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape, low, high, interior", PADS)
def test_a_pad(
    shape: tuple[int, ...],
    low: tuple[int, ...],
    high: tuple[int, ...],
    interior: tuple[int, ...],
    type: str,
) -> None:
    grown = [
        size + a + b + max(0, size - 1) * k
        for size, a, b, k in zip(shape, low, high, interior, strict=True)
    ]
    of, to = typed(shape, type), typed(tuple(grown), type)
    text = f"""func.func @main(%x: {of}, %p: tensor<{type}>) -> {to} {{
      %0 = stablehlo.pad %x, %p, low = {list(low)}, high = {list(high)}, interior = {list(interior)}
        : ({of}, tensor<{type}>) -> {to}
      %1 = {double(type)} %0, %0 : {to}
      return %1 : {to}
    }}"""
    assert_staged(text, values(shape, type), values((), type, 1))


SIZES = [(5, 7), (1, 1), (40, 33), (32, 64), (0, 3), (3, 0, 4), (2, 3, 4, 5, 6)]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("dimension", [0, 1])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("is_read", [True, False])
def test_a_concatenation(sizes: tuple[int, ...], dimension: int, type: str, is_read: bool) -> None:
    shapes = [(size, 9) if dimension == 0 else (9, size) for size in sizes]
    whole = (sum(sizes), 9) if dimension == 0 else (9, sum(sizes))
    types, to = [typed(shape, type) for shape in shapes], typed(whole, type)
    arguments = ", ".join(f"%x{k}: {of}" for k, of in enumerate(types))
    parts = "\n".join(
        f"%y{k} = {double(type)} %x{k}, %x{k} : {of}" for k, of in enumerate(types) if k % 2
    )
    names = ", ".join(f"%{'y' if k % 2 else 'x'}{k}" for k in range(len(types)))
    reader = f"%1 = {double(type)} %0, %0 : {to}" if is_read else ""
    text = f"""func.func @main({arguments}) -> {to} {{
      {parts}
      %0 = stablehlo.concatenate {names}, dim = {dimension} : ({", ".join(types)}) -> {to}
      {reader}
      return %{int(is_read)} : {to}
    }}"""
    assert_staged(text, *(values(shape, type, k) for k, shape in enumerate(shapes)))


def test_halves_that_change_places() -> None:
    text = """func.func @main(%x: tensor<6x70xf32>, %c: tensor<70xf32>) -> tensor<6x70xf32> {
      %0 = stablehlo.slice %x [0:6, 0:35] : (tensor<6x70xf32>) -> tensor<6x35xf32>
      %1 = stablehlo.slice %x [0:6, 35:70] : (tensor<6x70xf32>) -> tensor<6x35xf32>
      %2 = stablehlo.negate %1 : tensor<6x35xf32>
      %3 = stablehlo.concatenate %2, %0, dim = 1
        : (tensor<6x35xf32>, tensor<6x35xf32>) -> tensor<6x70xf32>
      %4 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<70xf32>) -> tensor<6x70xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<6x70xf32>
      %6 = stablehlo.add %5, %x : tensor<6x70xf32>
      return %6 : tensor<6x70xf32>
    }"""
    assert_staged(text, values((6, 70), "f32"), values((70,), "f32", 1))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("dimensions", [[0], [1], [0, 1]])
@pytest.mark.parametrize("shape", [(3, 65), (5, 32), (1, 7), (40, 1)])
def test_a_reversed_tensor(shape: tuple[int, ...], dimensions: list[int], type: str) -> None:
    of = typed(shape, type)
    text = f"""func.func @main(%x: {of}) -> {of} {{
      %0 = stablehlo.reverse %x, dims = {dimensions} : {of}
      %1 = {double(type)} %0, %x : {of}
      return %1 : {of}
    }}"""
    assert_staged(text, values(shape, type))


@pytest.mark.parametrize("rows", [4, 400])
def test_an_element_alone_may_be_any_distance_apart(rows: int) -> None:
    """In a kernel of tiny tensors, and in one of large ones."""
    type, result = f"tensor<{rows}x1xf64>", f"tensor<{rows + 3}x3xf64>"
    text = f"""func.func @main(%x: {type}, %v: tensor<f64>) -> {result} {{
      %0 = stablehlo.negate %x : {type}
      %1 = stablehlo.pad %0, %v, low = [2, 0], high = [1, 2],
        interior = [0, 9223372036854775807] : ({type}, tensor<f64>) -> {result}
      return %1 : {result}
    }}"""
    x = np.random.default_rng(0).normal(size=(rows, 1))
    expected = np.pad(-x, ((2, 1), (0, 2)), constant_values=7.0)
    np.testing.assert_array_equal(compile(text)(x, np.float64(7)), expected)
