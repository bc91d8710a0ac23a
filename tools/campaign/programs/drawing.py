"""A random program while it is drawn: its values, and what is known about them.

Arguments hold small whole numbers. As long as a value is whole and within the mantissa of its
type, sums and products of it are exact in any order, and results can be compared bit by bit.
What rounds alike everywhere (a division) is exact, too, but is not summed; what an implementation
may round in its own way (a tangent) is moved and returned, nothing else.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import dtypes, ops
from shlo_tools.dtypes import Array, Kind
from shlo_tools.types import Tensor

SMALL = 3  # the largest magnitude of an argument's elements
MOST = 2000  # elements of a value
OPEN = 3  # the size that arguments have where their types leave it open

COMMON = ("f32", "i32", "f64", "bf16", "i1", "i8", "ui8", "complex<f32>")
RARE = (
    *("f16", "i16", "ui16", "ui32", "i64", "ui64", "i4", "ui4", "i2", "ui2", "complex<f64>"),
    *("f8E5M2", "f8E4M3FN", "f8E4M3", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E3M4"),
    *("f6E2M3FN", "f6E3M2FN", "f4E2M1FN"),
)


@dataclass(frozen=True)
class Drawn:
    """A value of the program.

    Attributes:
        tensor: the value; its type may leave sizes open.
        shape: the shape that it has for the arguments drawn.
        element: its element type.
        bound: no element is larger in magnitude, and all are whole; inf where that is not so.
        rough: whether implementations may round it differently.
    """

    tensor: Tensor
    shape: tuple[int, ...]
    element: str
    bound: float = math.inf
    rough: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def limit(element: str) -> float:
    """Up to where whole numbers of a type are exact; integers wrap, and are always."""
    row = dtypes.element_type(element)
    if row.kind not in (Kind.FLOAT, Kind.COMPLEX):
        return math.inf
    part = f"f{row.dtype.itemsize // 2}" if row.kind is Kind.COMPLEX else row.dtype
    info: Any = ml_dtypes.finfo
    return float(min(2 ** (info(part).nmant + 1), float(info(part).max)))


def is_real(element: str) -> bool:
    return not element.startswith("complex")


def is_float(element: str) -> bool:
    return dtypes.element_type(element).kind is Kind.FLOAT


def is_inexact(element: str) -> bool:
    return dtypes.element_type(element).kind in (Kind.FLOAT, Kind.COMPLEX)


def spelled(shape: Sequence[int | None], element: str) -> str:
    return "".join(f"{'?' if size is None else size}x" for size in shape) + element


class Program:
    """The program being drawn.

    Attributes:
        random: every choice comes from it.
        values: what may be used, the oldest first.
        open: whether types leave sizes open.
        rough: whether there are ops that implementations round differently.
        nesting: how likely a step is a loop, a branch or another op with a region of steps.
    """

    def __init__(self, random: random.Random) -> None:
        self.random = random
        self.open = random.random() < 0.3
        self.rough = random.random() < 0.3
        self.nesting = random.choice((0.05, 0.1, 0.35))
        few = [random.choice(COMMON) if random.random() < 0.8 else random.choice(RARE)]
        few += [random.choice(RARE + COMMON)] * (random.random() < 0.4)
        self.elements = few
        self.sizes = [random.choice((1, 1, 2, 3, 4, 5)) for _ in range(3)]
        if self.open:
            self.sizes.append(OPEN)
        if random.random() < 0.15:
            self.sizes.append(0)
        self.values: list[Drawn] = []
        self.depth = 0

    # --- choices ----------------------------------------------------------------------------------
    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def shape(self, most: int = 3) -> tuple[int, ...]:
        rank = self.random.choice([rank for rank in (0, 1, 1, 2, 2, 2, 3, 3, 4) if rank <= most])
        return tuple(self.random.choice(self.sizes) for _ in range(rank))

    def some(self, fits: Callable[[Drawn], bool] = lambda value: True) -> Drawn | None:
        """A value that fits, the latest ones more often."""
        fitting = [value for value in self.values if fits(value)]
        return fitting[-1 - int(len(fitting) * self.random.random() ** 2)] if fitting else None

    def subset(self, rank: int) -> list[int]:
        """Dimensions in order: often none, often all."""
        form = self.random.random()
        if form < 0.25:
            return []
        if form < 0.45:
            return list(range(rank))
        return [d for d in range(rank) if self.chance(0.5)]

    def permutation(self, rank: int) -> list[int]:
        return self.random.sample(range(rank), rank)

    def like(self, one: Drawn) -> Drawn:
        """A value of the shape and type of another: itself, a constant, or any."""
        form = self.random.random()
        if form < 0.15:
            return one
        other = self.some(lambda v: v.shape == one.shape and v.element == one.element)
        if form < 0.7 and other is not None and not other.rough:
            return other
        return self.constant(one.shape, one.element)

    # --- values -----------------------------------------------------------------------------------
    def argument(self, tensor: Tensor, shape: tuple[int, ...], element: str) -> Drawn:
        return self.add(Drawn(tensor, shape, element, SMALL * (1 if is_real(element) else 1.5)))

    def add(self, value: Drawn) -> Drawn:
        if value.bound > limit(value.element):
            value = Drawn(value.tensor, value.shape, value.element, math.inf, value.rough)
        self.values.append(value)
        return value

    def define(self, tensor: Any, shape: Sequence[int], like: Drawn, **known: Any) -> Drawn:
        """Add a value that shares with another one what ``known`` does not say."""
        facts = {"element": like.element, "bound": like.bound, "rough": like.rough, **known}
        return self.add(Drawn(tensor, tuple(int(n) for n in shape), **facts))

    def constant(self, shape: tuple[int, ...], element: str, *, whole: bool = False) -> Drawn:
        """One number everywhere, or several; edges of the type among them unless ``whole``."""
        if not whole and self.chance(0.3):
            array, bound = edges(self.random, shape, element), math.inf
        else:
            array, bound = small(self.random, shape, element), 1.5 * SMALL
        if self.chance(0.5) and array.size:
            array = np.full(shape, array.reshape(-1)[0], array.dtype)
        if self.chance(0.3) and not whole:  # what is neutral, or decides
            array, bound = np.full(shape, self.random.choice((0, 1)), array.dtype), 1
        return Drawn(ops.constant(array), shape, element, bound)

    def number(self, value: int, element: str = "i32") -> Tensor:
        return ops.constant(np.array(value, dtypes.element_type(element).dtype))

    def result(self, shape: Sequence[int]) -> list[int | None]:
        """A shape as a type says it: where sizes may be open, some are."""
        return [None if self.open and self.chance(0.5) else size for size in shape]

    def opened(self, shape: Sequence[int]) -> list[int | None]:
        """The shape of an argument's type."""
        return [None if self.open and size == OPEN else size for size in shape]


