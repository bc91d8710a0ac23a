"""Arithmetic of indices while loops are being written.

What was computed once in a loop is not computed again (``Loops.once``), and what does not change
with a loop is computed in front of it: every index knows the loop that it belongs to.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

from shlo_tools.codegen.function import I64, Carry, Function, Value
from shlo_tools.codegen.stages.nodes import Extent, is_one
from shlo_tools.codegen.stages.reading.elements import flattened, joined
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Cyclic,
    Lanes,
    Near,
    Pattern,
    Positions,
    Scalar,
    level_of,
)
from shlo_tools.dims import Size, maximum

T = TypeVar("T")

_STEPS = 3  # comparisons that cost less than a division of each lane

NEAR = 2**29  # sums of some numbers below that are numbers of 32 bits


class Loops:
    """A function with the loops around what is being emitted.

    Attributes:
        function: what is written.
        lanes: elements that vectors have.
    """

    def __init__(self, function: Function, lanes: int) -> None:
        self.function = function
        self.lanes = lanes
        self._memos: list[dict[Hashable, object]] = [{}]
        # What is known of values, by their names: they leave a rest when a number divides them.
        self._rests: dict[str, tuple[int, int]] = {}
        self._undivided: dict[tuple[Component, Component, Extent], Component] = {}
        self._totals: dict[Component, tuple[Component, Component]] = {}

    @property
    def level(self) -> int:
        """How many loops are around."""
        return len(self.function.loops)

    def loop(
        self,
        start: Value | int,
        stop: Value | int,
        step: int,
        body: Callable[..., Carry | Value | None],
        carry: Carry = (),
    ) -> list[Value]:
        """A loop; in ``body``, what is computed of its counter is kept until its end."""

        def inside(counter: Value, *carried: Value) -> Carry | Value | None:
            self._memos.append({})
            number, rest = self._known_rest(start, step)
            self.note_rest(counter, math.gcd(number, step), rest)
            result = body(counter, *joined(carried, carry))
            self._memos.pop()
            if result is None or isinstance(result, Value):
                result = [] if result is None else [result]
            return flattened(result)

        return joined(self.function.loop(start, stop, step, inside, flattened(carry)), carry)

    def note_rest(self, value: Value, number: int, rest: int) -> None:
        """A value is known to leave a rest when a number divides it."""
        self._rests[value.name] = number, rest % number

    def _known_rest(self, value: Value | int, number: int) -> tuple[int, int]:
        """A number that leaves a known rest; of a known value, the one that is asked for."""
        return (number, value) if isinstance(value, int) else self._rests.get(value.name, (1, 0))

    def once(self, level: int, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` emits, at loop ``level``, unless it was emitted there before."""
        memo = self._memos[level]
        if key not in memo:
            if level >= self.level:
                memo[key] = make()
            else:
                with self._outside(level):
                    memo[key] = make()
        return cast(T, memo[key])

    def has(self, level: int, key: Hashable) -> bool:
        """Whether something was emitted at a level."""
        return key in self._memos[level]

    def forget(self, level: int) -> None:
        """What is computed from here on at a level may not rest on what was computed before."""
        self._memos[level].clear()

    @contextmanager
    def _outside(self, level: int) -> Iterator[None]:
        """In front of the loops further in."""
        memos, self._memos = self._memos, self._memos[: level + 1]
        with self.function.before_loop(level):
            yield
        self._memos = memos

    # --- components -------------------------------------------------------------------------------
    def shifted(self, c: Component, by: Extent) -> Component:
        """``c + by``."""
        if by == 0:
            return c
        if isinstance(c, int):
            return self._known(c + by)
        return self.once(c.level, ("shift", c, by), lambda: self._shifted(c, by))

    def _shifted(self, c: Scalar | Lanes | Positions, by: Extent) -> Component:
        if isinstance(c, Lanes):
            moved = Lanes(c.base + by, c.step, c.level)
            number, rest = self._known_rest(c.base, 1)
            if isinstance(by, int):
                self.note_rest(moved.base, number, rest + by)
            return moved
        if isinstance(c, Pattern):
            return Pattern(c.value + by, c.level, c.first + by, c.steps)
        if isinstance(c, Near):
            return Near(c.value + by, c.level, c.first + by, c.offsets, c.most)
        if isinstance(c, Cyclic):
            return Cyclic(c.value + by, c.level, c.first + by, c.turns, c.size)
        return type(c)(c.value + by, c.level)

    def _known(self, number: Extent) -> Component:
        """A number as a component, also where run time tells it."""
        return Scalar(self.function.constant(number), 0) if isinstance(number, Size) else number

    def scaled(self, c: Component, by: Extent) -> Component:
        """``c * by``."""
        if by == 1:
            return c
        if isinstance(c, int):
            return self._known(c * by)
        if by == 0:
            return 0
        return self.once(c.level, ("scale", c, by), lambda: self._scaled(c, by))

    def _scaled(self, c: Scalar | Lanes | Positions, by: Extent) -> Component:
        if isinstance(c, Lanes):
            return Lanes(c.base * by, c.step * by, c.level)
        if isinstance(c, Pattern) and isinstance(by, int):
            steps = tuple(step * by for step in c.steps)
            return self._pattern(c.first * by, steps, c.level)
        kind = Scalar if isinstance(c, Scalar) else Positions
        return kind(c.value * by, c.level)

    def mirrored(self, c: Component, size: Extent) -> Component:
        """``size - 1 - c``."""
        if isinstance(c, int):
            return self._known(size - 1 - c)
        return self.shifted(self.scaled(c, -1), size - 1)

    def added(self, a: Component, b: Component) -> Component:
        """``a + b``."""
        if isinstance(b, int):
            return self.shifted(a, b)
        if isinstance(a, int):
            return self.shifted(b, a)
        level = max(a.level, b.level)
        total = self.once(level, ("add", a, b), lambda: self._added(a, b, level))
        self._totals[total] = a, b
        return total

    def _added(
        self, a: Scalar | Lanes | Positions, b: Scalar | Lanes | Positions, level: int
    ) -> Component:
        one, other = self._parts_of(a), self._parts_of(b)
        if (isinstance(a, Pattern) or isinstance(b, Pattern)) and one and other:
            steps = tuple(map(operator.add, one[1], other[1]))
            return self._pattern(one[0] + other[0], steps, level)
        if isinstance(a, Positions) or isinstance(b, Positions):
            return Positions(self.positions(a) + self.positions(b), level)
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return Scalar(a.value + b.value, level)
        bases = [c.base if isinstance(c, Lanes) else c.value for c in (a, b)]
        step = sum(c.step for c in (a, b) if isinstance(c, Lanes))
        return Lanes(bases[0] + bases[1], step, level)

    def positions(self, c: Component) -> Value:
        """A component as a vector of i64."""
        f, type = self.function, I64.vector(self.lanes)
        if isinstance(c, int):
            return f.constant(c, type)
        if isinstance(c, Positions):
            return c.value

        def make() -> Value:
            if isinstance(c, Scalar):
                return f.broadcast(c.value, self.lanes)
            return f.broadcast(c.base, self.lanes) + self.multiples(c.step)

        return self.once(c.level, ("positions", c), make)

    def near_positions(self, c: Component, element: str = "i32") -> Value:
        """A component whose numbers are below ``NEAR``, as a vector of i32 where that costs less.

        Twice as many of these are in a register; of a narrower ``element``, which its numbers fit
        too, even more.
        """
        parts = None if isinstance(c, int) else self._parts_of(c)
        if isinstance(c, int | Scalar) or parts is None or max(map(abs, parts[1])) >= NEAR:
            return self.positions(c)
        base, steps = parts

        def make() -> Value:
            first = self.function.broadcast(base.to("trunc", element), self.lanes)
            return first + self.function.constant(steps, first.type)

        return self.once(c.level, ("near positions", c, element), make)

    def multiples(self, step: Extent) -> Value:
        """0, ``step``, twice of it, ... as a vector of i64."""
        f, type = self.function, I64.vector(self.lanes)
        if isinstance(step, int):
            return f.constant(tuple(step * k for k in range(self.lanes)), type)

        def make() -> Value:
            return f.constant(tuple(range(self.lanes)), type) * f.constant(step, type)

        return self.once(0, ("multiples", step), make)

    def divided(self, c: Component, by: Extent) -> tuple[Component, Component]:
        """Quotient and rest of a component that is not negative."""
        if by == 1:
            return c, 0
        if isinstance(c, int) and c == 0:
            return 0, 0
        if isinstance(by, Size):
            # Code that loops of nothing skip may stand in front of them: nothing divides by 0.
            by = maximum(by, 1)
            c = Scalar(self.function.constant(c), 0) if isinstance(c, int) else c
        if isinstance(c, int):
            return c // by, c % by

        def make() -> tuple[Component, Component]:
            if isinstance(c, Scalar):
                quotient = c.value // by
                return Scalar(quotient, c.level), Scalar(c.value - quotient * by, c.level)
            rest = self._rest_of_first(c, by) if isinstance(c, Lanes) else None
            if isinstance(c, Lanes) and isinstance(by, int) and rest is not None:
                return self._divided_groups(c, by, rest)
            near = self._divided_near(c, by) if isinstance(by, int) else None
            if near is not None:
                return near
            where = self.positions(c)
            quotient = self.function.op("udiv", where, self.function.constant(by, where.type))
            return Positions(quotient, c.level), Positions(where - quotient * by, c.level)

        quotient, rest = self.once(c.level, ("divide", c, by), make)
        self._undivided[quotient, rest, by] = c
        return quotient, rest

    def undivided(self, quotient: Component, rest: Component, by: Extent) -> Component | None:
        """What ``divided`` made these of, or of one that something is added to; None for others."""
        number, quotient = self._totals.get(quotient, (0, quotient))
        whole = self._undivided.get((quotient, rest, by))
        return None if whole is None else self.added(self.scaled(number, by), whole)

    def _divided_near(self, c: Lanes | Positions, by: int) -> tuple[Component, Component] | None:
        """Quotient and rest of lanes that are near each other: one division, and comparisons."""
        f, near = self.function, self._near(c)
        if near is None:
            return None
        base, ahead, most = near
        if (steps := (by - 1 + most) // by) > _STEPS:
            return None
        first = base // by
        start = base - first * by
        rest = f.broadcast(start, self.lanes) + ahead
        offsets = f.constant(0, rest.type)
        for _ in range(steps):
            is_over = rest.compare("uge", by)
            rest = f.select(is_over, rest - by, rest)
            offsets = f.select(is_over, offsets + 1, offsets)
        where = f.broadcast(first, self.lanes) + offsets
        quotient = Near(where, c.level, first, offsets, steps)
        if isinstance(c, Lanes) and c.step == 1:
            return quotient, Cyclic(rest, c.level, start, quotient, by)
        return quotient, Positions(rest, c.level)

    def _near(self, c: Lanes | Positions) -> tuple[Value, Value, int] | None:
        """A number, how far behind it lanes are, and how far at most, where that is known."""
        if isinstance(c, Near):
            return c.first, c.offsets, c.most
        parts = self._parts_of(c) if isinstance(c, Lanes | Pattern) else None
        if parts is None or min(parts[1]) < 0:
            return None
        offsets = self.function.constant(parts[1], I64.vector(self.lanes))
        return parts[0], offsets, max(parts[1])

    def _rest_of_first(self, c: Lanes, by: Extent) -> int | None:
        """The rest of the first lane, where that is known, so that the others' are, too."""
        if not isinstance(by, int) or c.step != 1 or not 1 < by < self.lanes:
            return None
        number, rest = self._known_rest(c.base, 1)
        return rest % by if number % by == 0 else None

    def _divided_groups(self, c: Lanes, by: int, rest: int) -> tuple[Component, Component]:
        """Quotient and rest of such lanes."""
        quotients, rests = zip(*(divmod(rest + k, by) for k in range(self.lanes)), strict=True)
        zero = self.function.constant(0)
        first = (c.base - rest if rest else c.base) // by
        return self._pattern(first, quotients, c.level), self._pattern(zero, rests, c.level)

    def _pattern(self, first: Value, steps: tuple[int, ...], level: int) -> Pattern:
        f = self.function
        where = f.broadcast(first, self.lanes) + f.constant(steps, I64.vector(self.lanes))
        return Pattern(where, level, first, steps)

    def _parts_of(self, c: Scalar | Lanes | Positions) -> tuple[Value, tuple[int, ...]] | None:
        """The first place of a component and how far from it others are, where that is known."""
        if isinstance(c, Scalar):
            return c.value, (0,) * self.lanes
        if isinstance(c, Lanes) and isinstance(c.step, int):
            return c.base, tuple(c.step * k for k in range(self.lanes))
        return (c.first, c.steps) if isinstance(c, Pattern) else None

    def note_division(self, place: Component, by: Extent, row: Component, rest: Component) -> None:
        """A place is known to be ``row * by + rest``: nobody has to divide it."""
        by = maximum(by, 1) if isinstance(by, Size) else by  # as ``divided`` has it
        if not is_one(by):
            self.once(level_of(place), ("divide", place, by), lambda: (row, rest))
