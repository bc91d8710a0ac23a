"""What is cut, padded, joined, turned and repeated, read by every kind of kernel: random programs.

Kernels of rows, columns, short rows, sorts, windows, scans and products read their operands where
these lie. Whatever moves elements in front of them decides which lanes read, and which are off: no
lane reads where there is nothing.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_programs import Shape, Tensor, Unsuitable
from neighbour_programs import NeighbourProgram
from staged_programs import assert_staged

_ELEMENTS = ("f32", "i32", "i8", "f64")
_SEEDS = 30
_SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 14, 16, 17, 24, 31, 33, 48, 70)
_MOST = 12_000  # elements of what is moved


class MovedProgram(NeighbourProgram):
    """Sums of values that are moved, each read by one kind of kernel, whose result goes on.

    Args:
        seed: what is drawn.
        element: the type.
    """

    def _draw(self) -> None:
        makers = (self.cut_of, self.reshaped_from, self.turned_from, self.spread_from, self.padded)
        makers += (self.reversed_from, self.joined, self.taken, self.joined_anywhere, self.rotated)
        kinds = (self.fold, self.normalized, self.sorted, self.scan, self.pooled, self.product)
        self.makers = self._some(makers, (0, 1, 3))
        self.depth = int(self.random.integers(1, 4))
        self.values = [self.made(self._shape())]
        for _ in range(self.random.integers(1, 4)):
            for step in (*self._picks((self.add, self.choose)), self.add, self._pick(kinds)):
                try:
                    self.values.append(self.bounded(step()))
                except Unsuitable:
                    continue
        others = [value for value in self.values[:-1] if self.random.random() < 0.1]
        self.results = [self.values[-1], *others]

    def _shape(self) -> Shape:
        rank = int(self.random.integers(1, 5))
        while True:
            shape = tuple(self.random.choice(_SIZES, rank).tolist())
            if math.prod(shape) <= _MOST:
                return shape

    # --- what moves -------------------------------------------------------------------------------
    def joined_anywhere(self, shape: Shape, steps: int) -> Tensor:
        """Two or three parts, along any dimension."""
        d = self._dimension(shape)
        count = int(self.random.integers(2, 4))
        if shape[d] < count:
            raise Unsuitable
        cuts = sorted(self.random.choice(np.arange(1, shape[d]), count - 1, replace=False).tolist())
        sizes = np.diff([0, *cuts, shape[d]]).tolist()
        parts = [self.made((*shape[:d], n, *shape[d + 1 :]), steps) for n in sizes]
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def _dimension(self, shape: Shape) -> int:
        if not shape:
            raise Unsuitable
        return int(self.random.integers(len(shape)))

    # --- kinds of kernels -------------------------------------------------------------------------
    def normalized(self) -> Tensor:
        """A value without the largest of its rows, columns, or whatever is between."""
        value = self._last()
        if self.element.startswith("complex"):
            raise Unsuitable
        kept = [d for d in range(len(value.shape)) if self.random.random() < 0.5]
        others = [d for d in range(len(value.shape)) if d not in kept]
        largest = self._broadcast(self.folded("maximum", value, others), kept, value.shape)
        bound, types = 2 * value.bound, self.type(value)
        return self.emit("subtract", [value, largest], value.shape, bound=bound, types=types)

    def sorted(self) -> Tensor:
        value = self._last()
        d, mark, scalar = self._dimension(value.shape), len(self.lines), self.type(())
        self.lines.append(
            f'%v{mark} = "stablehlo.sort"({value}) <{{dimension = {d} : i64}}> ({{\n'
            f"^bb0(%a{mark}: {scalar}, %b{mark}: {scalar}):\n"
            f"  %c{mark} = stablehlo.compare LT, %a{mark}, %b{mark} : "
            f"({scalar}, {scalar}) -> tensor<i1>\n"
            f"  stablehlo.return %c{mark} : tensor<i1>\n"
            f"}}) : ({self.type(value)}) -> {self.type(value)}"
        )
        return Tensor(f"%v{mark}", value.shape, value.bound)

    def pooled(self) -> Tensor:
        """Sums of windows of two or three elements, along some dimensions."""
        value = self._last()
        sizes = [min(size, int(self._pick((1, 1, 2, 3)))) for size in value.shape]
        strides = [int(self._pick((1, 1, 2))) for _ in sizes]
        if not sizes:
            raise Unsuitable
        shape = tuple(
            (size - window) // stride + 1
            for size, window, stride in zip(value.shape, sizes, strides, strict=True)
        )
        return self.summed_by_windows(value, shape, sizes, window_strides=self.integers(strides))


@pytest.mark.parametrize("element", _ELEMENTS)
@pytest.mark.parametrize("seed", range(_SEEDS))
def test_random_programs(seed: int, element: str) -> None:
    program = MovedProgram(seed, element)
    assert_staged(program.text(), *program.arrays)