def small(random: random.Random, shape: Sequence[int], element: str) -> Array:
    """Small whole numbers that the type holds."""
    row = dtypes.element_type(element)
    count = math.prod(shape)
    low, high = -SMALL, SMALL
    if row.is_integer:
        signed = row.kind is Kind.SIGNED
        high = min(high, (1 << (row.bits - signed)) - 1)
        low = max(low, -(1 << (row.bits - 1))) if signed else 0
    if row.kind is Kind.BOOLEAN:
        low, high = 0, 1
    numbers: Any = [random.randint(low, high) for _ in range(count)]
    if row.kind is Kind.COMPLEX:
        numbers = [complex(number, random.randint(low, high)) for number in numbers]
    return np.asarray(numbers).reshape(tuple(shape)).astype(row.dtype)


def edges(random: random.Random, shape: Sequence[int], element: str) -> Array:
    """Bits at random, with the numbers at which answers go wrong among them."""
    row = dtypes.element_type(element)
    count = math.prod(shape)
    if row.kind is Kind.BOOLEAN:
        return small(random, shape, element)
    if row.kind in (Kind.FLOAT, Kind.COMPLEX):
        pool: list[Any] = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e30, 1e-40, math.inf, -math.inf]
        pool += [math.nan, 0.3, 6.0, -448.0]
        picked = [random.choice(pool) for _ in range(count)]
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(picked, np.float64).reshape(tuple(shape)).astype(row.dtype)
    least = -(1 << (row.bits - 1)) if row.kind is Kind.SIGNED else 0
    most = least + (1 << row.bits) - 1
    whole = [random.choice((least, most, 0, 1, most // 2, least + 1)) for _ in range(count)]
    wide = np.uint64 if row.kind is Kind.UNSIGNED else np.int64
    return np.asarray(whole, wide).reshape(tuple(shape)).astype(row.dtype)


Step = Callable[[Program], None]  # adds a value to a program, if it finds what to work on
