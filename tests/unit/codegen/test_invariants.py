"""What no iteration of a loop changes is computed in front of it, and is the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from staged_programs import assert_staged

SIZE = 36  # of matrices, which are large enough to be moved
T = f"tensor<{SIZE}x{SIZE}xf32>"
ROW = f"tensor<{SIZE}xf32>"


class _Program:
    """A random one of nested loops, whose values are named by numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count, self.lines = rng, 0, list[str]()

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def op(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = stablehlo.{text}")
        return name

    def matrix(self, values: list[str], row: str) -> str:
        """Something of matrices; numbers are whole, so that sums are exact in any order."""
        a, b = self.rng.choice(values), self.rng.choice(values)
        match self.rng.randrange(6):
            case 0:
                return self.op(f"subtract {a}, {b} : {T}")
            case 1:
                return self.op(f"transpose {a}, dims = [1, 0] : ({T}) -> {T}")
            case 2:
                dot = f"dot_general {a}, {b}, contracting_dims = [1] x [0] : ({T}, {T}) -> {T}"
                three = self.op(f"constant dense<3.0> : {T}")
                return self.op(f"remainder {self.op(dot)}, {three} : {T}")
            case 3:
                return self.op(f"maximum {a}, {b} : {T}")
            case 4:
                wide = self.op(f"broadcast_in_dim {row}, dims = [1] : ({ROW}) -> {T}")
                return self.op(f"minimum {a}, {wide} : {T}")
            case _:
                zero = self.op("constant dense<0.0> : tensor<f32>")
                sums = self.op(
                    f"reduce({a} init: {zero}) applies stablehlo.maximum across dimensions = [0]"
                    f" : ({T}, tensor<f32>) -> {ROW}"
                )
                wide = self.op(f"broadcast_in_dim {sums}, dims = [0] : ({ROW}) -> {T}")
                return self.op(f"negate {wide} : {T}")

    def loop(self, values: list[str], row: str, depth: int) -> str:
        """Some iterations, or none; it hands on a matrix that changes and one that does not."""
        first, same = self.rng.choice(values), self.rng.choice(values)
        results, i, x, y = self.name(), self.name(), self.name(), self.name()
        zero = self.op("constant dense<0> : tensor<i32>")
        self.lines.append(
            f"{results}:3 = stablehlo.while({i} = {zero}, {x} = {first}, {y} = {same})"
            f" : tensor<i32>, {T}, {T} cond {{"
        )
        end = self.op(f"constant dense<{self.rng.randrange(4)}> : tensor<i32>")
        more = self.op(f"compare LT, {i}, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>")
        self.lines.append(f"stablehlo.return {more} : tensor<i1> }} do {{")
        inside = [*values, x, y]
        for _ in range(self.rng.randrange(2, 7)):
            inside.append(self.matrix(inside, row))
        if depth:
            inside.append(self.loop(inside, row, depth - 1))
        next_i = self.op(f"add {i}, {self.op('constant dense<1> : tensor<i32>')} : tensor<i32>")
        last = self.op(f"subtract {inside[-1]}, {x} : {T}")
        limit = self.op(f"constant dense<5.0> : {T}")
        bounded = self.op(f"remainder {last}, {limit} : {T}")
        self.lines.append(f"stablehlo.return {next_i}, {bounded}, {y} : tensor<i32>, {T}, {T} }}")
        return f"{results}#1"


@pytest.mark.parametrize("seed", range(40))
def test_random_loops(seed: int) -> None:
    rng = random.Random(seed)
    program = _Program(rng)
    result = program.loop(["%a", "%b"], "%row", depth=seed % 3)
    lines = "\n".join(program.lines)
    text = f"""func.func @main(%a: {T}, %b: {T}, %row: {ROW}) -> {T} {{
{lines}
return {result} : {T}
}}"""
    numbers = np.random.default_rng(seed)
    shapes = [(SIZE, SIZE), (SIZE, SIZE), (SIZE,)]
    assert_staged(text, *(numbers.integers(-2, 3, s).astype(np.float32) for s in shapes))
