"""Results that are stored in another shape than they are computed in, by what computes them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from staged_programs import assert_staged

SHAPES = [(12, 35), (64, 48), (5, 7, 16), (300, 3), (2, 1, 130)]


class Programs:
    """Random programs of whole numbers: chains of ops, some of whose values have new shapes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.shapes: list[tuple[int, ...]] = []
        self.shape = self.random.choice(SHAPES)
        self.arguments = [self.shape, self.shape[:1], self.shape[-1:]]

    def type(self, shape: tuple[int, ...]) -> str:
        return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"

    def add(self, text: str, shape: tuple[int, ...]) -> str:
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.{text}")
        self.shapes.append(shape)
        return name

    def spread(self, side: int) -> str:
        """A vector, along the first dimension or the last one."""
        where, small = (0, 1) if side else (len(self.shape) - 1, 2)
        types = [self.type(shape) for shape in (self.arguments[small], self.shape)]
        text = f"broadcast_in_dim %a{small}, dims = [{where}] : ({types[0]}) -> {types[1]}"
        return self.add(text, self.shape)

    def reshaped(self, value: str, shape: tuple[int, ...]) -> str:
        count = int(np.prod(shape))
        new = self.random.choice(
            [(count,), (1, *shape), (*shape, 1), (shape[0], count // shape[0])]
        )
        types = [self.type(each) for each in (shape, new)]
        if 1 in new and len(new) > len(shape) and self.random.random() < 0.5:
            dims = [
                k + (new[0] == 1 and len(new) > len(shape) and new[1:] == shape)
                for k in range(len(shape))
            ]
            text = f"broadcast_in_dim {value}, dims = {dims} : ({types[0]}) -> {types[1]}"
            return self.add(text, new)
        return self.add(f"reshape {value} : ({types[0]}) -> {types[1]}", new)

    def text(self) -> str:
        whole = self.type(self.shape)
        values = ["%a0"]
        for _ in range(self.random.randrange(1, 6)):
            other = self.random.choice([values[-1], self.spread(0), self.spread(1)])
            op = self.random.choice(["add", "multiply", "maximum"])
            values.append(self.add(f"{op} {values[-1]}, {other} : {whole}", self.shape))
        results = []
        for value in self.random.sample(values[1:], min(2, len(values) - 1)):
            shape = self.shape
            if self.random.random() < 0.4:
                d = self.random.randrange(len(shape))
                shape = tuple(size for k, size in enumerate(self.shape) if k != d)
                text = (
                    f"reduce({value} init: %zero) applies stablehlo.add across dimensions = [{d}]"
                )
                value = self.add(f"{text} : ({whole}, tensor<f32>) -> {self.type(shape)}", shape)
            if self.random.random() < 0.3:
                results.append((value, shape))
            for _ in range(self.random.randrange(1, 3)):
                new = self.reshaped(value, shape)
                results.append((new, self.shapes[-1]))
        arguments = ", ".join(f"%a{k}: {self.type(s)}" for k, s in enumerate(self.arguments))
        types = ", ".join(self.type(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        lines = "\n".join(self.lines)
        return f"""func.func @main({arguments}) -> ({types}) {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          {lines}
          return {names} : {types}
        }}"""


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    """Numbers are small and whole: sums are exact in every order."""
    programs = Programs(seed)
    text = programs.text()
    numbers = np.random.default_rng(seed)
    arrays = [numbers.integers(-2, 3, s).astype(np.float32) for s in programs.arguments]
    assert_staged(text, *arrays)
