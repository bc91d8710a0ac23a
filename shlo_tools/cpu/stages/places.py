"""Where the values of a program lie: which share a place, and the places' offsets.

Values may share a place where they do not live at once (``lives``), or meet only at the step that
makes one of the other and can do so in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shlo_tools.codegen import memory_plan
from shlo_tools.codegen.jobs import StageCode
from shlo_tools.codegen.memory_plan import Lifetime
from shlo_tools.cpu.stages.lives import Beside, Interval, Lives
from shlo_tools.cpu.stages.program import Call, Program, program_inputs

# Bytes between what blocks write that run at once: reading ahead of one thread ends at a page, and
# so does not fetch what another one is writing.
_APART = 4096


@dataclass
class _Place:
    """Memory that values share.

    Attributes:
        result: the number of the program's result that it is, else -1.
        argument: that of the donated argument that it is, else -1.
        is_outside: it is another argument or a weight, which nobody writes.
    """

    values: list[int]
    intervals: list[Interval]
    size: int
    result: int = -1
    argument: int = -1
    is_outside: bool = False


@dataclass(frozen=True)
class Spot:
    """Where something lies.

    Attributes:
        offset: in bytes.
        number: of the argument that it is behind, or that of the result counted down from -1; None
            for the call's memory.
    """

    offset: int
    number: int | None = None


@dataclass(frozen=True)
class Places:
    """Where values and temporaries lie.

    Attributes:
        shared: for each value, the first value of its place.
        results: by first values of places: which of the program's results they are.
        aliases: by results of the program: the donated arguments that they lie in.
        spots: by first values, of all places that steps write.
        temporaries: for each call, in the order of steps, where they lie; None for those that
            are values, or not there.
        size: of the call's memory.
        lifetimes: of the places that steps write, by first values, in positions; of those that are
            results, too.
        positions: of all calls, in order.
        last: the position behind all steps.
    """

    shared: tuple[int, ...]
    results: Mapping[int, int]
    aliases: Mapping[int, int]
    spots: Mapping[int, Spot]
    temporaries: Sequence[Sequence[Spot | None]]
    size: int
    lifetimes: Mapping[int, Lifetime]
    positions: Sequence[int]
    last: int


def place(program: Program) -> Places:
    """Choose places for all values of a program."""
    lives = Lives(program)
    sharing = _Sharing(program, lives)
    shared = [0] * len(program.types)
    results: dict[int, int] = {}
    aliases: dict[int, int] = {}
    by_value: dict[int, Spot] = {}
    lifetimes: dict[int, Lifetime] = {}  # by first values
    homes: dict[int, int] = {}  # as ``lives`` has them
    for first, one in sharing.places():
        for value in one.values:
            shared[value] = first
        if one.result >= 0:
            results[first] = one.result
            by_value[first] = Spot(0, -1 - one.result)
        if one.argument >= 0:
            by_value[first] = Spot(0, one.argument)
            if one.result >= 0:
                aliases[one.result] = one.argument
        elif not one.is_outside and one.intervals:
            start, end = one.intervals[0][0], max(end for _, end, *_ in one.intervals)
            lifetimes[first] = Lifetime(one.size, start, end)
            own = {lives.home(value) for value in one.values}
            homes[first] = own.pop() if len(own) == 1 else -1
    all_lifetimes = dict(lifetimes)
    blocks = {n: lifetimes.pop(first) for first, n in results.items() if n not in aliases}
    insides = [inside_results(program.codes[call.stage], call, shared) for _, call in lives.calls]
    passing = [
        (Lifetime(size, position, position), home)
        for (position, call), home, inside in zip(lives.calls, lives.homes, insides, strict=True)
        for number, size in own_temporaries(program.codes[call.stage], call)
        if number not in inside
    ]
    own_homes = [*(homes[first] for first in lifetimes), *(home for _, home in passing)]
    in_order = [*lifetimes.values(), *(lifetime for lifetime, _ in passing)]
    spots, size = _spots(in_order, own_homes, lives.beside, blocks)
    rest = iter(spots[len(lifetimes) :])
    by_value |= dict(zip(lifetimes, spots, strict=False))
    temporaries: list[list[Spot | None]] = []
    for (_, call), inside in zip(lives.calls, insides, strict=True):
        code = program.codes[call.stage]
        where: list[Spot | None] = [None] * len(code.temporaries)
        for number, _ in own_temporaries(code, call):
            if number in inside:
                where[number] = by_value[shared[call.results[inside[number]]]]
            else:
                where[number] = next(rest)
        temporaries.append(where)
    return Places(
        *(tuple(shared), results, aliases, by_value, temporaries, size, all_lifetimes),
        positions=[position for position, _ in lives.calls],
        last=lives.last,
    )


def own_temporaries(code: StageCode, call: Call) -> list[tuple[int, int]]:
    """Numbers and bytes of the temporaries that a call has room for."""
    return [
        (number, size)
        for number, size in enumerate(code.temporaries)
        if number not in call.kept and number not in code.optional
    ]


def inside_results(code: StageCode, call: Call, shared: Sequence[int]) -> dict[int, int]:
    """Temporaries of a call that lie in results of it."""
    of_arguments = {shared[value] for value in call.arguments}
    inside: dict[int, int] = {}
    for temporary, results in code.inside.items():
        free = (number for number in results if shared[call.results[number]] not in of_arguments)
        for number in free:
            inside.setdefault(temporary, number)
    return inside


def _spots(
    lifetimes: Sequence[Lifetime],
    homes: Sequence[int],
    beside: Sequence[Beside],
    results: Mapping[int, Lifetime],
) -> tuple[list[Spot], int]:
    """Where values lie; the bytes that those need which lie in no results.

    What blocks make that run at once lies in memory of its block.
    """
    inner = [[k for k, home in enumerate(homes) if home == block] for block in range(len(beside))]
    plans = [memory_plan.plan([lifetimes[k] for k in own]) for own in inner]
    outer = [k for k, home in enumerate(homes) if home < 0]
    own_memory = [
        Lifetime(
            plan.size + _APART, block.start, max([block.end, *(lifetimes[k].end for k in own)])
        )
        for plan, block, own in zip(plans, beside, inner, strict=True)
    ]
    places, size = _outer_spots([*(lifetimes[k] for k in outer), *own_memory], results)
    spots = dict(zip(outer, places, strict=False))
    for own, plan, place in zip(inner, plans, places[len(outer) :], strict=True):
        for k, offset in zip(own, plan.offsets, strict=True):
            spots[k] = Spot(place.offset + offset, place.number)
    return [spots[k] for k in range(len(lifetimes))], size


def _outer_spots(
    lifetimes: Sequence[Lifetime], results: Mapping[int, Lifetime]
) -> tuple[list[Spot], int]:
    """Where values lie, some in results that are computed later; the bytes that the others need."""
    numbers = list(results)
    within = memory_plan.inside(lifetimes, list(results.values()))
    others = [number for number in range(len(lifetimes)) if number not in within]
    plan = memory_plan.plan([lifetimes[number] for number in others])
    spots = {number: Spot(at) for number, at in zip(others, plan.offsets, strict=True)}
    spots |= {number: Spot(at, -1 - numbers[block]) for number, (block, at) in within.items()}
    return [spots[number] for number in range(len(lifetimes))], plan.size


class _Sharing:
    """Values of a program in places; merged one by one."""

    def __init__(self, program: Program, lives: Lives) -> None:
        self._parent = list(range(len(program.types)))
        outside = program_inputs(program)
        self._places = {
            value: _Place([value], intervals, program.types[value].nbytes)
            for value, intervals in lives.intervals.items()
        }
        for value in range(outside):
            self._places[value].is_outside = value not in program.donated
        for value in program.donated:
            self._places[value].argument = value
        for number, value in enumerate(program.body.returned):
            one = self._places[value]
            if not one.is_outside and one.result < 0:
                one.result = number
        self._made_of = {(m.position, frozenset((m.source, m.result))) for m in lives.merges}
        for merge in lives.merges:
            self._merge(merge.source, merge.result)

    def places(self) -> list[tuple[int, _Place]]:
        """All places, by their first values."""
        return list(self._places.items())

    def _first(self, value: int) -> int:
        parent = self._parent
        while parent[value] != value:
            parent[value] = parent[parent[value]]
            value = parent[value]
        return value

    def _merge(self, source: int, result: int) -> None:
        """Let two values share a place, where nothing else is there when they are."""
        first, second = self._first(source), self._first(result)
        if first == second:
            return
        one, other = self._places[first], self._places[second]
        if one.is_outside or other.is_outside or one.size != other.size:
            return
        if min(one.result, other.result) >= 0 or min(one.argument, other.argument) >= 0:
            return
        intervals = self._joined(one.intervals, other.intervals)
        if intervals is None:
            return
        self._parent[second] = first
        del self._places[second]
        self._places[first] = _Place(
            one.values + other.values,
            intervals,
            one.size,
            max(one.result, other.result),
            max(one.argument, other.argument),
        )

    def _joined(self, first: list[Interval], second: list[Interval]) -> list[Interval] | None:
        """Intervals of both; None where they meet and neither value is made of the other there."""
        joined: list[Interval] = []
        for start, end, begins, ends in sorted([*first, *second], key=lambda i: (i[0], i[1])):
            if not joined or joined[-1][1] < start:
                joined.append((start, end, begins, ends))
                continue
            from_, to, first_there, before = joined[-1]
            if to != start or (start, frozenset((before, begins))) not in self._made_of:
                return None
            joined[-1] = (from_, end, first_there, ends)
        return joined
