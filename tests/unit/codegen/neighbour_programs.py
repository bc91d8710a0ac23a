"""Random programs of products and sums, and of what moves elements in front of them and behind."""

from __future__ import annotations

import math

import numpy as np
from exact_programs import ELEMENTS, MOST, Tensor, Unsuitable
from shaped_programs import ShapedProgram

SHAPES = [
    *((300, 16, 1, 3), (1, 32, 2, 32), (2, 8, 16, 32), (64, 7, 3), (64, 7, 3, 3), (512, 5)),
    *((96, 48), (128, 64), (64, 64), (32, 32), (7, 130), (16, 16, 16), (40, 2, 40), (33, 65)),
    *((2, 8, 8, 16), (1, 28, 28, 1), (3, 5, 7), (2, 3), (5, 4, 3), (1, 64), (32, 1), (1000,), (6,)),
]
_SIZES = (1, 1, 2, 3, 5, 7, 8, 16, 31, 32, 48, 64)
_WORK = 2_000_000  # products of numbers in a contraction


class NeighbourProgram(ShapedProgram):
    """A program of one element type, of numbers that all its ops keep exact.

    Args:
        seed: what is drawn.
        element: the type.
    """

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, ELEMENTS.index(element)]))
        self._draw()

    def _draw(self) -> None:
        """What is computed, and which of it is returned."""
        # Each program has ops of its own that it likes, and goes so far for operands.
        steps = (self.product, self.fold, self.turn, self.cut, self.reshape, self.add, self.spread)
        steps += (self.choose, self.join, self.scan)
        makers = (self.cut_of, self.reshaped_from, self.turned_from, self.spread_from, self.padded)
        makers += (self.reversed_from, self.joined, self.taken)
        self.steps = self._some(steps, (0, 1, 3))
        self.makers = self._some(makers, (0, 1, 3))
        self.depth = int(self.random.integers(4))
        self.values = [self.made(self._pick(SHAPES), 1)]
        starts = (
            (self.product,),
            (self.fold,),
            (self.product, self.turn),
            (self.fold, self.product),
        )
        for step in (*self._pick(starts), *self._picks(self.steps)):
            try:
                self.values.append(self.bounded(step()))
            except Unsuitable:
                continue
        others = [value for value in self.values[:-1] if self.random.random() < 0.2]
        self.results = [self.values[-1], *others]

    def _last(self) -> Tensor:
        """A value, mostly the last one."""
        return self.values[-1 - min(int(self.random.exponential(0.5)), len(self.values) - 1)]

    # --- steps, from values forwards --------------------------------------------------------------
    def product(self) -> Tensor:
        """A value and another one: any dimensions of it are batches, summed over, or kept."""
        value = self._last()
        roles = self.random.choice(list("bskk" if len(value.shape) > 2 else "skk"), 9)
        roles[: self._pick((0, 0, 1, 2, 3)) if len(value.shape) > 2 else 0] = "b"
        batch, inner, rows = ([d for d in range(len(value.shape)) if roles[d] == r] for r in "bsk")
        free = [int(self._pick(_SIZES)) for _ in range(self._pick((0, 1, 1, 2)))]
        sides = [*(("own", d) for d in (*batch, *inner)), *(("free", size) for size in free)]
        sides = [sides[place] for place in self._order(len(sides))]
        columns = [size for kind, size in sides if kind == "free"]
        shape = tuple(size if kind == "free" else value.shape[size] for kind, size in sides)
        result = tuple(value.shape[d] for d in (*batch, *rows)) + tuple(columns)
        depth = math.prod(value.shape[d] for d in inner)
        if math.prod(result) > MOST or math.prod(result) * depth > _WORK:
            raise Unsuitable
        other = self.made(shape)
        lists = [[sides.index(("own", d)) for d in dims] for dims in (batch, inner)]
        rest = f", batching_dims = {batch} x {lists[0]}, contracting_dims = {inner} x {lists[1]}"
        bound = 2 * depth * value.bound * other.bound
        return self.emit("dot_general", [value, other], result, rest=rest, bound=bound)

    def fold(self) -> Tensor:
        """A sum or the largest, over any dimensions."""
        value = self._last()
        dims = [d for d in range(len(value.shape)) if self.random.random() < 0.5]
        op = "add" if self.element.startswith("complex") else self._pick(("add", "add", "maximum"))
        return self.folded(op, value, dims)

    def turn(self) -> Tensor:
        value = self._last()
        order = self._order(len(value.shape))
        shape = tuple(value.shape[d] for d in order)
        return self.emit("transpose", [value], shape, rest=f", dims = {order}")

    def cut(self) -> Tensor:
        value = self._last()
        low = [int(self.random.integers(size)) for size in value.shape]
        ends = zip(low, value.shape, strict=True)
        high = [int(self.random.integers(start + 1, size + 1)) for start, size in ends]
        if self.random.random() < 0.5:  # whole dimensions but for one
            d = self.random.integers(max(1, len(low)))
            low = [start if k == d else 0 for k, start in enumerate(low)]
            high = [end if k == d else value.shape[k] for k, end in enumerate(high)]
        return self._slice(value, low, high)

    def reshape(self) -> Tensor:
        value = self._last()
        return self.emit("reshape", [value], self._cut_elsewhere(value.shape))

    def add(self) -> Tensor:
        """A value and another of its shape, such as a bias of rows or columns."""
        value = self._last()
        other = (
            self.made(value.shape)
            if self.random.random() < 0.5
            else self.spread_from(value.shape, 1)
        )
        bound = value.bound + other.bound
        return self.emit("add", [value, other], value.shape, bound=bound, types=self.type(value))

    def spread(self) -> Tensor:
        value = self._last()
        d = int(self.random.integers(len(value.shape) + 1))
        shape = (*value.shape[:d], int(self._pick((2, 3, 32))), *value.shape[d:])
        return self._broadcast(value, [k for k in range(len(shape)) if k != d], shape)

    def choose(self) -> Tensor:
        """A value where a mask of positions holds, and another one elsewhere."""
        value = self._last()
        if not value.shape:
            raise Unsuitable
        other, whole = self.made(value.shape), self.type(value.shape, "i32")
        ways = [int(self.random.integers(len(value.shape))) for _ in range(2)]
        sides = [self.written(f"iota dim = {d} : {whole}", value.shape, 0.0) for d in ways]
        mask = self.type(value.shape, "i1")
        text = f"compare LE, {sides[0]}, {sides[1]} : ({whole}, {whole}) -> {mask}"
        chosen = self.written(text, value.shape, 1.0)
        types = f"{mask}, {self.type(value)}"
        bound = max(value.bound, other.bound)
        return self.emit("select", [chosen, value, other], value.shape, types=types, bound=bound)

    def join(self) -> Tensor:
        value = self._last()
        if not value.shape:
            raise Unsuitable
        d = int(self.random.integers(len(value.shape)))
        parts = [value, self.made(value.shape)]
        shape = tuple(size * (1 + (k == d)) for k, size in enumerate(value.shape))
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def scan(self) -> Tensor:
        """Sums of all elements in front, along a dimension."""
        value = self._last()
        if not value.shape or value.shape[d := int(self.random.integers(len(value.shape)))] > 64:
            raise Unsuitable
        window = [size if k == d else 1 for k, size in enumerate(value.shape)]
        padding = f"dense<{[[size - 1, 0] for size in window]}> : tensor<{len(window)}x2xi64>"
        return self.summed_by_windows(value, value.shape, window, padding=padding)
