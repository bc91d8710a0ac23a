"""Contractions as axes: C[batch, rows, columns] = sums over inner of A[...] B[...].

Every axis has a size and strides in A, B and C, in elements. An axis of a windowed operand moves
along coordinates as well, three at most, by which elements that do not exist are told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library.contractions.element_copies import stored_bytes
from shlo_tools.codegen.stages.nodes import UnsupportedStage

Steps = tuple[int, int, int]
_NEAR = 8  # neighbouring columns of parts of a matrix, at least
T = TypeVar("T")
STILL: Steps = (0, 0, 0)


@dataclass(frozen=True)
class Axis:
    """One axis; strides are 0 where a matrix does not have it."""

    size: int
    a: int = 0
    b: int = 0
    c: int = 0
    steps: Steps = STILL

    def swapped(self) -> Axis:
        """The axis where A and B change places."""
        return replace(self, a=self.b, b=self.a)


@dataclass(frozen=True)
class Axes:
    """Axes of a contraction, outer ones first."""

    batch: list[Axis]
    rows: list[Axis]
    columns: list[Axis]
    inner: list[Axis]

    def swapped(self) -> Axes:
        """C' = B' A'."""
        batch, rows, columns, inner = (
            [axis.swapped() for axis in axes]
            for axes in (self.batch, self.rows, self.columns, self.inner)
        )
        return Axes(batch, columns, rows, inner)


@dataclass(frozen=True)
class Operand:
    """A matrix in memory.

    Attributes:
        place: of its first element, with what axes add to it.
        element: the name of its element type.
        bounds, starts: of the coordinates, where it is windowed.
    """

    place: Place
    element: str
    bounds: Steps = (1, 1, 1)
    starts: Steps = STILL

    @property
    def is_windowed(self) -> bool:
        """Whether elements outside of the matrix may be asked for, even where axes are short."""
        return (self.bounds, self.starts) != ((1, 1, 1), STILL)


@dataclass(frozen=True)
class Contraction:
    """A contraction ready for the library.

    Attributes:
        element: of sums.
        c_offset: elements in front of C's first one.
    """

    a: Operand
    b: Operand
    axes: Axes
    element: Type
    c_offset: int = 0

    def swapped(self) -> Contraction:
        """C' = B' A'."""
        return replace(self, a=self.b, b=self.a, axes=self.axes.swapped())


def of_parts(contraction: Contraction, element: Type, b_count: int) -> Contraction:
    """A contraction of complex numbers as one of real and imaginary parts.

    Inner axes get a further one, along the parts of A; columns one along the parts of C. So B has
    to lie as [parts of A][B's ``b_count`` elements][parts of C] of real numbers.
    """

    def scaled(axes: Iterable[Axis]) -> list[Axis]:
        return [replace(axis, a=2 * axis.a, b=2 * axis.b, c=2 * axis.c) for axis in axes]

    axes = contraction.axes
    parts = Axes(
        scaled(axes.batch),
        scaled(axes.rows),
        [*scaled(axes.columns), Axis(2, b=1, c=1)],
        [Axis(2, a=1, b=2 * b_count), *scaled(axes.inner)],
    )
    a, b = (replace(x, element=element.element) for x in (contraction.a, contraction.b))
    return Contraction(a, b, parts, element, 2 * contraction.c_offset)


def count(axes: Iterable[Axis]) -> int:
    """Elements along axes."""
    return math.prod(axis.size for axis in axes)


def merged(axes: Sequence[Axis]) -> list[Axis]:
    """Neighbours that are one axis to all matrices become one; axes of size 1 go."""
    result: list[Axis] = []
    for axis in axes:
        if axis.size == 1:
            continue
        last = result[-1] if result else None
        if last is not None and _continues(last, axis):
            result[-1] = replace(axis, size=last.size * axis.size)
        else:
            result.append(axis)
    return result


def _continues(outer: Axis, inner: Axis) -> bool:
    if outer.steps != STILL or inner.steps != STILL:
        return False
    pairs = ((outer.a, inner.a), (outer.b, inner.b), (outer.c, inner.c))
    return all(far == near * inner.size for far, near in pairs)


def gemm_words(contraction: Contraction) -> dict[str, Word] | None:
    """Words for ``library.gemm``; None where the operands have to be packed.

    Rows or columns in parts become a batch of their inner parts. B may have elements of another
    type than the sums.
    """
    axes, size = contraction.axes, contraction.element.bytes
    stored = stored_bytes(contraction.b.element)
    is_windowed = any(operand.is_windowed for operand in (contraction.a, contraction.b))
    if is_windowed or contraction.a.element.removeprefix("u") != contraction.element.element:
        return None
    rows, columns, inner = (merged(part) for part in (axes.rows, axes.columns, axes.inner))
    batch = merged([*axes.batch, *rows[:-1], *columns[:-1]])
    all_axes = [*batch, *rows, *columns, *inner]
    if len(inner) > 1 or len(batch) > 2 or any(axis.steps != STILL for axis in all_axes):
        return None
    if any(axis.b == 0 for axis in batch):
        return None  # it would pack the same B again and again
    one = Axis(1)
    (m,), (n,), (k,) = ((part[-1:] or [one]) for part in (rows, columns, inner))
    if n.size > 1 and n.c != 1:
        return None
    if n.size < _NEAR <= count(columns):
        return None  # most lanes of each part would be empty
    words: dict[str, Word] = {
        "A": contraction.a.place,
        "B": contraction.b.place,
        **{"M": m.size, "N": n.size, "K": count(inner)},
        **{"a_row": m.a * size, "a_k": k.a * size, "b_k": k.b * stored, "b_n": n.b * stored},
        "c_row": m.c * size,
    }
    outer, near = [one] * (2 - len(batch)) + batch
    words |= {"outer": outer.size, "inner": near.size}
    for d, axis in enumerate((outer, near)):
        words |= {f"A{d}": axis.a * size, f"B{d}": axis.b * stored, f"C{d}": axis.c * size}
    return words


def limited(axes: list[T], most: int) -> list[T]:
    """Axes, if they are few enough for a context."""
    if len(axes) > most:
        raise UnsupportedStage("a contraction of many axes")
    return axes
