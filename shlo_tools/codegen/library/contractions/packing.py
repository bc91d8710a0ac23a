"""Packing: elements of a tensor, read along axes of any strides, into a dense block.

A view names the elements of a matrix [q, p]: both indices are taken apart by axes, each with a
size and a stride, so windows over images, transposed and split dimensions are views like any other.
Along p the innermost axis is a run, that is copied at once. An axis may move along coordinates as
well: where those leave their bounds there is no element, but a zero (the padding of a convolution).

``shlo_rt_pack_<source>_<target>(view, base, x0, x1, x2, q, q_end, p, p_end, target, pitch)`` packs
a part of the matrix; coordinates start at x0, x1 and x2, and rows are ``pitch`` bytes apart, of
which what is behind a row's elements may be written, too. Elements are converted on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions.element_copies import ElementCopies
from shlo_tools.codegen.target import Target

AXES = 5  # of q, and of p
_AXIS = ("size", "stride", "step0", "step1", "step2")
AXIS_WORDS = len(_AXIS)
# Bounds of the coordinates. ``unit``: elements of a run from one coordinate to the next, of which
# the third is meant; 0 where a run stays in place. ``reach``: how far the coordinate moves then.
_WORDS = ("bound0", "bound1", "bound2", "unit", "reach", "q_count", "p_count")
VIEW = {name: place for place, name in enumerate(_WORDS)}
Q_AXES, P_AXES = len(_WORDS), len(_WORDS) + AXES * AXIS_WORDS
VIEW_WORDS = len(_WORDS) + 2 * AXES * AXIS_WORDS


def name(source: str, target: Type) -> str:
    """The name of the function for two element types."""
    return f"shlo_rt_pack_{source}_{target.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The function for ``<source>_<target>``."""
    source, _, element = names.partition("_")
    return Packing(target, source, Type(element)).functions()


def decoded(f: Function, axes: Value, count: Value, index: Value, words: int) -> list[Value]:
    """Sums of strides of an index; axes are (size, strides ...), the innermost first."""

    def axis(d: Value, rest: Value, *sums: Value) -> list[Value]:
        at = axes.at(d * (8 * words))
        size = f.load(at, I64)
        whole = rest // size
        place = rest - whole * size
        steps = [f.load(at.at(8 * k), I64) for k in range(1, words)]
        return [whole, *(total + place * step for total, step in zip(sums, steps, strict=True))]

    zero = f.constant(0)
    return f.loop(zero, count, 1, axis, [index, *[zero] * (words - 1)])[1:]


class Packing(ElementCopies):
    """The functions for two element types."""

    def functions(self) -> list[Function]:
        return [self.copy(), self.turn(), self.pack()]

    def pack(self) -> Function:
        numbers = [I64] * 7
        types = [POINTER, POINTER, *numbers, POINTER, I64]
        f = Function(name(self.source, self.element), types)
        view, base, *start, q_first, q_end, p_first, p_end, target, pitch = f.arguments
        words = {n: f.load(view.at(8 * place), I64) for n, place in VIEW.items()}
        q_axes, p_axes = view.at(8 * Q_AXES), view.at(8 * P_AXES)
        q_size, q_stride, *q_steps = (f.load(q_axes.at(8 * k), I64) for k in range(AXIS_WORDS))
        p_size, p_stride = (f.load(p_axes.at(8 * k), I64) for k in range(2))

        def run(p: Value) -> Value:
            first = p % p_size
            length = f.minimum(p_size - first, p_end - p)
            p_offset, *p_at = decoded(f, p_axes, words["p_count"], p, AXIS_WORDS)
            room = pitch - (p - p_first) * self.element.bytes
            run = _Run(self, words, (first, length), p_stride, room)
            p_at[2] = p_at[2] + run.begun_at
            p_source, p_target = base.at(p_offset), target.at(p - p_first, self.element)

            def line(q: Value) -> Value:
                count = f.minimum(q_size - q % q_size, q_end - q)
                q_offset, *q_at = decoded(f, q_axes, words["q_count"], q, AXIS_WORDS)
                xs = [s + a + b for s, a, b in zip(start, p_at, q_at, strict=True)]
                at_line = (p_source.at(q_offset), p_target.at((q - q_first) * pitch))
                run.pack(_Rows(at_line, (q_stride, pitch), count, xs, q_steps))
                return q + count

            f.while_(lambda q: q < q_end, line, [q_first])
            return p + length

        f.while_(lambda p: p < p_end, run, [p_first])
        return f


@dataclass(frozen=True)
class _Rows:
    """``count`` rows along the innermost axis of q.

    Attributes:
        at: where the first one is read, and where it is written.
        steps: bytes from one to the next, of both.
        x, x_steps: its coordinates, and how they move.
    """

    at: tuple[Value, Value]
    steps: tuple[Value, Value]
    count: Value
    x: list[Value]
    x_steps: list[Value]


