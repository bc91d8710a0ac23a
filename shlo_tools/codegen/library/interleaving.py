"""Interleaving a few rows, and taking them apart: transpositions of 2, 3 or 4 rows or columns.

All elements at some places of the rows lie together on one side, so vectors of that side are
loaded or stored whole, and a shuffle puts in what comes from one vector of the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import Function, Type, Value
from shlo_tools.codegen.library import transposition
from shlo_tools.codegen.target import Target

FEW = (2, 3, 4)
_LEAST = 4  # lanes of a vector
JOINS, PARTS = "shlo_rt_interleave_", "shlo_rt_deinterleave_"  # how jobs' names begin


def job_name(bits: int, *, joins: int = 0, parts: int = 0) -> str:
    """The job that joins so many rows, without gaps, or takes what is so joined apart."""
    return f"{JOINS}i{bits}x{joins}" if joins else f"{PARTS}i{bits}x{parts}"


def joining(target: Target, name: str) -> list[Function]:
    """The functions of a job that interleaves, by what its name ends with."""
    element, count, size = _sizes(target, name)
    matrix = _joined(element, size, count)
    return [matrix, transposition.units(JOINS + name, element, matrix.name)]


def parting(target: Target, name: str) -> list[Function]:
    """The functions of a job that takes rows apart, by what its name ends with."""
    element, count, size = _sizes(target, name)
    matrix = _parted(element, size, count)
    return [matrix, transposition.units(PARTS + name, element, matrix.name)]


def _sizes(target: Target, name: str) -> tuple[Type, int, int]:
    """The elements, how many rows there are, and the lanes of vectors."""
    type, _, count = name.partition("x")
    element = Type(type)
    return element, int(count), transposition.tile(target, element.bits)


def _parted(element: Type, size: int, count: int) -> Function:
    """Rows of ``count`` elements, without gaps, become as many rows."""
    f = Function("deinterleave", transposition.MATRIX, exported=False)
    source, target, rows, _, _, target_row, _ = f.arguments
    targets = [target.at(target_row * k) for k in range(count)]

    def vectors(row: Value, size: int) -> None:
        first, type = source.at(row * count, element), element.vector(size)
        loaded = [f.load(first.at(size * k, element), type, 1) for k in range(count)]
        for k, to in enumerate(targets):
            places = [lane * count + k for lane in range(size)]
            f.store(_picked(f, loaded, places), to.at(row, element), 1)

    def single(row: Value) -> None:
        first = source.at(row * count, element)
        for k, to in enumerate(targets):
            f.store(f.load(first.at(k, element), element, 1), to.at(row, element), 1)

    _along(f, rows, size, vectors, single)
    return f


def _joined(element: Type, size: int, count: int) -> Function:
    """``count`` rows become columns, without gaps."""
    f = Function("interleave", transposition.MATRIX, exported=False)
    source, target, _, columns, source_row, _, _ = f.arguments
    sources = [source.at(source_row * k) for k in range(count)]

    def vectors(column: Value, size: int) -> None:
        type = element.vector(size)
        loaded = [f.load(row.at(column, element), type, 1) for row in sources]
        first = target.at(column * count, element)
        for k in range(count):
            flat = range(k * size, (k + 1) * size)
            places = [place % count * size + place // count for place in flat]
            f.store(_picked(f, loaded, places), first.at(size * k, element), 1)

    def single(column: Value) -> None:
        first = target.at(column * count, element)
        for k, row in enumerate(sources):
            f.store(f.load(row.at(column, element), element, 1), first.at(k, element), 1)

    _along(f, columns, size, vectors, single)
    return f


def _along(
    f: Function,
    count: Value,
    size: int,
    vectors: Callable[[Value, int], None],
    single: Callable[[Value], None],
) -> None:
    """Vectors as long as there are elements for, the last one over its neighbour."""

    def by_vectors() -> None:
        f.loop(0, count, size, lambda k: vectors(f.minimum(k, count - size), size))

    def by_shorter() -> None:
        if size > _LEAST:
            _along(f, count, size // 2, vectors, single)
        else:
            f.loop(0, count, 1, single)

    f.if_(count >= size, by_vectors, by_shorter)


def _picked(f: Function, vectors: Sequence[Value], places: Sequence[int]) -> Value:
    """Elements of some vectors, by their places in all of them."""
    size = vectors[0].type.lanes
    result = vectors[0]
    for number, vector in enumerate(vectors[1:], 1):
        lanes = []
        for lane, place in enumerate(places):
            if place // size == number:
                lanes.append(size + place % size)
            else:
                lanes.append(place if place // size == 0 and number == 1 else lane)
        result = f.shuffle(result, vector, lanes)
    return result
