"""Programs of one element type as text, written op by op, of numbers that stay exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

Shape = tuple[int, ...]

# Whole numbers below are exact; integers wrap.
EXACT = {"f32": 2.0**24, "f64": 2.0**53, "f16": 2.0**11, "bf16": 2.0**8, "complex<f32>": 2.0**24}
ELEMENTS = (*EXACT, "i32", "i8", "ui8")
MOST = 40_000  # elements of a tensor, in most programs


class Unsuitable(Exception):
    """What was drawn does not fit what is there."""


@dataclass(frozen=True)
class Tensor:
    """A value of the program; no number in it is larger than ``bound``."""

    name: str
    shape: Shape
    bound: float

    def __str__(self) -> str:
        return self.name


class ExactProgram:
    """What is written of a program.

    Attributes:
        most: elements of a tensor.

    Args:
        element: the type.
        random: what arguments are drawn from.
    """

    most = MOST

    def __init__(self, element: str, random: np.random.Generator) -> None:
        self.random = random
        self.element, self.dtype = element, ELEMENT_TYPES[element].dtype
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.arrays: list[np.ndarray] = []
        self.results: list[Tensor] = []

    def text(self) -> str:
        types = ", ".join(map(self.type, self.results))
        names = ", ".join(map(str, self.results))
        body = "\n".join(self.lines)
        head = f"func.func @main({', '.join(self.arguments)}) -> ({types})"
        return f"{head} {{\n{body}\nreturn {names} : {types}\n}}"

    def type(self, of: Tensor | Shape, element: str = "") -> str:
        shape = of.shape if isinstance(of, Tensor) else of
        return f"tensor<{''.join(f'{size}x' for size in shape)}{element or self.element}>"

    def emit(self, op: str, operands: Sequence[Tensor], shape: Shape, **how: object) -> Tensor:
        """An op on tensors of the program's type; ``how``: what ends it, and the result's bound."""
        if not 0 < math.prod(shape) <= self.most:
            raise Unsuitable
        types = how.get("types") or f"({', '.join(map(self.type, operands))}) -> {self.type(shape)}"
        text = f"{op} {', '.join(map(str, operands))}{how.get('rest', '')} : {types}"
        return self.written(text, shape, how.get("bound", max(x.bound for x in operands)))

    def written(self, text: str, shape: Shape, bound: float) -> Tensor:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.{text}")
        return Tensor(name, tuple(shape), bound)

    def folded(self, op: str, value: Tensor, dims: list[int]) -> Tensor:
        """What an op makes of all elements along dimensions, from zero on."""
        shape = tuple(size for d, size in enumerate(value.shape) if d not in dims)
        types = f"({self.type(value)}, {self.type(())}) -> {self.type(shape)}"
        count = math.prod(value.shape[d] for d in dims) if op == "add" else 1
        text = f"reduce({value} init: {self.constant(0)}) applies stablehlo.{op}"
        text += f" across dimensions = {dims} : {types}"
        return self.written(text, shape, count * value.bound)

    def summed_by_windows(
        self, value: Tensor, shape: Shape, sizes: list[int], **how: object
    ) -> Tensor:
        """Sums of windows; ``how``: the other attributes of ``reduce_window``."""
        scalar, start, mark = self.type(()), self.constant(0), len(self.lines)
        others = "".join(f", {name} = {spelled}" for name, spelled in how.items())
        self.lines.append(
            f'%v{mark} = "stablehlo.reduce_window"({value}, {start}) ({{\n'
            f"^bb0(%a{mark}: {scalar}, %b{mark}: {scalar}):\n"
            f"  %c{mark} = stablehlo.add %a{mark}, %b{mark} : {scalar}\n"
            f"  stablehlo.return %c{mark} : {scalar}\n"
            f"}}) {{window_dimensions = {self.integers(sizes)}{others}}} "
            f": ({self.type(value)}, {scalar}) -> {self.type(shape)}"
        )
        return Tensor(f"%v{mark}", shape, value.bound * math.prod(sizes))

    def integers(self, numbers: Sequence[int]) -> str:
        """An attribute of integers."""
        return f"array<i64: {', '.join(map(str, numbers))}>"

    def constant(self, number: int) -> Tensor:
        is_complex, is_float = self.element.startswith("complex"), self.element in EXACT
        text = f"({number}.0, 0.0)" if is_complex else f"{number}.0" if is_float else str(number)
        return self.written(f"constant dense<{text}> : {self.type(())}", (), abs(number))

    def argument(self, shape: Shape) -> Tensor:
        name = f"%x{len(self.arguments)}"
        numbers = self.random.integers(0 if self.element == "ui8" else -2, 3, shape)
        self.arguments.append(f"{name}: {self.type(shape)}")
        self.arrays.append(numbers.astype(self.dtype))
        return Tensor(name, tuple(shape), 2.0)

    def bounded(self, value: Tensor) -> Tensor:
        """A value, or what is left of it where numbers might not be exact any more."""
        if value.bound <= EXACT.get(self.element, math.inf):
            return value
        if self.element.startswith("complex"):
            raise Unsuitable
        low, high = self.constant(-2), self.constant(2)
        return self.emit("clamp", (low, value, high), value.shape, bound=2.0)
