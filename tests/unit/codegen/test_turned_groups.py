"""Short groups of neighbours that are reversed together, as the pixels of an image are."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import DTYPES, numbers, typed

from shlo_tools import compile

IMAGES = [[2, 9, 33, 3], [40, 3], [1, 64, 4], [3, 5, 70, 6], [33, 2], [7, 65, 5], [2, 70, 7, 3]]


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("shape", IMAGES, ids=str)
def test_reversing(shape: list[int], element: str) -> None:
    """Each of the dimensions, and several."""
    type, last = typed(shape, element), len(shape) - 1
    for dimensions in ([last - 1], [0], [last], list(range(last)), list(range(last + 1))):
        text = f"""func.func @main(%x: {type}) -> {type} {{
          %0 = stablehlo.reverse %x, dims = {dimensions} : {type}
          return %0 : {type}
        }}"""
        assert_staged(text, numbers(shape, element))


@pytest.mark.parametrize("seed", range(30))
def test_reversing_between_other_ops(seed: int) -> None:
    """Of what is computed, beside what is not reversed, in place of an operand, and summed up."""
    random = np.random.default_rng(seed)
    shape = [int(n) for n in (*random.integers(1, 40, 2), random.choice([2, 3, 5, 6, 8]))]
    type, row = typed(shape, "f32"), typed(shape[:1], "f32")
    text = f"""func.func @main(%x: {type}, %y: {type}, %g: {typed(shape[-1:], "f32")})
        -> ({type}, {type}, {row}) {{
      %s = stablehlo.broadcast_in_dim %g, dims = [2] : ({typed(shape[-1:], "f32")}) -> {type}
      %0 = stablehlo.add %x, %s : {type}
      %1 = stablehlo.reverse %0, dims = [1] : {type}
      %2 = stablehlo.multiply %1, %y : {type}
      %3 = stablehlo.reverse %2, dims = [{int(random.integers(0, 3))}] : {type}
      %4 = stablehlo.subtract %3, %0 : {type}
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %5 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1, 2]
        : ({type}, tensor<f32>) -> {row}
      return %2, %4, %5 : {type}, {type}, {row}
    }}"""
    inputs = [numbers(s, "f32", seed + k) for k, s in enumerate((shape, shape, shape[-1:]))]
    assert_staged(text, *inputs)


def test_a_result_in_place_of_what_is_reversed_with_it() -> None:
    """Vectors end where groups do, so no vector reads what another one has written."""
    half, type = typed([2, 333, 3], "f32"), typed([4, 333, 3], "f32")
    text = f"""func.func @main(%x: {type}, %y: {half}) -> {type} {{
      %0 = stablehlo.concatenate %y, %y, dim = 0 : ({half}, {half}) -> {type}
      %1 = stablehlo.reverse %x, dims = [1] : {type}
      %2 = stablehlo.add %0, %1 : {type}
      return %2 : {type}
    }}"""
    x, y = numbers([4, 333, 3], "f32"), numbers([2, 333, 3], "f32", 1)
    np.testing.assert_array_equal(compile(text)(x, y), np.concatenate([y, y]) + x[:, ::-1])
