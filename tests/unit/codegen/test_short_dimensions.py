"""Elementwise ops on tensors whose last dimensions are short: rows are several of them together."""

from __future__ import annotations

import random

import numpy as np
import pytest
from staged_programs import assert_staged

SHAPES = [(8, 128, 9), (3, 4, 5, 6), (2, 33, 3), (7, 1, 10, 3), (40, 2, 2, 2), (5, 70, 2)]


def typed(shape: tuple[int, ...]) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def program(seed: int) -> tuple[str, list[tuple[int, ...]]]:
    """A chain of ops, each with another tensor of some of the dimensions; and all arguments."""
    chosen = random.Random(seed)
    shape = chosen.choice(SHAPES)
    arguments, lines, value = [shape], [], "%a0"
    for number in range(1, 1 + chosen.randrange(1, 4)):
        dims = sorted(chosen.sample(range(len(shape)), chosen.randrange(len(shape) + 1)))
        own = tuple(1 if chosen.random() < 0.15 else shape[d] for d in dims)
        arguments.append(own)
        types = f"({typed(own)}) -> {typed(shape)}"
        lines.append(f"%b{number} = stablehlo.broadcast_in_dim %a{number}, dims = {dims} : {types}")
        op = chosen.choice(["add", "multiply", "maximum"])
        lines.append(f"%v{number} = stablehlo.{op} {value}, %b{number} : {typed(shape)}")
        value = f"%v{number}"
    signature = ", ".join(f"%a{k}: {typed(own)}" for k, own in enumerate(arguments))
    body = "\n".join(lines)
    text = f"""func.func @main({signature}) -> {typed(shape)} {{
      {body}
      return {value} : {typed(shape)}
    }}"""
    return text, arguments


@pytest.mark.parametrize("seed", range(60))
def test_random_broadcasts(seed: int) -> None:
    text, arguments = program(seed)
    numbers = np.random.default_rng(seed)
    arrays = [numbers.integers(-3, 4, shape).astype(np.float32) for shape in arguments]
    assert_staged(text, *arrays)


def test_one_flag_for_each_of_some_short_rows() -> None:
    """As in loops of batches, whose members go on for different times."""
    text = """func.func @main(%p: tensor<8xi1>, %x: tensor<8x128x9xf32>, %y: tensor<8x128x9xf32>)
        -> tensor<8x128x9xf32> {
      %0 = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<8xi1>) -> tensor<8x128x9xi1>
      %1 = stablehlo.select %0, %x, %y : tensor<8x128x9xi1>, tensor<8x128x9xf32>
      return %1 : tensor<8x128x9xf32>
    }"""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((8, 128, 9)).astype(np.float32) for _ in range(2))
    assert_staged(text, rng.random(8) < 0.5, x, y)