class _Run:
    """A part of the innermost axis of p: what is copied of each row at once."""

    def __init__(
        self,
        packing: Packing,
        words: dict[str, Value],
        elements: tuple[Value, Value],
        stride: Value,
        room: Value,
    ) -> None:
        """``elements``: the first one and their number; ``room``: bytes that a row has left."""
        first, self.length = elements
        f = self.f = first.function
        self.packing, self.words, self.stride = packing, words, stride
        self.moves = words["unit"] > 0
        divisor = f.maximum(words["unit"], 1)
        reach = f.select(self.moves, words["reach"], f.constant(0))
        self.begun = f.select(self.moves, first % divisor, f.constant(0))  # of the first unit
        self.begun_at = first // divisor * reach
        self.last = (self.begun + self.length - 1) // divisor * reach
        self.copy_near = packing.near_copy(f, self.length, room)

    def pack(self, rows: _Rows) -> None:
        """Rows that exist as a whole follow each other: they are copied without more questions."""
        f = self.f

        def some(row: Value) -> Value:
            whole, inside, x = self._inside(rows, row)
            here, there = (at.at(row * step) for at, step in zip(rows.at, rows.steps, strict=True))

            def whole_ones() -> Value:
                (end,) = f.while_(
                    lambda end: self._inside(rows, end - 1)[0] == 0,
                    lambda end: end - 1,
                    [rows.count],
                )
                self._copy(rows, here, there, end - row)
                return end

            def part_of_one() -> Value:
                self.packing.zeros(f, there, self.length)
                f.if_(inside & self.moves, lambda: self._cut(x, here, there))
                return row + 1

            return f.if_(whole, whole_ones, part_of_one)[0]

        f.while_(lambda row: row < rows.count, some, [f.constant(0)])

    def _inside(self, rows: _Rows, row: Value) -> tuple[Value, Value, Value]:
        """Whether all of a row exists, whether any of it may, and its last coordinate."""
        x = [first + row * step for first, step in zip(rows.x, rows.x_steps, strict=True)]
        inside = x[0].compare("ult", self.words["bound0"])
        inside = inside & x[1].compare("ult", self.words["bound1"])
        return inside & (x[2] >= 0) & (x[2] + self.last < self.words["bound2"]), inside, x[2]

    def _copy(self, rows: _Rows, here: Value, there: Value, count: Value) -> None:
        f, packing = self.f, self.packing

        def each(copy: Callable[[Value, Value], None]) -> None:
            def row(_: Value, *at: Value) -> list[Value]:
                copy(*at)
                return [place.at(step) for place, step in zip(at, rows.steps, strict=True)]

            f.loop(f.constant(0), count, 1, row, [here, there])

        def copy_apart(source: Value, target: Value) -> None:
            packing.copy_part(f, source, self.stride, target, self.length)

        def all_apart() -> None:
            size, pitch = rows.steps
            is_turned = (size == packing.stored.bytes) & (count >= packing.lanes)
            operands = (here, self.stride, there, pitch, self.length, count)
            f.if_(
                is_turned & (self.length >= packing.lanes),
                lambda: packing.turn_part(f, *operands),
                lambda: each(copy_apart),
            )

        is_near = self.stride == packing.stored.bytes
        f.if_(is_near, lambda: each(self.copy_near), all_apart)

    def _cut(self, x: Value, here: Value, there: Value) -> None:
        """The part of a run that is within bounds."""
        f, stride = self.f, self.stride
        low = self._elements(f.maximum(-x, 0))
        high = self._elements(f.maximum(self.words["bound2"] - x, 0))

        def copy() -> None:
            place = there.at(low, self.packing.element)
            self.packing.copy_part(f, here.at(low * stride), stride, place, high - low)

        f.if_(low < high, copy)

    def _elements(self, far: Value) -> Value:
        """Elements of a run until its coordinate has moved so far."""
        f, reach = self.f, self.f.maximum(self.words["reach"], 1)
        elements = (far + (reach - 1)) // reach * self.words["unit"] - self.begun
        return f.minimum(f.maximum(elements, 0), self.length)


def view_words(
    axes: Sequence[Sequence[Sequence[int]]], bounds: Sequence[int], unit: int, reach: int
) -> list[int]:
    """The words of a view.

    Args:
        axes: of q and of p, outer ones first: (size, stride, steps of three coordinates).
    """
    words = [*bounds, unit, reach, *map(len, axes)]
    for part in axes:
        listed = [word for axis in reversed(part) for word in axis]
        words += listed + [1, 0, 0, 0, 0] * (AXES - len(part))
    return words
