"""Pixels that are cut, padded, joined and reversed in rows: random programs on the reference."""

from __future__ import annotations

import numpy as np
import pytest
from exact_programs import Shape, Tensor, Unsuitable
from shaped_programs import ShapedProgram
from staged_programs import assert_staged

ELEMENTS = ("f32", "i32", "i8", "f64")
_SEEDS = 15


class PixelProgram(ShapedProgram):
    """A sum of values of one shape, with a short last dimension that most ops keep whole.

    Args:
        seed: what is drawn.
        element: the type.
    """

    depth = 3

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, ELEMENTS.index(element)]))
        rank = int(self.random.integers(1, 4))
        outer = self.random.integers(1, (60, 24, 8)[rank - 1], rank).tolist()
        shape = (*outer, int(self.random.integers(1, 10)))
        makers = (self.cut_of, self.cut_of, self.padded, self.padded, self.joined, self.twice)
        makers += (self.reversed_from, self.spread_from, self.counted, self.turned_from)
        makers += (self.taken, self.cut_somewhere, self.reshaped_from)
        self.makers = self._some(makers, (0, 1, 2))
        value = self.made(shape)
        for _ in range(self.random.integers(1, 6)):
            value = self.sum(value, self.made(shape))
        self.results = [value]
        if self.random.random() < 0.3:
            self.results.append(self.sum(value, self.argument(shape)))
        if self.random.random() < 0.2:
            flat = (int(np.prod(shape)),)
            self.results = [self.emit("reshape", [result], flat) for result in self.results]

    def made(self, shape: Shape, steps: int = 0) -> Tensor:
        return super().made(shape, steps) if shape else self.argument(shape)

    def _order(self, rank: int) -> list[int]:
        """The last dimension stays where it is."""
        return [*super()._order(rank - 1), rank - 1]

    def _is_whole(self) -> bool:
        """Whether an op leaves pixels as they are, as most do."""
        return self.random.random() < 0.9

    def sum(self, one: Tensor, other: Tensor) -> Tensor:
        bound = one.bound + other.bound
        return self.emit("add", [one, other], one.shape, bound=bound, types=self.type(one))

    def twice(self, shape: Shape, steps: int) -> Tensor:
        """A value that is read in two orders."""
        value = self.made(shape, steps)
        rest = f", dims = [{int(self.random.integers(len(shape)))}]"
        other = self.emit("reverse", [value], shape, rest=rest, types=self.type(shape))
        return self.sum(value, other)

    def cut_of(self, shape: Shape, steps: int) -> Tensor:
        """Part of something larger, now and then every second row of it."""
        low, high = self.random.integers(0, 3, (2, len(shape)))
        if self._is_whole():
            low[-1] = high[-1] = 0
        strides = [2 if self.random.random() < 0.05 else 1 for _ in shape]
        ends = [a + (n - 1) * k + 1 for a, n, k in zip(low, shape, strides, strict=True)]
        whole = tuple(int(end + more) for end, more in zip(ends, high, strict=True))
        cuts = ", ".join(f"{a}:{b}:{k}" for a, b, k in zip(low, ends, strides, strict=True))
        return self.emit("slice", [self.made(whole, steps)], shape, rest=f" [{cuts}]")

    def padded(self, shape: Shape, steps: int) -> Tensor:
        """Something smaller with edges, whose rows may lie apart; parts of edges are cut off."""
        low, high = self.random.integers(-1, 3, (2, len(shape)))
        if self._is_whole():
            low[-1] = high[-1] = 0
        inner = [int(self.random.random() < 0.05) for _ in shape]
        old = []
        for d, size in enumerate(shape):
            left = size - low[d] - high[d]
            if left < 1 or (left + inner[d]) % (inner[d] + 1):
                low[d] = high[d] = inner[d] = 0
                left = size
            old.append(int((left + inner[d]) // (inner[d] + 1)))
        rest = f", low = {low.tolist()}, high = {high.tolist()}, interior = {inner}"
        value = self.made(tuple(old), steps)
        return self.emit("pad", [value, self.constant(1)], shape, rest=rest)

    def joined(self, shape: Shape, steps: int) -> Tensor:
        """Two parts, along any dimension."""
        d = int(self.random.integers(max(1, len(shape) - self._is_whole())))
        if shape[d] < 2:
            raise Unsuitable
        first = int(self.random.integers(1, shape[d]))
        sizes = [(*shape[:d], n, *shape[d + 1 :]) for n in (first, shape[d] - first)]
        parts = [self.made(size, steps) for size in sizes]
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def counted(self, shape: Shape, steps: int) -> Tensor:
        d = int(self.random.integers(len(shape)))
        return self.written(f"iota dim = {d} : {self.type(shape)}", shape, max(shape))

    def cut_somewhere(self, shape: Shape, steps: int) -> Tensor:
        """What lies at places that run time knows."""
        more = self.random.integers(0, 3, len(shape))
        if self._is_whole():
            more[-2:] = 0
        whole = self.made(tuple(int(n) for n in shape + more), steps)
        places = [Tensor(f"%x{len(self.arguments) + k}", (), 0.0) for k in range(len(shape))]
        self.arguments += [f"{place}: tensor<i32>" for place in places]
        self.arrays += list(self.random.integers(-1, 4, len(shape)).astype(np.int32))
        types = ", ".join([self.type(whole), *["tensor<i32>"] * len(shape)])
        text = f"dynamic_slice {', '.join(map(str, (whole, *places)))}, sizes = {list(shape)}"
        return self.written(f"{text} : ({types}) -> {self.type(shape)}", shape, whole.bound)


@pytest.mark.parametrize("first", range(0, 60, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_pixels(element: str, first: int) -> None:
    for seed in range(first, first + _SEEDS):
        program = PixelProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
