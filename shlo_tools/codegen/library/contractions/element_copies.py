"""Copying elements of one type as another: adjacent ones, those apart, and columns as rows."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library import transposition
from shlo_tools.codegen.target import Target

# Numbers that are factors, as i32: products of which are the sum of those of their members.
PAIRS = "pairs"  # of i16
FOURS = "fours"  # of i8
GROUPS = (PAIRS, FOURS)
BIASED = "biased"  # bytes of rows that are multiplied by fours: 128 more than they are
SIGNS = -0x7F7F7F80  # the first bits of the four bytes of an i32
# How elements of a type lie in memory, and the cast that makes each target of them.
_STORED = {"i1": "i8", "f16": "i16", "bf16": "i16", **dict.fromkeys(GROUPS, "i32"), BIASED: "i8"}
_CASTS = {
    **{(f"i{n}", f"i{m}"): "sext" for n in (8, 16, 32) for m in (32, 64) if n < m},
    **{(f"ui{n}", f"i{m}"): "zext" for n in (8, 16, 32) for m in (32, 64) if n < m},
    **{(f"{sign}64", "i32"): "trunc" for sign in ("i", "ui")},
    **{(f"{sign}{n}", f"i{n}"): "" for sign in ("i", "ui") for n in (32, 64)},
    **{("i1", f"i{n}"): "zext" for n in (32, 64)},
    **{("i8", "i16"): "sext", ("ui8", "i16"): "zext"},
    **{("f16", f"f{n}"): "fpext" for n in (32, 64)},
    ("bf16", "f32"): "bf16",
    **{(groups, "i32"): "" for groups in GROUPS},
    (BIASED, "i8"): BIASED,
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


def _single_of_half(bits: Value) -> Value:
    """The f32 of an f16's bits: its exponent is moved, and scaling makes denormals normal."""
    wide = bits.to("zext", "i32")
    magnitude = (wide & 0x7FFF) << 13
    scaled = (magnitude.to("bitcast", "f32") * 2.0**112).to("bitcast", "i32")
    special = magnitude | 0x7F800000
    is_finite = magnitude < 0x7C00 << 13
    number = bits.function.select(is_finite, scaled, special)
    return (number | ((wide & 0x8000) << 16)).to("bitcast", "f32")


