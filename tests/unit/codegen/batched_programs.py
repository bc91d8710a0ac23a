"""Random programs of many small tensors, each of which is computed like all others."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

_SMALL = ((), (1,), (2,), (3,), (4,), (5,), (2, 2), (3, 3), (1, 3), (2, 4))
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
_MOST = 50  # numbers of this size stay exact in all that is made of them


class BatchedProgram:
    """A program of tensors of a batch, of one element type.

    Args:
        seed: what is drawn.
        element: the type.
        batch: how many tensors lie side by side.
        steps: how many ops.
    """

    def __init__(self, seed: int, element: str, batch: int, steps: int) -> None:
        self.random = np.random.default_rng(seed)
        self.element, self.batch = element, batch
        self.lines = [
            f"%low = stablehlo.constant dense<{self._number(0)}> : {self.type(())}",
            f"%high = stablehlo.constant dense<{self._number(_MOST)}> : {self.type(())}",
        ]
        self.inputs = [(batch, *self._small()) for _ in range(3)]
        self.values = [(f"%x{k}", shape) for k, shape in enumerate(self.inputs)]
        for _ in range(steps):
            moves = (self.compute, self.compute, self.cut, self.join, self.turn, self.fold)
            (*moves, self.spread, self.product)[self.random.integers(8)]()
        self.results = self.values[-3:]

    def _number(self, value: int) -> str:
        return f"{value}.0" if self.element.startswith("f") else str(value)

    def _small(self) -> tuple[int, ...]:
        return _SMALL[self.random.integers(len(_SMALL))]

    def type(self, shape: tuple[int, ...]) -> str:
        return f"tensor<{'x'.join([*map(str, shape), self.element])}>"

    def arrays(self) -> list[np.ndarray]:
        """Arguments: small whole numbers."""
        dtype = ELEMENT_TYPES[self.element].dtype
        return [self.random.integers(0, 9, shape).astype(dtype) for shape in self.inputs]

    def text(self) -> str:
        """The program, which returns what it made last."""
        arguments = ", ".join(f"%x{k}: {self.type(s)}" for k, s in enumerate(self.inputs))
        types = ", ".join(self.type(shape) for _, shape in self.results)
        names = ", ".join(name for name, _ in self.results)
        body = "\n  ".join(self.lines)
        head = f"func.func public @main({arguments}) -> ({types})"
        return f"{head} {{\n  {body}\n  return {names} : {types}\n}}\n"

    # --- drawing ----------------------------------------------------------------------------------
    def _any(self) -> tuple[str, tuple[int, ...]]:
        recent = self.values[-6:]
        return recent[self.random.integers(len(recent))]

    def _emit(self, text: str, shape: tuple[int, ...]) -> None:
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.{text}")
        self.values.append((name, shape))

    def _limit(self) -> None:
        name, shape = self.values.pop()
        scalar, full = self.type(()), self.type(shape)
        self._emit(f"clamp %low, {name}, %high : ({scalar}, {full}, {scalar}) -> {full}", shape)

    def compute(self) -> None:
        a, shape = self._any()
        same = [name for name, other in self.values if other == shape]
        b, op = same[self.random.integers(len(same))], _BINARY[self.random.integers(5)]
        self._emit(f"{op} {a}, {b} : {self.type(shape)}", shape)
        self._limit()

    def cut(self) -> None:
        a, shape = self._any()
        cuts, result = [f"0:{self.batch}"], [self.batch]
        for size in shape[1:]:
            first = int(self.random.integers(size))
            last = int(self.random.integers(first, size)) + 1
            cuts.append(f"{first}:{last}")
            result.append(last - first)
        kept = tuple(result)
        self._emit(
            f"slice {a} [{', '.join(cuts)}] : ({self.type(shape)}) -> {self.type(kept)}", kept
        )

    def join(self) -> None:
        a, shape = self._any()
        if len(shape) == 1:
            self._emit(
                f"reshape {a} : ({self.type(shape)}) -> {self.type((*shape, 1))}", (*shape, 1)
            )
            a, shape = self.values[-1]
        same = [name for name, other in self.values if other == shape]
        if shape[-1] * 2 * int(np.prod(shape[1:-1])) > 16:
            return
        b, result = same[self.random.integers(len(same))], (*shape[:-1], 2 * shape[-1])
        part, whole = self.type(shape), self.type(result)
        self._emit(
            f"concatenate {a}, {b}, dim = {len(shape) - 1} : ({part}, {part}) -> {whole}", result
        )

    def turn(self) -> None:
        a, shape = self._any()
        dims = [0, *range(len(shape) - 1, 0, -1)]
        result = tuple(shape[d] for d in dims)
        types = f"({self.type(shape)}) -> {self.type(result)}"
        self._emit(f"transpose {a}, dims = {dims} : {types}", result)
        if len(shape) > 1:
            name, result = self.values[-1]
            self._emit(f"reverse {name}, dims = [1] : {self.type(result)}", result)

    def fold(self) -> None:
        a, shape = self._any()
        if len(shape) == 1:
            return
        result, op = shape[:-1], ("add", "maximum")[self.random.integers(2)]
        types = f"({self.type(shape)}, {self.type(())}) -> {self.type(result)}"
        dims = f"dimensions = [{len(shape) - 1}]"
        self._emit(
            f"reduce({a} init: %high) applies stablehlo.{op} across {dims} : {types}", result
        )
        self._limit()

    def spread(self) -> None:
        a, shape = self._any()
        if int(np.prod(shape[1:])) * 3 > 16:
            return
        result = (shape[0], 3, *shape[1:])
        dims = [0, *range(2, len(result))]
        types = f"({self.type(shape)}) -> {self.type(result)}"
        self._emit(f"broadcast_in_dim {a}, dims = {dims} : {types}", result)

    def product(self) -> None:
        a, shape = self._any()
        if len(shape) != 3 or shape[1] > 4:
            return
        result, full = (shape[0], shape[1], shape[1]), self.type(shape)
        dims = "batching_dims = [0] x [0], contracting_dims = [2] x [2]"
        self._emit(
            f"dot_general {a}, {a}, {dims} : ({full}, {full}) -> {self.type(result)}", result
        )
        self._limit()
