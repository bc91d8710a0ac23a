"""Rows that are long are cut into chunks, whatever their length is."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools.codegen.stages.map_space import space


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


def test_views_of_long_rows() -> None:
    """Slices, reversals and broadcasts find their elements in every strip."""
    text = """func.func @main(%a: tensor<3x40001xf32>, %b: tensor<3xf32>) -> tensor<3x40000xf32> {
      %0 = stablehlo.reverse %a, dims = [1] : tensor<3x40001xf32>
      %1 = stablehlo.slice %0 [0:3, 1:40001] : (tensor<3x40001xf32>) -> tensor<3x40000xf32>
      %2 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<3xf32>) -> tensor<3x40000xf32>
      %3 = stablehlo.add %1, %2 : tensor<3x40000xf32>
      return %3 : tensor<3x40000xf32>
    }"""
    a = np.arange(3 * 40001, dtype=np.float32).reshape(3, -1)
    assert_staged(text, a, np.array([1, 2, 3], np.float32))


def test_several_chunks() -> None:
    """No length leaves all threads but one without work."""
    assert space(1, 1_000_003).in_strips().chunks > 16