class ElementCopies:
    """What copies elements of a type, converted to another."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.source, self.element = source, element
        self.stored = Type(_STORED.get(source, source.removeprefix("u")))
        self.cast = _CASTS[source, element.element]
        self.lanes = target.lanes(element.bits)
        self.converts_halves = target.fma  # processors have both instructions or neither

    def converted(self, value: Value) -> Value:
        """An element, or a vector of them, as registers hold the other type."""
        if self.source == "f16" and self.converts_halves:
            value = value.to("bitcast", "f16")
        if self.cast == BIASED:
            return value ^ -128
        if self.cast == "bf16":
            return (value.to("zext", "i32") << 16).to("bitcast", "f32")
        if self.source == "f16" and not self.converts_halves:
            value = _single_of_half(value)
            return value if self.element.bits == 32 else value.to("fpext", "f64")
        return value.to(self.cast, self.element.element) if self.cast else value

    def load(self, f: Function, address: Value, lanes: int, mask: Value | None = None) -> Value:
        """Adjacent elements, converted."""
        return self.converted(f.load_masked(address, mask, self.stored.vector(lanes)))

    def _part(self, part: str) -> str:
        return f"{part}_{self.source}_{self.element.element}"

    def copy(self) -> Function:
        """(from, step, to, count): elements ``step`` bytes apart, converted, to adjacent ones."""
        f = Function(self._part("copy"), [POINTER, I64, POINTER, I64], exported=False)
        source, step, target, count = f.arguments

        def adjacent() -> None:
            self.copy_adjacent(f, source, target, count)

        def scattered() -> None:
            def one(k: Value) -> None:
                value = f.load(source.at(k * step), self.stored)
                f.store(self.converted(value), target.at(k, self.element))

            size, none = self.stored.bytes, f.constant(0)
            copied = f.if_(
                step == 2 * size,
                lambda: self._every_other(f, source, target, count),
                lambda: f.if_(
                    step == -size, lambda: self._backwards(f, source, target, count), lambda: none
                ),
            )
            f.loop(copied[0], count, 1, one)

        f.if_(step == self.stored.bytes, adjacent, scattered)
        return f

    def copy_adjacent(self, f: Function, source: Value, target: Value, count: Value) -> None:
        """Copy adjacent elements, converted, to adjacent ones."""
        whole = count - count % self.lanes

        def some(k: Value) -> None:
            value = self.load(f, source.at(k, self.stored), self.lanes)
            f.store(value, target.at(k, self.element))

        def rest() -> None:
            mask = f.mask_below(count - whole, self.lanes)
            value = self.load(f, source.at(whole, self.stored), self.lanes, mask)
            f.store_masked(value, target.at(whole, self.element), mask)

        f.loop(f.constant(0), whole, self.lanes, some)
        f.if_(whole < count, rest)

    def _every_other(self, f: Function, source: Value, target: Value, count: Value) -> Value:
        """Copy elements of which each has a neighbour between it and the next; how many."""
        lanes, vector = self.lanes, self.stored.vector(self.lanes)
        even = range(0, 2 * lanes, 2)

        def some(k: Value) -> None:
            here = source.at(k * 2, self.stored)
            parts = [f.load(here.at(lanes * part, self.stored), vector) for part in range(2)]
            value = self.converted(f.shuffle(parts[0], parts[1], even))
            f.store(value, target.at(k, self.element))

        # The last one has no neighbour.
        whole = f.maximum(count - 1, 0) // lanes * lanes
        f.loop(f.constant(0), whole, lanes, some)
        return whole

    def _backwards(self, f: Function, source: Value, target: Value, count: Value) -> Value:
        """Copy adjacent elements from the last one on; how many."""
        lanes, vector = self.lanes, self.stored.vector(self.lanes)

        def some(k: Value) -> None:
            value = f.load(source.at(-k - (lanes - 1), self.stored), vector)
            value = f.shuffle(value, value, range(lanes - 1, -1, -1))
            f.store(self.converted(value), target.at(k, self.element))

        whole = count - count % lanes
        f.loop(f.constant(0), whole, lanes, some)
        return whole

    def turn(self) -> Function:
        """(from, step, to, pitch, length, count): rows of what lies adjacent down its columns.

        Rows have ``length`` elements ``step`` bytes apart, and there are ``count`` of them; both
        are ``lanes`` at least. The last tile reaches back over its neighbour.
        """
        types = [POINTER, I64, POINTER, I64, I64, I64]
        f = Function(self._part("turn"), types, exported=False)
        source, step, target, pitch, length, count = f.arguments
        lanes, vector = self.lanes, self.stored.vector(self.lanes)

        def tile(row: Value, column: Value) -> None:
            row, column = f.minimum(row, count - lanes), f.minimum(column, length - lanes)
            here = source.at(column * step).at(row, self.stored)
            there = target.at(row * pitch).at(column, self.element)
            loaded = [f.load(here.at(step * k), vector, 1) for k in range(lanes)]
            turned = transposition.transposed(f, [self.converted(value) for value in loaded])
            for k, value in enumerate(turned):
                f.store(value, there.at(pitch * k))

        def rows(row: Value) -> None:
            f.loop(f.constant(0), length, lanes, lambda column: tile(row, column))

        f.loop(f.constant(0), count, lanes, rows)
        return f

    def copy_part(
        self, f: Function, source: Value, step: Value, target: Value, count: Value
    ) -> None:
        """Call what copies elements ``step`` bytes apart."""
        f.run(self._part("copy"), [source, step, target, count])

    def turn_part(self, f: Function, *operands: Value) -> None:
        """Call what turns tiles."""
        f.run(self._part("turn"), operands)

    def near_copy(self, f: Function, length: Value, room: Value) -> Callable[[Value, Value], None]:
        """What copies runs of ``length`` adjacent elements, with all that they share behind it.

        A row has ``room`` bytes left. Where the last vector fits, it is stored as a whole: later
        runs write over what is too much, and loads need not wait as they do for masked stores.
        """
        whole = length - length % self.lanes
        mask = f.mask_below(length - whole, self.lanes)
        has_rest, fits = whole < length, (whole + self.lanes) * self.element.bytes <= room

        def copy(source: Value, target: Value) -> None:
            def some(k: Value) -> None:
                value = self.load(f, source.at(k, self.stored), self.lanes)
                f.store(value, target.at(k, self.element))

            def rest() -> None:
                place = target.at(whole, self.element)
                value = self.load(f, source.at(whole, self.stored), self.lanes, mask)
                f.if_(
                    fits,
                    lambda: f.store(value, place),
                    lambda: f.store_masked(value, place, mask),
                )

            f.loop(f.constant(0), whole, self.lanes, some)
            f.if_(has_rest, rest)

        return copy

    def zeros(self, f: Function, target: Value, count: Value) -> None:
        def some(k: Value) -> None:
            mask = f.mask_below(count - k, self.lanes)
            f.store_masked(zero, target.at(k, self.element), mask)

        zero = f.zero(self.element.vector(self.lanes))
        f.loop(f.constant(0), count, self.lanes, some)
