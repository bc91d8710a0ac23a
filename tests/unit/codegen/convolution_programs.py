"""Random convolutions as text: every attribute and layout, few channels and many, tiny images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

ELEMENTS = ("f32", "f64", "bf16", "f16", "i8", "complex<f32>")
_CHANNELS = (1, 1, 2, 3, 3, 4, 5, 8, 16, 17, 33)
_LENGTHS = (1, 2, 3, 5, 7, 8, 12, 15, 16, 17, 23, 24, 28, 33)
_WORK = 150_000  # products of numbers
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """One spatial dimension, as attributes of a convolution say it."""

    size: int
    taps: int
    stride: int
    low: int
    high: int
    lhs_dilation: int
    rhs_dilation: int
    is_reversed: bool

    @property
    def count(self) -> int:
        """How many windows there are."""
        padded = self.low + self.high + (self.size - 1) * self.lhs_dilation + 1
        room = padded - ((self.taps - 1) * self.rhs_dilation + 1)
        return room // self.stride + 1 if room >= 0 else 0


class ConvolutionProgram:
    """A convolution of small whole numbers, and sometimes what is made of it."""

    def __init__(self, seed: int, element: str) -> None:
        self.random = np.random.default_rng([seed, ELEMENTS.index(element)])
        self.element, self.dtype = element, ELEMENT_TYPES[element].dtype
        # Gradients of kernels have windows of as many taps as images have elements.
        self.is_gradient = self.random.random() < 0.3
        drawn = False
        while not drawn:
            drawn = self._draw()
        shapes = (self.lhs, self.rhs, self.result)
        orders = [self._order(place, len(shape)) for place, shape in enumerate(shapes)]
        self.layout = tuple(
            [letters[d] for d in order]
            for letters, order in zip(self._letters(), orders, strict=True)
        )
        self.lhs, self.rhs, self.result = (
            tuple(shape[d] for d in order) for shape, order in zip(shapes, orders, strict=True)
        )
        self.arrays = [self._numbers(shape) for shape in (self.lhs, self.rhs)]

    def _pick(self, things: Sequence[int], *, likely: float = 0.0) -> int:
        """One of them: the first one as likely as that."""
        if self.random.random() < likely:
            return things[0]
        return things[self.random.integers(len(things))]

    def _draw(self) -> bool:
        """Draw windows and sizes; false where there would be too much work, or none."""
        rank = self._pick((1, 2, 2, 2, 3))
        self.windows = [self._window() for _ in range(rank)]
        self.groups = {"feature": self._pick((1, 2, 3), likely=0.7), "batch": 1}
        if self.groups["feature"] == 1:
            self.groups["batch"] = self._pick((1, 2, 3), likely=0.8)
        all_groups = math.prod(self.groups.values())
        images, depth, outputs = self._pick((1, 1, 2, 3)), *map(self._pick, (_CHANNELS,) * 2)
        counts = tuple(window.count for window in self.windows)
        taps = tuple(window.taps for window in self.windows)
        sizes = tuple(window.size for window in self.windows)
        self.lhs = (images * self.groups["batch"], depth * self.groups["feature"], *sizes)
        self.rhs = (outputs * all_groups, depth, *taps)
        self.result = (images, outputs * all_groups, *counts)
        return 0 < math.prod(self.result) * depth * math.prod(taps) <= _WORK

    def _window(self) -> Window:
        low, high = (int(n) for n in self.random.integers(-1, 5, 2))
        size, dilation = self._pick(_LENGTHS), self._pick((1, 2, 3), likely=0.6)
        many = -(-size // dilation)
        return Window(
            size=size,
            taps=many if self.is_gradient else self._pick((3, 1, 2, 4, 5, 7), likely=0.3),
            stride=self._pick((1, 2, 3), likely=0.9 if self.is_gradient else 0.5),
            low=low,
            high=high,
            lhs_dilation=self._pick((1, 2, 3), likely=0.9 if self.is_gradient else 0.6),
            rhs_dilation=dilation,
            is_reversed=bool(self.random.random() < 0.2),
        )

    def _order(self, place: int, rank: int) -> list[int]:
        """An order of dimensions of an operand or the result, often with adjacent channels."""
        if self.is_gradient and self.random.random() < 0.9:
            spatial = range(2, rank)
            return [*spatial, 0, 1] if place == 2 else [1, *spatial, 0]
        last, first, images_last = [0, *range(2, rank), 1], [*range(rank)], [*range(2, rank), 1, 0]
        drawn = [int(d) for d in self.random.permutation(rank)]
        orders = [last, last, last, last, first, images_last, drawn, drawn]
        return orders[self.random.integers(len(orders))]

    def _letters(self) -> tuple[str, str, str]:
        spatial = "".join(map(str, range(len(self.windows))))
        return "bf" + spatial, "oi" + spatial, "bf" + spatial

    def _numbers(self, shape: Shape) -> np.ndarray:
        whole = self.random.integers(-1, 2, (2, *shape))
        number = whole[0] + 1j * whole[1] if self.element.startswith("complex") else whole[0]
        return number.astype(self.dtype)

    def type(self, shape: Shape) -> str:
        return f"tensor<{'x'.join([*map(str, shape), self.element])}>"

    def text(self) -> str:
        """The program: the convolution alone, or with what is made of it."""
        to = self.type(self.result)
        lhs, rhs, result = (f"[{', '.join(part)}]" for part in self.layout)
        rows = f"tensor<{len(self.windows)}x2xi64>"
        padding = [[window.low, window.high] for window in self.windows]
        fields = {
            "dimension_numbers": f"#stablehlo.conv<{lhs}x{rhs}->{result}>",
            "padding": f"dense<{padding}> : {rows}",
            "window_strides": self._array(window.stride for window in self.windows),
            "lhs_dilation": self._array(window.lhs_dilation for window in self.windows),
            "rhs_dilation": self._array(window.rhs_dilation for window in self.windows),
            "window_reversal": self._array(
                (str(window.is_reversed).lower() for window in self.windows), "i1"
            ),
            **{f"{kind}_group_count": f"{count} : i64" for kind, count in self.groups.items()},
        }
        listed = ", ".join(f"{name} = {value}" for name, value in fields.items())
        types = f"({self.type(self.lhs)}, {self.type(self.rhs)}) -> {to}"
        behind = "" if self.random.random() < 0.6 else f"%1 = stablehlo.add %0, %0 : {to}"
        return f"""
        func.func @main(%x: {self.type(self.lhs)}, %w: {self.type(self.rhs)}) -> {to} {{
          %0 = "stablehlo.convolution"(%x, %w) {{{listed}}} : {types}
          {behind}
          return %{int(bool(behind))} : {to}
        }}"""

    def _array(self, numbers: object, element: str = "i64") -> str:
        return f"array<{element}: {', '.join(map(str, numbers))}>"
