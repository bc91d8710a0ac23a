"""Many small vectors: programs that cut and join them, natively as by the reference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import shlo_tools

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def type_of(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


KINDS = (
    *("unary", "binary", "binary", "slice", "slice", "concatenate", "concatenate"),
    *("transpose", "reshape", "spread", "reduce"),
)


class Programs:
    """Writes programs on values that hold a few numbers for each of ``many``."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.many = self.rng.choice([32, 33, 100, 257])
        self.lines: list[str] = []
        self.values: list[tuple[str, Shape]] = []

    def text(self) -> str:
        rng = self.rng
        shapes = [self.shape() for _ in range(rng.randint(1, 3))]
        self.values = [(f"%arg{k}", shape) for k, shape in enumerate(shapes)]
        for _ in range(rng.randint(10, 30)):
            self.step()
        results = rng.sample(self.values, min(3, len(self.values)))
        arguments = ", ".join(f"%arg{k}: {type_of(s)}" for k, s in enumerate(shapes))
        types = ", ".join(type_of(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        body = "\n  ".join(self.lines)
        body += f"\n  return {names} : {types}"
        return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}"

    def shape(self) -> Shape:
        few = self.rng.choice([(3,), (2, 2), (1,), (), (4,), (1, 3)])
        at = self.rng.randint(0, len(few))
        return (*few[:at], self.many, *few[at:])

    def emit(self, op: str, shape: Shape) -> None:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {op}")
        self.values.append((name, shape))

    def step(self) -> None:
        name, shape = self.rng.choice(self.values[-6:])
        getattr(self, self.rng.choice(KINDS))(name, shape)

    def unary(self, name: str, shape: Shape) -> None:
        op = self.rng.choice(["tanh", "negate", "abs", "cosine"])
        self.emit(f"stablehlo.{op} {name} : {type_of(shape)}", shape)

    def binary(self, name: str, shape: Shape) -> None:
        other = self.rng.choice([n for n, s in self.values if s == shape])
        op = self.rng.choice(["add", "multiply", "subtract", "maximum"])
        self.emit(f"stablehlo.{op} {name}, {other} : {type_of(shape)}", shape)

    def slice(self, name: str, shape: Shape) -> None:
        bounds, sizes = [], []
        for size in shape:
            start, limit, stride = 0, size, 1
            if size != self.many or self.rng.random() < 0.1:
                start = self.rng.randrange(size)
                limit = self.rng.randint(start + 1, size)
                stride = self.rng.choice([1, 1, 2])
            bounds.append(f"{start}:{limit}:{stride}")
            sizes.append(-(-(limit - start) // stride))
        result = tuple(sizes)
        types = f"({type_of(shape)}) -> {type_of(result)}"
        self.emit(f"stablehlo.slice {name} [{', '.join(bounds)}] : {types}", result)

    def concatenate(self, name: str, shape: Shape) -> None:
        axes = [d for d, size in enumerate(shape) if size != self.many or self.rng.random() < 0.1]
        if not axes:
            return
        axis = self.rng.choice(axes)
        alike = [
            (n, s)
            for n, s in self.values
            if len(s) == len(shape)
            and (*s[:axis], *s[axis + 1 :]) == (*shape[:axis], *shape[axis + 1 :])
        ]
        parts = [(name, shape), *(self.rng.choice(alike) for _ in range(self.rng.randint(1, 2)))]
        total = sum(s[axis] for _, s in parts)
        if total > 8 and shape[axis] != self.many:
            return
        result = (*shape[:axis], total, *shape[axis + 1 :])
        types = f"({', '.join(type_of(s) for _, s in parts)}) -> {type_of(result)}"
        names = ", ".join(n for n, _ in parts)
        self.emit(f"stablehlo.concatenate {names}, dim = {axis} : {types}", result)

    def transpose(self, name: str, shape: Shape) -> None:
        order = self.rng.sample(range(len(shape)), len(shape))
        result = tuple(shape[d] for d in order)
        types = f"({type_of(shape)}) -> {type_of(result)}"
        self.emit(f"stablehlo.transpose {name}, dims = {order} : {types}", result)

    def reshape(self, name: str, shape: Shape) -> None:
        result = [size for size in shape if size != 1]
        if self.rng.random() < 0.7:
            result.insert(self.rng.randint(0, len(result)), 1)
        types = f"({type_of(shape)}) -> {type_of(tuple(result))}"
        self.emit(f"stablehlo.reshape {name} : {types}", tuple(result))

    def spread(self, name: str, shape: Shape) -> None:
        if len(shape) > 2:
            return
        size = self.rng.randint(1, 3)
        at = self.rng.randint(0, len(shape))
        result = (*shape[:at], size, *shape[at:])
        dimensions = [d for d in range(len(result)) if d != at]
        types = f"({type_of(shape)}) -> {type_of(result)}"
        self.emit(f"stablehlo.broadcast_in_dim {name}, dims = {dimensions} : {types}", result)

    def reduce(self, name: str, shape: Shape) -> None:
        axes = [d for d, size in enumerate(shape) if size != self.many]
        if not axes:
            return
        axis = self.rng.choice(axes)
        op = self.rng.choice(["add", "maximum", "multiply"])
        start = {"add": "0.0", "multiply": "1.0", "maximum": "0xFF800000"}[op]
        result = (*shape[:axis], *shape[axis + 1 :])
        zero = f"%z{len(self.lines)}"
        self.lines.append(f"{zero} = stablehlo.constant dense<{start}> : tensor<f32>")
        types = f"({type_of(shape)}, tensor<f32>) -> {type_of(result)}"
        across = f"applies stablehlo.{op} across dimensions = [{axis}]"
        self.emit(f"stablehlo.reduce({name} init: {zero}) {across} : {types}", result)


def arguments_of(compiled: Any, seed: int) -> list[Array]:
    numbers = np.random.default_rng(seed)
    return [
        numbers.normal(size=t.static_shape).astype(np.float32) for t in compiled.signature.inputs
    ]


@pytest.mark.parametrize("seed", range(120))
def test_random_programs(seed: int) -> None:
    text = Programs(seed).text()
    compiled = shlo_tools.compile(text)
    arguments = arguments_of(compiled, seed)
    results = compiled(*arguments)
    expected = shlo_tools.interpret(text, *arguments)
    if not isinstance(results, tuple):
        results, expected = (results,), (expected,)
    for actual, wide in zip(results, expected, strict=True):
        np.testing.assert_allclose(actual, wide, rtol=2e-5, atol=2e-5, err_msg=text)


def test_steps_over_a_batch_keep_their_numbers_in_registers() -> None:
    """What is joined and cut again is one stage, with the many in the last dimension, too."""
    text = """func.func @main(%y: tensor<2x256xf32>) -> tensor<2x256xf32> {
      %0 = stablehlo.slice %y [0:1, 0:256] : (tensor<2x256xf32>) -> tensor<1x256xf32>
      %1 = stablehlo.slice %y [1:2, 0:256] : (tensor<2x256xf32>) -> tensor<1x256xf32>
      %2 = stablehlo.multiply %0, %1 : tensor<1x256xf32>
      %3 = stablehlo.subtract %0, %1 : tensor<1x256xf32>
      %4 = stablehlo.concatenate %2, %3, dim = 0
        : (tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<2x256xf32>
      %5 = stablehlo.add %4, %y : tensor<2x256xf32>
      %6 = stablehlo.slice %5 [0:1, 0:256] : (tensor<2x256xf32>) -> tensor<1x256xf32>
      %7 = stablehlo.slice %5 [1:2, 0:256] : (tensor<2x256xf32>) -> tensor<1x256xf32>
      %8 = stablehlo.multiply %6, %7 : tensor<1x256xf32>
      %9 = stablehlo.subtract %6, %7 : tensor<1x256xf32>
      %10 = stablehlo.concatenate %9, %8, dim = 0
        : (tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<2x256xf32>
      return %10 : tensor<2x256xf32>
    }"""
    compiled = shlo_tools.compile(text)
    assert len(compiled.stages) <= 2  # what is computed, and perhaps how it is stored
    y = np.random.default_rng(0).normal(size=(2, 256)).astype(np.float32)
    a, b = y[0] * y[1] + y[0], y[0] - y[1] + y[1]
    np.testing.assert_allclose(compiled(y), np.stack([a - b, a * b]), rtol=1e-5, atol=1e-6)
