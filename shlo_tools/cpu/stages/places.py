"""Where the values of a program lie: which share a place, and the places' offsets.

Steps have positions in the order in which they stand. A value lives at some intervals of them:
what is read in a loop that it comes from outside of lives to the loop's end; a carried value lives
from the loop's start to where it is last read, at least through the condition, which the loop may
leave with it, and again from the loop's end. Of branches one block is run: what is read in some of
them and not behind them does not live in the others. Values may share a place where their intervals
do not meet, or meet only at the step that makes one of the other and can do so in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shlo_tools.codegen import memory_plan
from shlo_tools.codegen.jobs import StageCode
from shlo_tools.codegen.memory_plan import Lifetime
from shlo_tools.cpu.stages.program import Block, Branches, Call, Copy, Loop, Program

# First and last position, the value that begins there, and the one that ends there.
Interval = tuple[int, int, int, int]


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
    lives = _Lives(program)
    sharing = _Sharing(program, lives)
    shared = [0] * len(program.types)
    results: dict[int, int] = {}
    aliases: dict[int, int] = {}
    by_value: dict[int, Spot] = {}
    lifetimes: dict[int, Lifetime] = {}  # by first values
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
    all_lifetimes = dict(lifetimes)
    blocks = {n: lifetimes.pop(first) for first, n in results.items() if n not in aliases}
    insides = [inside_results(program.codes[call.stage], call, shared) for _, call in lives.calls]
    passing = [
        Lifetime(size, position, position)
        for (position, call), inside in zip(lives.calls, insides, strict=True)
        for number, size in own_temporaries(program.codes[call.stage], call)
        if number not in inside
    ]
    spots, size = _spots([*lifetimes.values(), *passing], blocks)
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


@dataclass(eq=False)
class _Scope:
    """A loop, or a block of branches.

    Attributes:
        start: the position where it is entered.
        branches: that of the branches that it is a block of; -1 for a loop.
        end: the position where it is left.
    """

    start: int
    branches: int = -1
    end: int = 0


# The position where a value is read, and the scopes around that, outer ones first.
_Use = tuple[int, tuple[_Scope, ...]]


class _Merge(NamedTuple):
    """A value may lie where another is that it is made of.

    Attributes:
        spares_nothing: whether nothing is copied where it does not.
        position: where it is made.
    """

    spares_nothing: bool
    position: int
    source: int
    result: int


@dataclass
class _Lives:
    """Positions of steps, and from where to where values live.

    Attributes:
        intervals: of each value, in order.
        calls: all calls with their positions, in order.
        merges: what may share a place; first those that would be copied otherwise.
    """

    program: Program
    intervals: dict[int, list[Interval]] = field(default_factory=dict)
    calls: list[tuple[int, Call]] = field(default_factory=list)
    merges: list[_Merge] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._position = 0
        self._scopes: tuple[_Scope, ...] = ()  # those around
        self._uses: dict[int, list[_Use]] = {}
        self._defined: dict[int, tuple[int, int]] = {}  # position, how many scopes are around
        self._more: dict[int, list[int]] = {}  # further positions where a value is written
        outside = program_inputs(self.program)
        for value in range(outside):
            self._defined[value] = (0, 0)
        self._block(self.program.body)
        self._use(self.program.body.returned)
        for value in self._defined:
            self.intervals[value] = self._intervals(value)
        self.merges.sort()

    @property
    def last(self) -> int:
        """The position behind all steps."""
        return self._position

    def _use(self, values: tuple[int, ...]) -> None:
        for value in values:
            self._uses.setdefault(value, []).append((self._position, self._scopes))

    def _define(self, value: int) -> None:
        self._defined[value] = (self._position, len(self._scopes))

    def _block(self, block: Block) -> None:
        for step in block.steps:
            self._position += 1
            if isinstance(step, Call):
                self._call(step)
            elif isinstance(step, Copy):
                self._use((step.source,))
                self._define(step.result)
            elif isinstance(step, Loop):
                self._loop(step)
            else:
                self._branches(step)
        self._position += 1

    def _call(self, call: Call) -> None:
        self.calls.append((self._position, call))
        self._use(call.arguments)
        for value in call.results:
            self._define(value)
        code = self.program.codes[call.stage]
        uses = Counter(call.arguments)
        filled = {job.fills for job in code.jobs}
        for result, arguments in code.in_place.items():
            own = Counter(call.arguments[k] for k in arguments)
            for argument in arguments:
                value = call.arguments[argument]
                if uses[value] == own[value] and not call.offsets[argument]:
                    target = call.results[result]
                    self.merges.append(_Merge(result not in filled, self._position, value, target))

    def _loop(self, loop: Loop) -> None:
        self._use(loop.inputs)
        for value, carried in zip(loop.inputs, loop.carried, strict=True):
            self._define(carried)
            self.merges.append(_Merge(False, self._position, value, carried))
        scope = _Scope(self._position)
        around, self._scopes = self._scopes, (*self._scopes, scope)
        self._block(loop.condition)
        self._use(loop.condition.returned)
        self._use(loop.carried)  # what the last run of the condition leaves is the loop's result
        self._block(loop.body)
        self._use(loop.body.returned)
        self._scopes = around
        end = scope.end = self._position
        for carried, value in zip(loop.carried, loop.body.returned, strict=True):
            self._more[carried] = [end]
            self.merges.append(_Merge(False, end, value, carried))

    def _branches(self, step: Branches) -> None:
        self._use((step.index,))
        position, around = self._position, self._scopes
        ends = []
        for block in step.blocks:
            scope = _Scope(self._position, position)
            self._scopes = (*around, scope)
            self._block(block)
            self._use(block.returned)
            scope.end = self._position
            ends.append(self._position)
            for value, result in zip(block.returned, step.results, strict=True):
                self.merges.append(_Merge(False, self._position, value, result))
            self._position += 1  # the next block begins where nothing of this one lives
        self._scopes = around
        for result in step.results:
            self._defined[result] = (ends[0], len(around))
            self._more[result] = ends[1:]

    def _intervals(self, value: int) -> list[Interval]:
        """From where to where a value lives."""
        start, depth = self._defined[value]
        starts = [start, *self._more.get(value, ())]
        uses: list[list[_Use]] = [[(start, ())] for start in starts]
        for position, scopes in self._uses.get(value, ()):
            number = max(n for n, start in enumerate(starts) if start <= position)
            # What the first of these loops carries is another value in its next run.
            inner = scopes[depth + (number == 0 and len(starts) > 1) :]
            uses[number].append(_outside_of_loops(position, inner))
        return [
            (first, last, value, value)
            for start, own in zip(starts, uses, strict=True)
            for first, last in _ranges(start, own)
        ]


def _outside_of_loops(position: int, scopes: tuple[_Scope, ...]) -> _Use:
    """Up to where a value is kept that is used at a position: to the end of a loop around."""
    for number, scope in enumerate(scopes):
        if scope.branches < 0:
            return scope.end, scopes[:number]
    return position, scopes


def _ranges(start: int, uses: Sequence[_Use]) -> list[tuple[int, int]]:
    """First and last positions of where a value lives that uses in blocks of branches read.

    Args:
        start: where it is written.
        uses: in order, with no loops around them.
    """
    last, scopes = uses[-1]
    if not scopes:
        return [(start, last)]
    branches = scopes[0].branches
    blocks: dict[_Scope, list[_Use]] = {}
    for position, (scope, *inner) in (use for use in uses if use[1]):
        if scope.branches == branches:
            blocks.setdefault(scope, []).append((position, tuple(inner)))
    ranges = [(start, branches)]
    for scope, own in blocks.items():
        for first, last in _ranges(scope.start, own):
            if first == ranges[-1][1]:
                ranges[-1] = ranges[-1][0], last
            else:
                ranges.append((first, last))
    return ranges


def program_inputs(program: Program) -> int:
    """How many values come from outside."""
    return program.arguments + len(program.weights)


class _Sharing:
    """Values of a program in places; merged one by one."""

    def __init__(self, program: Program, lives: _Lives) -> None:
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
