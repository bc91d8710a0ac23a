"""Reductions in front of the last dimensions, with what is made of all: against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from batched_programs import BatchedProgram
from staged_programs import assert_staged, staged

from shlo_tools.dtypes import ELEMENT_TYPES


class ColumnProgram(BatchedProgram):
    """A program of tensors of three dimensions, and of values for each column of them.

    Args:
        sizes: in front of what is reduced, of it, and behind it.
    """

    def __init__(self, seed: int, element: str, sizes: tuple[int, int, int], steps: int) -> None:
        super().__init__(seed, element, sizes[0], 0)
        self.lines, self.sizes = self.lines[:2], sizes
        outer, length, inner = sizes
        kept = [(outer, inner), (outer, length), (length, inner), (length,), (inner,)]
        self.inputs = [sizes, sizes, *kept]
        self.values = [(f"%x{k}", shape) for k, shape in enumerate(self.inputs)]
        least = "0xFF800000" if element.startswith("f") else self._number(-(2**31))
        least = "0xFFF0000000000000" if element == "f64" else least
        self.lines.append(f"%zero = stablehlo.constant dense<{self._number(0)}> : {self.type(())}")
        self.lines.append(f"%least = stablehlo.constant dense<{least}> : {self.type(())}")
        moves = (self.compute, self.compute, self.fold, self.fold, self.spread, self.spread)
        for _ in range(steps):
            (*moves, self.move, self.regroup)[self.random.integers(8)]()
        self.results = [self.values[k] for k in (-1, -2, -4)]

    def _whole(self) -> tuple[str, tuple[int, ...]]:
        whole = [value for value in self.values if value[1] == self.sizes][-5:]
        return whole[self.random.integers(len(whole))]

    def fold(self) -> None:
        """A sum or maximum of columns; now and then of another dimension."""
        a, shape = self._whole()
        dimension = int(self.random.choice([0, 1, 1, 1, 1, 2]))
        op, start = (("add", "%zero"), ("maximum", "%least"))[self.random.integers(2)]
        result = (*shape[:dimension], *shape[dimension + 1 :])
        self._emit(
            f"reduce({a} init: {start}) applies stablehlo.{op} across dimensions = [{dimension}]"
            f" : ({self.type(shape)}, {self.type(())}) -> {self.type(result)}",
            result,
        )
        self._limit()

    def spread(self) -> None:
        """What has fewer dimensions, beside all elements."""
        parts = [value for value in self.values if value[1] != self.sizes][-6:]
        a, shape = parts[self.random.integers(len(parts))]
        ways = [(0, 2), (0, 1), (1, 2), (1,), (2,)]
        fitting = [dims for dims in ways if tuple(self.sizes[d] for d in dims) == shape]
        if not fitting:
            return
        dims = list(fitting[self.random.integers(len(fitting))])
        types = f"({self.type(shape)}) -> {self.type(self.sizes)}"
        self._emit(f"broadcast_in_dim {a}, dims = {dims} : {types}", self.sizes)

    def move(self) -> None:
        """Elements elsewhere in a dimension."""
        a, shape = self._whole()
        self._emit(f"reverse {a}, dims = [{self.random.integers(3)}] : {self.type(shape)}", shape)

    def regroup(self) -> None:
        """The same elements in two dimensions, computed with, and back."""
        a, shape = self._whole()
        outer, length, inner = shape
        flat = (outer * length, inner)
        self._emit(f"reshape {a} : ({self.type(shape)}) -> {self.type(flat)}", flat)
        b, _ = self.values[-1]
        self._emit(f"add {b}, {b} : {self.type(flat)}", flat)
        self._limit()
        c, _ = self.values[-1]
        self._emit(f"reshape {c} : ({self.type(flat)}) -> {self.type(shape)}", shape)


SIZES = [(9, 6, 16), (8, 5, 33), (1, 40, 96), (3, 7, 200), (2, 3, 300), (16, 96, 64)]


@pytest.mark.parametrize("element", ["f32", "i32", "f64"])
@pytest.mark.parametrize("sizes", SIZES)
def test_random_columns(element: str, sizes: tuple[int, int, int]) -> None:
    for seed in range(5):
        program = ColumnProgram(seed, element, sizes, 24)
        assert_staged(program.text(), *program.arrays())


CENTERED = """
func.func public @main(%x: tensor<{full}>) -> tensor<{full}> {{
  %zero = stablehlo.constant dense<0> : tensor<{element}>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = {reduced}
    : (tensor<{full}>, tensor<{element}>) -> tensor<{kept}>
  %all = stablehlo.broadcast_in_dim %sum, dims = {dims} : (tensor<{kept}>) -> tensor<{full}>
  %result = stablehlo.subtract %x, %all : tensor<{full}>
  return %result : tensor<{full}>
}}
"""


@pytest.mark.parametrize("element", ["i8", "ui16", "i32", "i64"])
def test_several_dimensions_are_reduced_between_others(element: str) -> None:
    shape, dtype = (3, 4, 5, 6, 2, 9), ELEMENT_TYPES[element].dtype
    x = np.random.default_rng(0).integers(0, 99, shape).astype(dtype)
    text = CENTERED.format(
        full=f"3x4x5x6x2x9x{element}", kept=f"3x4x2x9x{element}", element=element,
        reduced="[2, 3]", dims="[0, 1, 4, 5]",
    )  # fmt: skip
    executable = staged(text)
    assert "column" in str(executable.ir("stages")), text
    np.testing.assert_array_equal(executable(x), x - x.sum((2, 3), dtype=dtype, keepdims=True))
    assert_staged(text, x)


def test_what_is_folded_in_order_is_so() -> None:
    text = """
    func.func public @main(%x: tensor<9x11x40xi32>, %s: tensor<i32>) -> tensor<9x11x40xi32> {
      %0 = stablehlo.reduce(%x init: %s) across dimensions = [1]
        : (tensor<9x11x40xi32>, tensor<i32>) -> tensor<9x40xi32>
        reducer(%a: tensor<i32>, %b: tensor<i32>) {
          %three = stablehlo.constant dense<3> : tensor<i32>
          %t = stablehlo.multiply %a, %three : tensor<i32>
          %r = stablehlo.subtract %t, %b : tensor<i32>
          stablehlo.return %r : tensor<i32>
        }
      %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<9x40xi32>) -> tensor<9x11x40xi32>
      %2 = stablehlo.xor %x, %1 : tensor<9x11x40xi32>
      return %2 : tensor<9x11x40xi32>
    }
    """
    x = np.random.default_rng(1).integers(-99, 99, (9, 11, 40)).astype(np.int32)
    assert_staged(text, x, np.int32(7))


@pytest.mark.parametrize("element", ["i32", "f32", "i8"])
@pytest.mark.parametrize("first", [1, 2, 8, 13])
def test_columns_joined_of_parts_are_read_and_no_more(first: int, element: str) -> None:
    """Lanes of a part are known to be off where another one is: nothing is read for them."""
    parts, shape = [(8, 5, first), (8, 5, 14 - first)], (8, 5, 14)
    types = [f"tensor<{'x'.join(map(str, sizes))}x{element}>" for sizes in (*parts, shape)]
    a, b, whole = types
    text = f"""func.func @main(%a: {a}, %b: {b}, %x: {whole}, %y: {whole})
        -> tensor<14x{element}> {{
      %0 = stablehlo.concatenate %a, %b, dim = 2 : ({a}, {b}) -> {whole}
      %1 = stablehlo.add %x, %0 : {whole}
      %2 = stablehlo.add %1, %y : {whole}
      %3 = stablehlo.constant dense<0{".0" if element[0] == "f" else ""}> : tensor<{element}>
      %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0, 1]
        : ({whole}, tensor<{element}>) -> tensor<14x{element}>
      return %4 : tensor<14x{element}>
    }}"""
    random, dtype = np.random.default_rng(first), ELEMENT_TYPES[element].dtype
    arrays = (random.integers(-2, 3, sizes).astype(dtype) for sizes in (*parts, shape, shape))
    assert_staged(text, *arrays)


def test_a_result_may_lie_where_an_argument_does() -> None:
    text = """
    func.func public @main(%x: tensor<12x8x40xi32>) -> tensor<12x8x40xi32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %y = stablehlo.reverse %x, dims = [0] : tensor<12x8x40xi32>
      %z = stablehlo.multiply %y, %y : tensor<12x8x40xi32>
      %0 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<12x8x40xi32>, tensor<i32>) -> tensor<12x40xi32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2]
        : (tensor<12x40xi32>) -> tensor<12x8x40xi32>
      %2 = stablehlo.subtract %1, %z : tensor<12x8x40xi32>
      %3 = stablehlo.reverse %2, dims = [1] : tensor<12x8x40xi32>
      return %3 : tensor<12x8x40xi32>
    }
    """
    x = np.random.default_rng(2).integers(-99, 99, (12, 8, 40)).astype(np.int32)
    z = (x * x)[::-1]
    np.testing.assert_array_equal(staged(text)(x), (z.sum(1, keepdims=True) - z)[:, ::-1])
    assert_staged(text, x)
