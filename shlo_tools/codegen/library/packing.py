"""Packing: elements of a tensor, read along axes of any strides, into a dense block.

A view names the elements of a matrix [q, p]: both indices are taken apart by axes, each with a
size and a stride, so windows over images, transposed and split dimensions are views like any other.
Along p the innermost axis is a run, that is copied at once. An axis may move along coordinates as
well: where those leave their bounds there is no element, but a zero (the padding of a convolution).

``shlo_rt_pack_<source>_<target>(view, base, x0, x1, x2, q, q_end, p, p_end, target, pitch)`` packs
a part of the matrix; coordinates start at x0, x1 and x2, and rows are ``pitch`` bytes apart.
Elements are converted on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
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

# How elements of a type lie in memory, and the cast that makes each target of them.
_STORED = {"i1": "i8", "f16": "i16", "bf16": "i16"}
_CASTS = {
    **{(f"i{n}", f"i{m}"): "sext" for n in (8, 16, 32) for m in (32, 64) if n < m},
    **{(f"ui{n}", f"i{m}"): "zext" for n in (8, 16, 32) for m in (32, 64) if n < m},
    **{(f"{sign}64", "i32"): "trunc" for sign in ("i", "ui")},
    **{(f"{sign}{n}", f"i{n}"): "" for sign in ("i", "ui") for n in (32, 64)},
    **{("i1", f"i{n}"): "zext" for n in (32, 64)},
    **{("f16", f"f{n}"): "fpext" for n in (32, 64)},
    ("bf16", "f32"): "bf16",
    ("f32", "f64"): "fpext",
    ("f64", "f32"): "fptrunc",
    **{(f"f{n}", f"f{n}"): "" for n in (32, 64)},
}


def converts(source: str, target: Type) -> bool:
    """Whether elements of a type can be packed as another."""
    return (source, target.element) in _CASTS


def stored_bytes(source: str) -> int:
    """Bytes of an element in memory."""
    return Type(_STORED.get(source, source.removeprefix("u"))).bytes


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


def _single_of_half(bits: Value) -> Value:
    """The f32 of an f16's bits: its exponent is moved, and scaling makes denormals normal."""
    wide = bits.to("zext", "i32")
    magnitude = (wide & 0x7FFF) << 13
    scaled = (magnitude.to("bitcast", "f32") * 2.0**112).to("bitcast", "i32")
    special = magnitude | 0x7F800000
    is_finite = magnitude < 0x7C00 << 13
    number = bits.function.select(is_finite, scaled, special)
    return (number | ((wide & 0x8000) << 16)).to("bitcast", "f32")


