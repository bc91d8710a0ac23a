"""Rows that several stages pass, passed once: random programs against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from batched_programs import BatchedProgram
from staged_programs import assert_staged


class RowProgram(BatchedProgram):
    """A program of matrices and of values for each row or column of them.

    Args:
        rows, columns: of the matrices.
    """

    def __init__(self, seed: int, element: str, rows: int, columns: int, steps: int) -> None:
        super().__init__(seed, element, rows, 0)
        self.lines = self.lines[:2]
        self.inputs = [(rows, columns), (rows, columns), (rows,), (columns,)]
        self.values = [(f"%x{k}", shape) for k, shape in enumerate(self.inputs)]
        least = "0xFF800000" if element == "f32" else self._number(-(2**31))
        self.lines.append(f"%zero = stablehlo.constant dense<{self._number(0)}> : {self.type(())}")
        self.lines.append(f"%least = stablehlo.constant dense<{least}> : {self.type(())}")
        moves = (self.compute, self.compute, self.fold, self.fold, self.spread, self.move)
        for _ in range(steps):
            moves[self.random.integers(len(moves))]()
        self.results = [self.values[k] for k in (-1, -2, -4)]

    def _whole(self) -> tuple[str, tuple[int, ...]]:
        whole = [value for value in self.values if len(value[1]) == 2][-5:]
        return whole[self.random.integers(len(whole))]

    def fold(self) -> None:
        """A sum or maximum of rows; now and then of columns."""
        a, shape = self._whole()
        dimension = int(self.random.integers(5) > 0)
        op, start = (("add", "%zero"), ("maximum", "%least"))[self.random.integers(2)]
        result = (shape[1 - dimension],)
        self._emit(
            f"reduce({a} init: {start}) applies stablehlo.{op} across dimensions = [{dimension}]"
            f" : ({self.type(shape)}, {self.type(())}) -> {self.type(result)}",
            result,
        )
        self._limit()

    def spread(self) -> None:
        """A value for each row, or column, beside all elements."""
        vectors = [value for value in self.values if len(value[1]) == 1][-5:]
        a, (size,) = vectors[self.random.integers(len(vectors))]
        shape = self.inputs[0]
        fitting = [d for d in range(2) if shape[d] == size]
        dimension = fitting[self.random.integers(len(fitting))]
        self._emit(
            f"broadcast_in_dim {a}, dims = [{dimension}]"
            f" : ({self.type((size,))}) -> {self.type(shape)}",
            shape,
        )

    def move(self) -> None:
        """Elements elsewhere in their rows, or rows elsewhere."""
        a, shape = self._whole()
        text = f"reverse {a}, dims = [{self.random.integers(2)}] : {self.type(shape)}"
        if shape[0] == shape[1] and self.random.integers(2):
            types = f"({self.type(shape)}) -> {self.type(shape)}"
            text = f"transpose {a}, dims = [1, 0] : {types}"
        self._emit(text, shape)


@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize(("rows", "columns"), [(40, 7), (33, 33), (3, 96), (64, 80), (300, 3)])
def test_random_rows(element: str, rows: int, columns: int) -> None:
    for seed in range(8):
        program = RowProgram(seed, element, rows, columns, 16)
        assert_staged(program.text(), *program.arrays())


def test_an_argument_is_one_of_several_results() -> None:
    """A maximum with -inf is the other operand; the loop wants -inf in memory, beside it."""
    whole, scalar = "tensor<2x8x64xf32>", "tensor<i32>"
    text = f"""
    func.func @main(%x: {whole}, %n: {scalar}) -> ({whole}, {whole}) {{
      %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : {scalar}
      %one = stablehlo.constant dense<1> : {scalar}
      %0 = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> {whole}
      %1:2 = stablehlo.while(%i = %zero, %c = %0) : {scalar}, {whole}
        cond {{
          %p = stablehlo.compare LT, %i, %n : ({scalar}, {scalar}) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        }} do {{
          %j = stablehlo.add %i, %one : {scalar}
          %d = stablehlo.maximum %c, %x : {whole}
          %e = stablehlo.add %d, %x : {whole}
          stablehlo.return %j, %e : {scalar}, {whole}
        }}
      %2 = stablehlo.maximum %0, %x : {whole}
      return %1#1, %2 : {whole}, {whole}
    }}"""
    x = np.random.default_rng(0).standard_normal((2, 8, 64), np.float32)
    x[0, 0, :2] = np.nan, -np.inf
    assert_staged(text, x, np.asarray(3, np.int32))


@pytest.mark.parametrize("columns", [64, 100, 130])
@pytest.mark.parametrize("parts", [(1, 3), (4, 3), (2, 1)])
def test_tiles(columns: int, parts: tuple[int, int]) -> None:
    """Rows that are repeated beside themselves, and what is computed of them."""
    down, across = parts
    rows = 7
    whole = f"tensor<{down * rows}x{across * columns}xf32>"
    text = f"""func.func @main(%x: tensor<{rows}x{columns}xf32>, %y: {whole})
        -> ({whole}, {whole}) {{
      %0 = stablehlo.broadcast_in_dim %x, dims = [1, 3] : (tensor<{rows}x{columns}xf32>)
        -> tensor<{down}x{rows}x{across}x{columns}xf32>
      %1 = stablehlo.reshape %0 : (tensor<{down}x{rows}x{across}x{columns}xf32>) -> {whole}
      %2 = stablehlo.multiply %1, %y : {whole}
      return %2, %1 : {whole}, {whole} }}"""
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    y = np.random.default_rng(0).integers(-9, 9, (down * rows, across * columns))
    assert_staged(text, x, y.astype(np.float32))
