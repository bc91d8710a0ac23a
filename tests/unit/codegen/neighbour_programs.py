"""Random programs of products and sums, and of what moves elements in front of them and behind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from exact_programs import ELEMENTS, MOST, ExactProgram, Shape, Tensor, Unsuitable

SHAPES = [
    *((300, 16, 1, 3), (1, 32, 2, 32), (2, 8, 16, 32), (64, 7, 3), (64, 7, 3, 3), (512, 5)),
    *((96, 48), (128, 64), (64, 64), (32, 32), (7, 130), (16, 16, 16), (40, 2, 40), (33, 65)),
    *((2, 8, 8, 16), (1, 28, 28, 1), (3, 5, 7), (2, 3), (5, 4, 3), (1, 64), (32, 1), (1000,), (6,)),
]
_SIZES = (1, 1, 2, 3, 5, 7, 8, 16, 31, 32, 48, 64)
_WORK = 2_000_000  # products of numbers in a contraction


class NeighbourProgram(ExactProgram):
    """A program of one element type, of numbers that all its ops keep exact.

    Args:
        seed: what is drawn.
        element: the type.
    """

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, ELEMENTS.index(element)]))
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

    # --- what is drawn ---------------------------------------------------------------------------
    def _some(self, things: Sequence[Callable], times: Sequence[int]) -> list[Callable]:
        return [x for x in things for _ in range(self._pick(times))] or list(things)

    def _pick(self, things: Sequence) -> object:
        return things[self.random.integers(len(things))]

    def _picks(self, things: Sequence) -> list:
        return [self._pick(things) for _ in range(self._pick((0, 1, 1, 2, 2, 3, 6)))]

    def _order(self, rank: int) -> list[int]:
        return [int(d) for d in self.random.permutation(rank)]

    def _last(self) -> Tensor:
        """A value, mostly the last one."""
        return self.values[-1 - min(int(self.random.exponential(0.5)), len(self.values) - 1)]

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
        shape = tuple(size for d, size in enumerate(value.shape) if d not in dims)
        op = "add" if self.element.startswith("complex") else self._pick(("add", "add", "maximum"))
        start = self.constant(0)
        types = f"({self.type(value)}, {self.type(())}) -> {self.type(shape)}"
        count = math.prod(value.shape[d] for d in dims) if op == "add" else 1
        text = f"reduce({value} init: {start}) applies stablehlo.{op} across dimensions = {dims}"
        return self.written(f"{text} : {types}", shape, count * value.bound)

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
        padding, mark = [[size - 1, 0] for size in window], len(self.lines)
        scalar, start = self.type(()), self.constant(0)
        self.lines.append(
            f'%v{mark + 1} = "stablehlo.reduce_window"({value}, {start}) ({{\n'
            f"^bb0(%a{mark}: {scalar}, %b{mark}: {scalar}):\n"
            f"  %c{mark} = stablehlo.add %a{mark}, %b{mark} : {scalar}\n"
            f"  stablehlo.return %c{mark} : {scalar}\n"
            f"}}) {{window_dimensions = array<i64: {', '.join(map(str, window))}>, "
            f"padding = dense<{padding}> : tensor<{len(window)}x2xi64>}} "
            f": ({self.type(value)}, {scalar}) -> {self.type(value)}"
        )
        return Tensor(f"%v{mark + 1}", value.shape, value.bound * value.shape[d])