class Packing:
    """The functions for two element types."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.source, self.element = source, element
        self.stored = Type(_STORED.get(source, source.removeprefix("u")))
        self.cast = _CASTS[source, element.element]
        self.lanes = target.lanes(element.bits)
        self.converts_halves = target.fma  # processors have both instructions or neither

    def functions(self) -> list[Function]:
        return [self.copy(), self.pack()]

    def _converted(self, value: Value) -> Value:
        if self.source == "f16" and self.converts_halves:
            value = value.to("bitcast", "f16")
        if self.cast == "bf16":
            return (value.to("zext", "i32") << 16).to("bitcast", "f32")
        if self.source == "f16" and not self.converts_halves:
            value = _single_of_half(value)
            return value if self.element.bits == 32 else value.to("fpext", "f64")
        return value.to(self.cast, self.element.element) if self.cast else value

    def load_masked(self, f: Function, address: Value, first: int, mask: Value) -> Value:
        """A converted vector of elements from ``first`` on."""
        place = address.at(first, self.stored)
        return self._converted(f.load_masked(place, mask, self.stored.vector(self.lanes)))

    def _part(self, part: str) -> str:
        return f"{part}_{self.source}_{self.element.element}"

    def copy(self) -> Function:
        """(from, step, to, count): elements ``step`` bytes apart, converted, to adjacent ones."""
        f = Function(self._part("copy"), [POINTER, I64, POINTER, I64], exported=False)
        source, step, target, count = f.arguments
        vector = self.stored.vector(self.lanes)
        whole = count - count % self.lanes

        def adjacent() -> None:
            def some(k: Value) -> None:
                value = f.load(source.at(k, self.stored), vector)
                f.store(self._converted(value), target.at(k, self.element))

            f.loop(f.constant(0), whole, self.lanes, some)

            def rest() -> None:
                mask = f.mask_below(count - whole, self.lanes)
                value = f.load_masked(source.at(whole, self.stored), mask, vector)
                f.store_masked(self._converted(value), target.at(whole, self.element), mask)

            f.if_(whole < count, rest)

        def scattered() -> None:
            def one(k: Value) -> None:
                value = f.load(source.at(k * step), self.stored)
                f.store(self._converted(value), target.at(k, self.element))

            def some(k: Value) -> None:
                mask = f.mask_below(count - k, self.lanes)
                value = f.gather(source.at(k * step), offsets, mask, vector)
                f.store_masked(self._converted(value), target.at(k, self.element), mask)

            if self.stored.bits < 32:
                f.loop(f.constant(0), count, 1, one)
            else:
                numbers = f.lane_numbers(I64.vector(self.lanes))
                offsets = numbers * f.broadcast(step, self.lanes)
                f.loop(f.constant(0), count, self.lanes, some)

        f.if_(step == self.stored.bytes, adjacent, scattered)
        return f

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
            moves = words["unit"] > 0
            divisor = f.maximum(words["unit"], 1)
            begun = f.select(moves, first % divisor, f.constant(0))  # of the first unit
            reach = f.select(moves, words["reach"], f.constant(0))
            last = (begun + length - 1) // divisor * reach
            p_at[2] = p_at[2] + first // divisor * reach
            p_source, p_target = base.at(p_offset), target.at(p - p_first, self.element)

            def line(q: Value) -> Value:
                count = f.minimum(q_size - q % q_size, q_end - q)
                q_offset, *q_at = decoded(f, q_axes, words["q_count"], q, AXIS_WORDS)
                xs = [s + a + b for s, a, b in zip(start, p_at, q_at, strict=True)]

                def one(_: Value, here: Value, there: Value, *x: Value) -> list[Value]:
                    inside = x[0].compare("ult", words["bound0"])
                    inside = inside & x[1].compare("ult", words["bound1"])
                    whole = inside & (x[2] >= 0) & (x[2] + last < words["bound2"])

                    def all_of_it() -> None:
                        f.run(self._part("copy"), [here, p_stride, there, length])

                    def part_of_it() -> None:
                        self._zeros(f, there, length)
                        f.if_(inside & moves, lambda: cut(x[2], here, there))

                    f.if_(whole, all_of_it, part_of_it)
                    moved = [a + step for a, step in zip(x, q_steps, strict=True)]
                    return [here.at(q_stride), there.at(pitch), *moved]

                def cut(x: Value, here: Value, there: Value) -> None:
                    """The part of a run that is within bounds."""
                    low = self._elements(f, words, f.maximum(-x, 0), begun, length)
                    high = self._elements(
                        f, words, f.maximum(words["bound2"] - x, 0), begun, length
                    )
                    f.if_(
                        low < high,
                        lambda: f.run(
                            self._part("copy"),
                            [
                                here.at(low * p_stride),
                                p_stride,
                                there.at(low, self.element),
                                high - low,
                            ],
                        ),
                    )

                there = p_target.at((q - q_first) * pitch)
                f.loop(f.constant(0), count, 1, one, [p_source.at(q_offset), there, *xs])
                return q + count

            f.while_(lambda q: q < q_end, line, [q_first])
            return p + length

        f.while_(lambda p: p < p_end, run, [p_first])
        return f

    def _zeros(self, f: Function, target: Value, count: Value) -> None:
        def some(k: Value) -> None:
            mask = f.mask_below(count - k, self.lanes)
            f.store_masked(zero, target.at(k, self.element), mask)

        zero = f.zero(self.element.vector(self.lanes))
        f.loop(f.constant(0), count, self.lanes, some)

    def _elements(
        self, f: Function, words: dict[str, Value], far: Value, begun: Value, length: Value
    ) -> Value:
        """Elements of a run until its coordinate has moved so far."""
        reach = f.maximum(words["reach"], 1)
        elements = (far + (reach - 1)) // reach * words["unit"] - begun
        return f.minimum(f.maximum(elements, 0), length)


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
