"""Transpositions through tiles: every width of elements, full and partial tiles, fused readers."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.codegen.library import transposition
from shlo_tools.codegen.stages import transposition as moving
from shlo_tools.codegen.target import Target

TYPES = {"f64": np.float64, "f32": np.float32, "i16": np.int16, "i1": np.bool_}
SHAPES = {
    (17, 33): (1, 0),
    (16, 64): (1, 0),
    (1, 300): (1, 0),
    (300, 3): (1, 0),
    (2, 500): (1, 0),
    (31, 1, 65): (2, 1, 0),
    (5, 7, 9, 11): (3, 1, 0, 2),
    (3, 40, 50): (0, 2, 1),
    (40, 50, 2): (1, 0, 2),
    (40, 50, 3): (1, 0, 2),
    (90, 3, 3): (0, 2, 1),
    (9, 14, 3): (0, 2, 1),
    (9, 3, 14): (0, 2, 1),
    (20, 6, 4): (0, 2, 1),
    (20, 2, 11): (0, 2, 1),
    (2, 3, 4, 5, 6, 7): (5, 3, 1, 4, 2, 0),
    (2, 3, 32, 4, 32, 4): (0, 1, 3, 5, 2, 4),
    (7, 6, 13, 5, 11, 2): (2, 1, 3, 5, 0, 4),
    (600, 65): (1, 0),
    (129, 200): (1, 0),
    (192, 128): (1, 0),
    (20011, 3): (1, 0),
    (4, 20011): (1, 0),
    (2, 131, 9, 4): (0, 3, 1, 2),
    (2, 3, 9, 131): (0, 2, 3, 1),
    (7, 5, 90): (0, 2, 1),
    (9000, 5): (1, 0),
    (5, 9, 9, 3): (1, 0, 3, 2),
    # Runs of half a tile, with others behind them in the result: whole tiles, parts, odd numbers.
    **{(3, 6, 5, run, columns): (4, 0, 2, 1, 3) for run in (4, 8) for columns in (4, 10, 16, 37)},
    (3, 7, 5, 8, 16): (4, 0, 2, 1, 3),
    (70, 5, 8, 24): (3, 1, 0, 2),
    (40, 8, 300): (2, 0, 1),
    # Rows and columns that halves of tiles cover, which overlap.
    (9, 13, 15): (0, 2, 1),
    (9, 15, 8): (0, 2, 1),
    (9, 8, 20): (0, 2, 1),
    (9, 12, 7): (0, 2, 1),
    # Tiny matrices, some and many: the latter have a kernel of their own.
    (50, 5, 7): (0, 2, 1),
    (50, 3, 3, 7, 6): (0, 4, 2, 1, 3),
    (300, 5, 7): (0, 2, 1),
    (7, 300, 6): (2, 1, 0),
    (60, 4, 7, 5): (1, 3, 0, 2),
}


def values(shape: tuple[int, ...], type: str) -> np.ndarray:
    numbers = np.random.default_rng(0).integers(0, 100, shape)
    return (numbers % 2 if type == "i1" else numbers).astype(TYPES[type])


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def transposing(shape: tuple[int, ...], permutation: tuple[int, ...], type: str) -> str:
    """A program that transposes an array."""
    of, to = typed(shape, type), typed(tuple(shape[d] for d in permutation), type)
    return f"""func.func @main(%x: {of}) -> {to} {{
      %0 = stablehlo.transpose %x, dims = {list(permutation)} : ({of}) -> {to}
      return %0 : {to}
    }}"""


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_transposition(shape: tuple[int, ...], type: str) -> None:
    assert_staged(transposing(shape, SHAPES[shape], type), values(shape, type))


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_what_is_stored_past_the_caches(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of half a tile as well, with others behind them."""
    monkeypatch.setattr(moving, "_LARGE", 0)
    run = 8 if type == "f32" else 4
    for shape, permutation in {(6, 10, run, 64): (3, 1, 0, 2), (64, 128): (1, 0)}.items():
        assert_staged(transposing(shape, permutation, type), values(shape, type))


@pytest.mark.parametrize("type", TYPES)
def test_arrays_begin_anywhere_in_a_line_of_memory(type: str) -> None:
    """Tiles begin where lines do, wherever the array does."""
    shape = (70, 200)
    executable, array = compile(transposing(shape, (1, 0), type)), values(shape, type)
    memory = np.empty(array.nbytes + 128, np.uint8)
    line = -memory.ctypes.data % 64
    for start in range(line, line + 64, array.itemsize):
        x = memory[start : start + array.nbytes].view(array.dtype).reshape(shape)
        x[...] = array
        np.testing.assert_array_equal(executable(x), array.T)


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_a_part_is_transposed_and_computed_with(type: str) -> None:
    text = f"""func.func @main(%x: tensor<90x140x{type}>, %y: tensor<130x65x{type}>)
        -> (tensor<130x65x{type}>, tensor<130x{type}>) {{
      %zero = stablehlo.constant dense<0.0> : tensor<{type}>
      %0 = stablehlo.slice %x [3:68, 5:135] : (tensor<90x140x{type}>) -> tensor<65x130x{type}>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<65x130x{type}>) -> tensor<130x65x{type}>
      %2 = stablehlo.subtract %y, %1 : tensor<130x65x{type}>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [1]
        : (tensor<130x65x{type}>, tensor<{type}>) -> tensor<130x{type}>
      return %2, %3 : tensor<130x65x{type}>, tensor<130x{type}>
    }}"""
    assert_staged(text, values((90, 140), type), values((130, 65), type))


def test_what_is_computed_is_transposed_for_a_product_and_for_others() -> None:
    text = """func.func @main(%x: tensor<70x80xf32>) -> (tensor<80x80xf32>, tensor<80x70xf32>) {
      %0 = stablehlo.negate %x : tensor<70x80xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<70x80xf32>) -> tensor<80x70xf32>
      %2 = stablehlo.dot_general %1, %x, contracting_dims = [1] x [0]
        : (tensor<80x70xf32>, tensor<70x80xf32>) -> tensor<80x80xf32>
      %3 = stablehlo.abs %1 : tensor<80x70xf32>
      return %2, %3 : tensor<80x80xf32>, tensor<80x70xf32>
    }"""
    assert_staged(text, values((70, 80), "f32") % 4)


@pytest.mark.parametrize("bits", transposition.WIDTHS)
@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_tiles_fit_registers(vector_bytes: int, bits: int) -> None:
    size = transposition.tile(Target("any", vector_bytes, 16, fma=False), bits)
    assert size & (size - 1) == 0
    assert 2 <= size <= 16
    assert size * bits <= 8 * vector_bytes


@pytest.mark.parametrize("shape", [(2, 1616, 2627), (1, 4100, 2100), (3, 2048, 1500)])
@pytest.mark.parametrize("type", ["f32", "f64"])
def test_results_larger_than_caches(shape: tuple[int, int, int], type: str) -> None:
    batch, rows, columns = shape
    source, target = f"{batch}x{rows}x{columns}x{type}", f"{batch}x{columns}x{rows}x{type}"
    text = f"""func.func @main(%a: tensor<{source}>) -> tensor<{target}> {{
      %0 = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<{source}>) -> tensor<{target}>
      return %0 : tensor<{target}>
    }}"""
    operand = np.random.default_rng(rows).standard_normal(shape).astype(TYPES[type])
    for threads in (1, 2):
        result = compile(text, threads=threads)(operand)
        np.testing.assert_array_equal(np.asarray(result), operand.transpose(0, 2, 1))
