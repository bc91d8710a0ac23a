"""Random programs whose values are made for the shapes that are wanted, from these backwards."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from exact_programs import MOST, ExactProgram, Shape, Tensor, Unsuitable


class ShapedProgram(ExactProgram):
    """A program whose values are made for the shapes that are wanted of them.

    Attributes:
        makers: what makes a value of a shape, so many ops above what is wanted.
        depth: how many of these are above each other, at most.
    """

    makers: Sequence[Callable[[Shape, int], Tensor]]
    depth: int

    # --- what is drawn ---------------------------------------------------------------------------
    def _some(self, things: Sequence[Callable], times: Sequence[int]) -> list[Callable]:
        return [x for x in things for _ in range(self._pick(times))] or list(things)

    def _pick(self, things: Sequence) -> object:
        return things[self.random.integers(len(things))]

    def _picks(self, things: Sequence) -> list:
        return [self._pick(things) for _ in range(self._pick((0, 1, 1, 2, 2, 3, 6)))]

    def _order(self, rank: int) -> list[int]:
        return [int(d) for d in self.random.permutation(rank)]

    # --- operands, from their shapes backwards ----------------------------------------------------
    def made(self, shape: Shape, steps: int = 0) -> Tensor:
        """A value of a shape: an argument, or what some ops make of one."""
        if steps < self.depth and self.random.random() < 0.8:
            try:
                return self._pick(self.makers)(shape, steps + 1)
            except Unsuitable:
                pass
        if math.prod(shape) > MOST:
            raise Unsuitable
        return self.argument(shape)

    def cut_of(self, shape: Shape, steps: int) -> Tensor:
        low, high = self.random.integers(0, 3, (2, len(shape)))
        if shape and self.random.random() < 0.5:  # one of several parts of the same size
            d = self.random.integers(len(shape))
            low[d], high[d] = shape[d] * self.random.integers(0, 2, 2)
        whole = self.made(tuple(int(n) for n in low + shape + high), steps)
        return self._slice(whole, low, low + shape)

    def _slice(self, whole: Tensor, low: Sequence[int], high: Sequence[int]) -> Tensor:
        cuts = ", ".join(f"{a}:{b}" for a, b in zip(low, high, strict=True))
        shape = tuple(int(b - a) for a, b in zip(low, high, strict=True))
        return self.emit("slice", [whole], shape, rest=f" [{cuts}]")

    def reshaped_from(self, shape: Shape, steps: int) -> Tensor:
        return self.emit("reshape", [self.made(self._cut_elsewhere(shape), steps)], shape)

    def _cut_elsewhere(self, shape: Shape) -> Shape:
        """Other sizes of as many elements: one more, one less, or two that are made one."""
        d = int(self.random.integers(len(shape) + 1))
        if d < len(shape) and self.random.random() < 0.4:
            part = next((n for n in (8, 3, 2, 5, 7) if shape[d] % n == 0), 1)
            return (*shape[:d], part, shape[d] // part, *shape[d + 1 :])
        if d + 1 < len(shape) and self.random.random() < 0.6:
            return (*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :])
        return (*shape[:d], 1, *shape[d:])

    def turned_from(self, shape: Shape, steps: int) -> Tensor:
        order = self._order(len(shape))
        old = tuple(shape[order.index(d)] for d in range(len(shape)))
        return self.emit("transpose", [self.made(old, steps)], shape, rest=f", dims = {order}")

    def spread_from(self, shape: Shape, steps: int) -> Tensor:
        dims = [d for d in range(len(shape)) if self.random.random() < 0.6]
        old = tuple(1 if self.random.random() < 0.2 else shape[d] for d in dims)
        return self._broadcast(self.made(old, steps), dims, shape)

    def _broadcast(self, value: Tensor, dims: list[int], shape: Shape) -> Tensor:
        return self.emit("broadcast_in_dim", [value], shape, rest=f", dims = {dims}")

    def padded(self, shape: Shape, steps: int) -> Tensor:
        low, high = (self.random.integers(-1, 2, len(shape)).tolist() for _ in range(2))
        old = tuple(size - a - b for size, a, b in zip(shape, low, high, strict=True))
        if min(old, default=1) < 1:
            raise Unsuitable
        rest = f", low = {low}, high = {high}, interior = {[0] * len(shape)}"
        return self.emit("pad", [self.made(old, steps), self.constant(1)], shape, rest=rest)

    def reversed_from(self, shape: Shape, steps: int) -> Tensor:
        dims = [d for d in range(len(shape)) if self.random.random() < 0.5]
        value = self.made(shape, steps)
        return self.emit("reverse", [value], shape, rest=f", dims = {dims}", types=self.type(shape))

    def joined(self, shape: Shape, steps: int) -> Tensor:
        if not shape or shape[-1] < 2:
            raise Unsuitable
        parts = [self.made((*shape[:-1], size), steps) for size in (1, shape[-1] - 1)]
        return self.emit("concatenate", parts, shape, rest=f", dim = {len(shape) - 1}")

    def rotated(self, shape: Shape, steps: int) -> Tensor:
        """Runs of rows in another order: mostly two of them, mostly all that there are."""
        if not shape:
            raise Unsuitable
        d = int(self.random.integers(len(shape)))
        count = 2 if self.random.random() < 0.8 else 3
        if shape[d] < count:
            raise Unsuitable
        edge = self.random.integers(0, 3, len(shape)) * int(self.random.random() < 0.2)
        whole = self.made(tuple((edge + shape).tolist()), steps)
        cuts = self.random.choice(np.arange(1, shape[d]), count - 1, replace=False)
        runs = list(itertools.pairwise([0, *sorted(cuts.tolist()), shape[d]]))
        parts = []
        for first, last in [*runs[1:], runs[0]]:
            low, high = edge.copy(), edge + shape
            low[d], high[d] = edge[d] + first, edge[d] + last
            parts.append(self._slice(whole, low, high))
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def taken(self, shape: Shape, steps: int) -> Tensor:
        """Rows by their numbers, some of which there are not."""
        if not shape:
            raise Unsuitable
        whole = self.made((5, *shape[1:]), steps)
        rows = Tensor(f"%x{len(self.arguments)}", (), 0.0)
        self.arguments.append(f"{rows}: {self.type((shape[0], 1), 'i32')}")
        self.arrays.append(self.random.integers(-1, 7, (shape[0], 1)).astype(np.int32))
        numbers = f"offset_dims = {list(range(1, len(shape)))}, collapsed_slice_dims = [0]"
        numbers += ", start_index_map = [0], index_vector_dim = 1"
        sizes = ", ".join(map(str, (1, *shape[1:])))
        types = f"({self.type(whole)}, {self.type((shape[0], 1), 'i32')}) -> {self.type(shape)}"
        text = f"{whole}, {rows}) {{dimension_numbers = #stablehlo.gather<{numbers}>"
        text = f'"stablehlo.gather"({text}, slice_sizes = array<i64: {sizes}>}} : {types}'
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return Tensor(f"%v{len(self.lines) - 1}", shape, whole.bound)
