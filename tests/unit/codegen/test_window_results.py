"""Random programs of what elementwise ops make of windows, and of what windows read.

Kernels of windows store the former, and compute the latter where windows are apart.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged, staged

_UNARY = ("negate", "abs")
_BINARY = ("add", "subtract", "maximum", "multiply")


class WindowProgram:
    """Ops on a tensor, its windows, ops on these and other tensors; some values as results.

    Integers and their sums stay small enough to be exact.
    """

    def __init__(self, seed: int, element: str) -> None:
        self.random = np.random.default_rng(seed)
        rank = int(self.random.integers(1, 5))
        shape = (*(self._some(1, 7) for _ in range(rank - 1)), self._some(2, 70))
        size = [self._some(1, min(3, n)) for n in shape]
        if self.random.random() < 0.3:  # all of a dimension
            size[-1] = min(shape[-1], 12)
        least = size if self.random.random() < 0.5 else [1] * rank
        strides = [self._some(k, max(k, 3)) for k in least]
        padding = [[self._some(0, k - 1), self._some(0, k - 1)] for k in size]
        dimensions = zip(shape, padding, size, strides, strict=True)
        output = tuple((n + sum(p) - k) // s + 1 for n, p, k, s in dimensions)
        row, side = self._some(0, rank - 1), self._some(0, rank - 1)
        shapes = shape, output, (output[row],), (shape[side],)
        self.arguments = [numbers(shape, element) for shape in shapes]
        whole, windows, vector, bias = (tensor(shape, element) for shape in shapes)
        is_flat = self.random.random() < 0.3
        self.type = tensor((math.prod(output),), element) if is_flat else windows
        scalar, zero = tensor((), element), "0.0" if element[0] == "f" else "0"
        types_of_view = f" : ({windows}) -> {self.type}"
        lines = [f"%side = stablehlo.broadcast_in_dim %b, dims = [{side}] : ({bias}) -> {whole}"]
        sources = ["%x"]
        for number in range(self._some(0, 3)):
            name, other = self.random.choice(_BINARY[:-1]), self.random.choice(["%side", *sources])
            lines.append(f"%x{number} = stablehlo.{name} {sources[-1]}, {other} : {whole}")
            sources.append(f"%x{number}")
        lines += [
            f"%start = stablehlo.constant dense<{zero}> : {scalar}",
            f"%row = stablehlo.broadcast_in_dim %z, dims = [{row}] : ({vector}) -> {windows}",
            f'%w = "stablehlo.reduce_window"({sources[-1]}, %start) <{{'
            f"window_dimensions = array<i64: {str(size)[1:-1]}>,"
            f" window_strides = array<i64: {str(strides)[1:-1]}>,"
            f" padding = dense<{padding}> : tensor<{rank}x2xi64>}}> ({{",
            f"^bb0(%a: {scalar}, %c: {scalar}):",
            f"  %s = stablehlo.{self.random.choice(['add', 'maximum'])} %a, %c : {scalar}",
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
        types = [self.type] * len(results)
        if self.random.random() < 0.2:
            results.append(sources[self._some(0, len(sources) - 1)])
            types.append(whole)
        returned = ", ".join(types)
        lines.append(f"return {', '.join(results)} : {returned}")
        arguments = f"%x: {whole}, %y: {windows}, %z: {vector}, %b: {bias}"
        body = "\n".join(lines)
        self.text = f"func.func public @main({arguments}) -> ({returned}) {{\n{body}\n}}"

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


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("stride", [2, 1])
def test_bias_and_activation_are_computed_where_windows_are_apart(
    element: str, stride: int
) -> None:
    outputs = (9 - 2) // stride + 1
    whole, result = f"tensor<2x9x9x5x{element}>", f"tensor<2x{outputs}x{outputs}x5x{element}>"
    arguments = f"%x: tensor<2x9x9x3x{element}>, %k: tensor<3x3x3x5x{element}>, %b: {{0}}"
    text = f"""
    func.func public @main({arguments.format(f"tensor<5x{element}>")}) -> {result} {{
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {{pad = [[1, 1], [1, 1]]}}
          {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
          : (tensor<2x9x9x3x{element}>, tensor<3x3x3x5x{element}>) -> {whole}
      %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<5x{element}>) -> {whole}
      %2 = stablehlo.add %0, %1 : {whole}
      %zero = stablehlo.constant dense<0.0> : {whole}
      %3 = stablehlo.maximum %2, %zero : {whole}
      %least = stablehlo.constant dense<-1000.0> : tensor<{element}>
      %4 = "stablehlo.reduce_window"(%3, %least) <{{window_dimensions = array<i64: 1, 2, 2, 1>,
          window_strides = array<i64: 1, {stride}, {stride}, 1>}}> ({{
        ^bb0(%c: tensor<{element}>, %d: tensor<{element}>):
          %s = stablehlo.maximum %c, %d : tensor<{element}>
          stablehlo.return %s : tensor<{element}>
      }}) : ({whole}, tensor<{element}>) -> {result}
      return %4 : {result}
    }}"""
    shapes = (2, 9, 9, 3), (3, 3, 3, 5), (5,)
    assert_staged(text, *(numbers(shape, element) for shape in shapes))
    functions = staged(text).ir("stages").split("func.func")
    (convolution,) = (body for body in functions if "stablehlo.convolution" in body)
    assert ("stablehlo.maximum" in convolution) == (stride == 1)
