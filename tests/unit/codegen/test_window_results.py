"""Random programs of what elementwise ops make of windows, which their kernels store."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged, staged

_UNARY = ("negate", "abs")
_BINARY = ("add", "subtract", "maximum", "multiply")


class WindowProgram:
    """Windows of a tensor, ops on these and other tensors, and some of the values as results.

    Integers and their sums stay small enough to be exact.
    """

    def __init__(self, seed: int, element: str) -> None:
        self.random = np.random.default_rng(seed)
        rank = int(self.random.integers(1, 5))
        shape = (*(self._some(1, 7) for _ in range(rank - 1)), self._some(2, 70))
        size = [self._some(1, min(3, n)) for n in shape]
        if self.random.random() < 0.3:  # all of a dimension
            size[-1] = min(shape[-1], 12)
        strides = [self._some(1, 3) for _ in shape]
        padding = [[self._some(0, k - 1), self._some(0, k - 1)] for k in size]
        dimensions = zip(shape, padding, size, strides, strict=True)
        output = tuple((n + sum(p) - k) // s + 1 for n, p, k, s in dimensions)
        row = self._some(0, rank - 1)
        shapes = shape, output, (output[row],)
        self.arguments = [numbers(shape, element) for shape in shapes]
        whole, windows, vector = (tensor(shape, element) for shape in shapes)
        is_flat = self.random.random() < 0.3
        self.type = tensor((math.prod(output),), element) if is_flat else windows
        scalar, zero = tensor((), element), "0.0" if element[0] == "f" else "0"
        types_of_view = f" : ({windows}) -> {self.type}"
        lines = [
            f"%start = stablehlo.constant dense<{zero}> : {scalar}",
            f"%row = stablehlo.broadcast_in_dim %z, dims = [{row}] : ({vector}) -> {windows}",
            '%w = "stablehlo.reduce_window"(%x, %start) <{'
            f"window_dimensions = array<i64: {str(size)[1:-1]}>,"
            f" window_strides = array<i64: {str(strides)[1:-1]}>,"
            f" padding = dense<{padding}> : tensor<{rank}x2xi64>}}> ({{",
            f"^bb0(%a: {scalar}, %b: {scalar}):",
            f"  %s = stablehlo.{self.random.choice(['add', 'maximum'])} %a, %b : {scalar}",
            f"  stablehlo.return %s : {scalar}",
            f"}}) : ({whole}, {scalar}) -> {windows}",
            *(
                f"{name}0 = stablehlo.reshape {name}{types_of_view}"
                for name in ("%w", "%y", "%row")
            ),
        ]
        values = ["%w0"]
        for number in range(1, self._some(2, 5)):
            lines.append(f"%w{number} = {self._op(values)} : {self.type}")
            values.append(f"%w{number}")
        results = [values[-1], *(v for v in values[:-1] if self.random.random() < 0.2)]
        types = ", ".join([self.type] * len(results))
        lines.append(f"return {', '.join(results)} : {types}")
        arguments = f"%x: {whole}, %y: {windows}, %z: {vector}"
        body = "\n".join(lines)
        self.text = f"func.func public @main({arguments}) -> ({types}) {{\n{body}\n}}"

    def _some(self, least: int, most: int) -> int:
        return int(self.random.integers(least, most + 1))

    def _op(self, values: list[str]) -> str:
        if self.random.random() < 0.2:
            return f"stablehlo.{self.random.choice(_UNARY)} {values[-1]}"
        name = self.random.choice(_BINARY if len(values) < 3 else _BINARY[:-1])
        other = self.random.choice(["%y0", "%row0", *values])
        return f"stablehlo.{name} {values[-1]}, {other}"


@pytest.mark.parametrize("element", ["f32", "f64", "i32"])
@pytest.mark.parametrize("seed", range(60))
def test_results_of_windows(seed: int, element: str) -> None:
    program = WindowProgram(seed, element)
    assert_staged(program.text, *program.arguments)


def test_a_mean_is_one_stage() -> None:
    executable = staged("""
    func.func public @main(%x: tensor<2x8x8x16xf32>) -> tensor<2x4x4x16xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %four = stablehlo.constant dense<4.0> : tensor<2x4x4x16xf32>
      %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>,
          window_strides = array<i64: 1, 2, 2, 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<2x4x4x16xf32>
      %1 = stablehlo.divide %0, %four : tensor<2x4x4x16xf32>
      return %1 : tensor<2x4x4x16xf32>
    }""")
    assert len(executable.stages) == 1
