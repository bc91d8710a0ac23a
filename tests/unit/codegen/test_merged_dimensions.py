"""Pixels that are cut, padded, joined and reversed in rows: random programs on the reference."""

from __future__ import annotations

import numpy as np
import pytest
from exact_programs import ExactProgram, Shape, Tensor
from staged_programs import assert_staged

ELEMENTS = ("f32", "i32", "i8", "f64")
_SEEDS = 25


class PixelProgram(ExactProgram):
    """A sum of values of one shape, with a short last dimension that most ops keep whole.

    Args:
        seed: what is drawn.
        element: the type.
    """

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, ELEMENTS.index(element)]))
        rank = int(self.random.integers(1, 4))
        outer = self.random.integers(1, (60, 24, 8)[rank - 1], rank).tolist()
        shape = (*outer, int(self.random.integers(1, 10)))
        makers = (self.given, self.cut, self.cut, self.padded, self.padded, self.joined, self.twice)
        makers += (self.reversed, self.spread, self.counted, self.turned, self.taken, self.split)
        self.makers = [m for m in makers for _ in range(self.random.integers(0, 3))] or [self.cut]
        value = self.made(shape, 0)
        for _ in range(self.random.integers(1, 6)):
            value = self.sum(value, self.made(shape, 0))
        self.results = [value]
        if self.random.random() < 0.3:
            self.results.append(self.sum(value, self.argument(shape)))
        if self.random.random() < 0.2:
            flat = (int(np.prod(shape)),)
            self.results = [self.emit("reshape", [result], flat) for result in self.results]

    def made(self, shape: Shape, depth: int) -> Tensor:
        if depth > 2:
            return self.argument(shape)
        return self.makers[self.random.integers(len(self.makers))](shape, depth + 1)

    def _whole(self) -> bool:
        """Whether an op leaves pixels as they are, as most do."""
        return self.random.random() < 0.9

    def sum(self, one: Tensor, other: Tensor) -> Tensor:
        bound = one.bound + other.bound
        return self.emit("add", [one, other], one.shape, bound=bound, types=self.type(one))

    def given(self, shape: Shape, depth: int) -> Tensor:
        return self.argument(shape)

    def twice(self, shape: Shape, depth: int) -> Tensor:
        """A value that is read in two orders."""
        value = self.made(shape, depth)
        rest = f", dims = [{int(self.random.integers(len(shape)))}]"
        other = self.emit("reverse", [value], shape, rest=rest, types=self.type(shape))
        return self.sum(value, other)

    def cut(self, shape: Shape, depth: int) -> Tensor:
        """Part of something larger, now and then every second row of it."""
        low, high = self.random.integers(0, 3, (2, len(shape)))
        if self._whole():
            low[-1] = high[-1] = 0
        steps = [2 if self.random.random() < 0.05 else 1 for _ in shape]
        ends = [a + (n - 1) * k + 1 for a, n, k in zip(low, shape, steps, strict=True)]
        whole = tuple(int(end + more) for end, more in zip(ends, high, strict=True))
        cuts = ", ".join(f"{a}:{b}:{k}" for a, b, k in zip(low, ends, steps, strict=True))
        return self.emit("slice", [self.made(whole, depth)], shape, rest=f" [{cuts}]")

    def padded(self, shape: Shape, depth: int) -> Tensor:
        """Something smaller with edges, whose rows may lie apart; parts of edges are cut off."""
        low, high = self.random.integers(-1, 3, (2, len(shape)))
        if self._whole():
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
        value = self.made(tuple(old), depth)
        return self.emit("pad", [value, self.constant(1)], shape, rest=rest)

    def joined(self, shape: Shape, depth: int) -> Tensor:
        d = int(self.random.integers(max(1, len(shape) - self._whole())))
        if shape[d] < 2:
            return self.argument(shape)
        first = int(self.random.integers(1, shape[d]))
        sizes = [(*shape[:d], n, *shape[d + 1 :]) for n in (first, shape[d] - first)]
        parts = [self.made(size, depth) for size in sizes]
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def reversed(self, shape: Shape, depth: int) -> Tensor:
        dims = [d for d in range(len(shape)) if self.random.random() < 0.5]
        value = self.made(shape, depth)
        return self.emit("reverse", [value], shape, rest=f", dims = {dims}", types=self.type(shape))

    def spread(self, shape: Shape, depth: int) -> Tensor:
        dims = [d for d in range(len(shape)) if self.random.random() < 0.7]
        old = tuple(1 if self.random.random() < 0.2 else shape[d] for d in dims)
        value = self.made(old, depth) if len(old) > 1 else self.argument(old)
        return self.emit("broadcast_in_dim", [value], shape, rest=f", dims = {dims}")

    def counted(self, shape: Shape, depth: int) -> Tensor:
        d = int(self.random.integers(len(shape)))
        return self.written(f"iota dim = {d} : {self.type(shape)}", shape, max(shape))

    def turned(self, shape: Shape, depth: int) -> Tensor:
        """Dimensions in another order, of which the last two stay beside each other."""
        order = self.random.permutation(len(shape) - 1).tolist()
        order.append(len(shape) - 1)
        old = tuple(shape[order.index(d)] for d in range(len(shape)))
        value = self.made(old, depth)
        return self.emit("transpose", [value], shape, rest=f", dims = {order}")

    def taken(self, shape: Shape, depth: int) -> Tensor:
        """What lies at places that run time knows."""
        more = self.random.integers(0, 3, len(shape))
        if self._whole():
            more[-2:] = 0
        whole = self.made(tuple(int(n) for n in shape + more), depth)
        places = [Tensor(f"%x{len(self.arguments) + k}", (), 0.0) for k in range(len(shape))]
        self.arguments += [f"{place}: tensor<i32>" for place in places]
        self.arrays += list(self.random.integers(-1, 4, len(shape)).astype(np.int32))
        types = ", ".join([self.type(whole), *["tensor<i32>"] * len(shape)])
        text = f"dynamic_slice {', '.join(map(str, (whole, *places)))}, sizes = {list(shape)}"
        return self.written(f"{text} : ({types}) -> {self.type(shape)}", shape, whole.bound)

    def split(self, shape: Shape, depth: int) -> Tensor:
        """The same elements by other dimensions: one more in front, or two that are made one."""
        old = (1, *shape)
        if len(shape) > 2 and self.random.random() < 0.5:
            old = (shape[0] * shape[1], *shape[2:])
        return self.emit("reshape", [self.made(old, depth)], shape)


@pytest.mark.parametrize("first", range(0, 100, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_pixels(element: str, first: int) -> None:
    for seed in range(first, first + _SEEDS):
        program = PixelProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
