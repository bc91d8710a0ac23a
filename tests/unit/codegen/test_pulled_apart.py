"""Elements that are pulled apart: padding between them, as gradients of strided slices have it."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import DTYPES, numbers, typed


def padded(
    shape: list[int], low: list[int], high: list[int], interior: list[int], element: str
) -> tuple[str, list[int]]:
    """The op, and the shape of its result."""
    edges = zip(shape, low, high, interior, strict=True)
    result = [first + last + n + max(0, n - 1) * between for n, first, last, between in edges]
    op = f"stablehlo.pad %x, %p, low = {low}, high = {high}, interior = {interior}"
    types = f"({typed(shape, element)}, {typed([], element)}) -> {typed(result, element)}"
    return f"{op} : {types}", result


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("between", [1, 2, 3, 4, 7, 15, 30, 31, 40])
def test_padding_between_elements(between: int, element: str) -> None:
    """Rows of many vectors, of some and of a part of one, from in front of them or within."""
    for size, low, high in ((333, 3, 0), (40, -2, 5), (5, 1, -1), (700, -33, -40)):
        op, result = padded([3, size], [1, low], [0, high], [1, between], element)
        text = f"""func.func @main(%x: {typed([3, size], element)}, %p: {typed([], element)})
            -> {typed(result, element)} {{
          %0 = {op}
          return %0 : {typed(result, element)}
        }}"""
        assert_staged(text, numbers([3, size], element), numbers([], element, 1))


@pytest.mark.parametrize("seed", range(60))
def test_between_other_ops(seed: int) -> None:
    """What is computed is pulled apart, and added to what is not; some of it is summed up."""
    random = np.random.default_rng(seed)
    shape = [int(n) for n in (random.integers(1, 9), random.choice([3, 17, 40, 64, 130, 2000]))]
    interior = [int(n) for n in (random.integers(0, 3), random.integers(1, 6))]
    low = [int(random.integers(-1, 3)), int(random.integers(-2, 7))]
    high = [int(random.integers(0, 3)), int(random.integers(-2, 7))]
    _, sizes = padded(shape, low, high, interior, "f32")
    high = [last + max(0, 1 - size) for last, size in zip(high, sizes, strict=True)]
    op, result = padded(shape, low, high, interior, "f32")
    type, row = typed(result, "f32"), typed(result[:1], "f32")
    text = f"""func.func @main(%a: {typed(shape, "f32")}, %p: tensor<f32>, %y: {type})
        -> ({type}, {row}) {{
      %x = stablehlo.multiply %a, %a : {typed(shape, "f32")}
      %0 = {op}
      %1 = stablehlo.add %0, %y : {type}
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
        : ({type}, tensor<f32>) -> {row}
      return %1, %2 : {type}, {row}
    }}"""
    inputs = numbers(shape, "f32"), numbers([], "f32", 1), numbers(result, "f32", 2)
    assert_staged(text, *inputs)
