"""``chlo.scan`` of quantized tensors: integers are moved, the body computes with their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import run

import shlo_tools
from shlo_tools.errors import UnsupportedError

Q, OTHER = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 0.25:-1>"


def program(sizes: str = "4x2x", piece: str = "2x", argument: str = Q, carry: str = Q) -> str:
    """Running sums along the first dimension, of the elements ``argument`` in the body."""
    whole, slice, branch = f"tensor<{sizes}{Q}>", f"tensor<{piece}{carry}>", argument
    inputs = f"tensor<{piece}{branch}>"
    return f"""func.func @main(%x: {whole}, %c: {slice}) -> (tensor<{sizes}{carry}>, {slice}) {{
      %0, %1 = "chlo.scan"(%x, %c) <{{dimension = 0 : i64,
          operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
        ^bb0(%a: {inputs}, %b: {slice}):
          %s = "stablehlo.add"(%b, %a) : ({slice}, {inputs}) -> {slice}
          stablehlo.return %s, %s : {slice}, {slice}
        }}) : ({whole}, {slice}) -> (tensor<{sizes}{carry}>, {slice})
      return %0, %1 : tensor<{sizes}{carry}>, {slice}
    }}"""


def sums(x: Any, c: Any, scale: float, zero_point: int) -> Any:
    """Each step's sum is rounded and clamped, as every op's result is."""
    rows = []
    for row in x:
        total = (row.astype(float) - 3) * 0.5 + (c.astype(float) - zero_point) * scale
        c = np.clip(np.rint(total / scale + zero_point), -128, 127).astype(np.int8)
        rows.append(c)
    return np.stack(rows), c


@pytest.mark.parametrize("sizes", [("4x2x", "2x"), ("?x2x", "2x"), ("?x?x", "?x")])
@pytest.mark.parametrize(("carry", "scale", "zero_point"), [(Q, 0.5, 3), (OTHER, 0.25, -1)])
def test_running_sums(sizes: Any, carry: str, scale: float, zero_point: int) -> None:
    random = np.random.default_rng(0)
    x = random.integers(-128, 128, (4, 2)).astype(np.int8)
    c = np.array([5, -100], np.int8)
    text = program(*sizes, carry=carry)
    for computed in (run(text, x, c), shlo_tools.interpret(text, x, c)):
        for one, other in zip(computed, sums(x, c, scale, zero_point), strict=True):
            assert np.array_equal(one, other)


def test_integers_are_not_carried_on_as_other_numbers() -> None:
    text = program(argument=OTHER)
    x, c = np.zeros((4, 2), np.int8), np.zeros(2, np.int8)
    with pytest.raises(UnsupportedError, match="is carried as"):
        shlo_tools.compile(text)
    with pytest.raises(UnsupportedError, match=r"-:2:.*is carried as"):
        shlo_tools.interpret(text, x, c)
