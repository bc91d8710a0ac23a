"""Rows that are long are cut into chunks, whatever their length is."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import numbers, typed

from shlo_tools.codegen.stages import column_loops
from shlo_tools.codegen.stages.map_space import space
from shlo_tools.passes.stages import lower_stages


def chain(shape: tuple[int, ...], element: str) -> str:
    """A program of elementwise ops on tensors of a shape."""
    type = "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"
    return (
        f"func.func @main(%a: {type}, %b: {type}) -> {type} {{\n"
        f"  %0 = stablehlo.add %a, %b : {type}\n"
        f"  %1 = stablehlo.multiply %0, %a : {type}\n  return %1 : {type}\n}}"
    )


@pytest.mark.parametrize("shape", [(16411,), (16385,), (100003,), (3, 33331), (2, 32768 + 1)])
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("i8", np.int8)])
def test_odd_lengths(shape: tuple[int, ...], element: str, dtype: type) -> None:
    """Right in every strip, and no access outside."""
    random = np.random.default_rng(1)
    a, b = (random.integers(-9, 9, shape).astype(dtype) for _ in range(2))
    assert_staged(chain(shape, element), a, b)


@pytest.mark.parametrize("shape", [(16411,), (37, 77), (9, 33), (50_001,)])
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("i8", np.int8)])
def test_ends_of_many_rows_have_loops_of_their_own(
    shape: tuple[int, ...], element: str, dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elementwise, and reduced and read again."""
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(column_loops, "_MANY", 0)
    random = np.random.default_rng(1)
    a, b = (random.integers(-2, 3, shape).astype(dtype) for _ in range(2))
    assert_staged(chain(shape, element), a, b)
    if len(shape) == 1:
        return
    type = f"tensor<{shape[0]}x{shape[1]}x{element}>"
    row = f"tensor<{shape[0]}x{element}>"
    zero = "0.0" if element == "f32" else "0"
    text = f"""func.func @main(%a: {type}, %b: {type}) -> ({type}, {row}) {{
      %zero = stablehlo.constant dense<{zero}> : tensor<{element}>
      %0 = stablehlo.multiply %a, %b : {type}
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
        : ({type}, tensor<{element}>) -> {row}
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : ({row}) -> {type}
      %3 = stablehlo.subtract %0, %2 : {type}
      return %3, %1 : {type}, {row}
    }}"""
    assert_staged(text, a, b)


@pytest.mark.parametrize(("rows", "columns"), [(3, 40000), (3, 8200), (5, 10001), (3, 16384)])
def test_views_of_long_rows(rows: int, columns: int) -> None:
    """Slices, reversals and broadcasts find their elements in every strip."""
    whole, part = f"tensor<{rows}x{columns + 1}xf32>", f"tensor<{rows}x{columns}xf32>"
    text = f"""func.func @main(%a: {whole}, %b: tensor<{rows}xf32>) -> {part} {{
      %0 = stablehlo.reverse %a, dims = [1] : {whole}
      %1 = stablehlo.slice %0 [0:{rows}, 1:{columns + 1}] : ({whole}) -> {part}
      %2 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<{rows}xf32>) -> {part}
      %3 = stablehlo.add %1, %2 : {part}
      return %3 : {part}
    }}"""
    a = np.arange(rows * (columns + 1), dtype=np.float32).reshape(rows, -1)
    assert_staged(text, a, np.arange(1, rows + 1, dtype=np.float32))


@pytest.mark.parametrize("element", ["i8", "i1", "f16", "f64"])
def test_halves_of_rows(element: str) -> None:
    """Rows that two threads would not share evenly, of vectors of any length."""
    for rows, columns in [(3, 8193), (5, 9000), (7, 16383)]:
        type, row = typed([rows, columns], element), typed([rows], element)
        text = f"""func.func @main(%a: {type}, %b: {row}) -> {type} {{
          %0 = stablehlo.broadcast_in_dim %b, dims = [0] : ({row}) -> {type}
          %1 = stablehlo.add %a, %0 : {type}
          return %1 : {type}
        }}"""
        assert_staged(text, numbers([rows, columns], element), numbers([rows], element, 1))


def test_several_chunks() -> None:
    """No length leaves all threads but one without work."""
    assert space(1, 1_000_003).in_strips().chunks > 16
    assert space(3, 12544).in_strips().chunks == 6
