"""From where to where the values of a program live.

Steps have positions in the order in which they stand. A value lives at some intervals of them:
what is read in a loop that it comes from outside of lives to the loop's end; a carried value lives
from the loop's start to where it is last read, at least through the condition, which the loop may
leave with it, and again from the loop's end. Of branches one block is run: what is read in some of
them and not behind them does not live in the others. Blocks that run at once have positions one
behind the other; what they read from outside lives until all of them have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shlo_tools.cpu.stages.program import (
    Again,
    Block,
    Branches,
    Call,
    Copy,
    Loop,
    Program,
    Together,
    program_inputs,
)

# First and last position, the value that begins there, and the one that ends there.
Interval = tuple[int, int, int, int]


@dataclass(eq=False)
class _Scope:
    """A loop, blocks that run at once, or a block of branches.

    Attributes:
        start: the position where it is entered.
        branches: that of the branches that it is a block of; -1 for all others.
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
        spares_little: whether nothing is copied where it does not, or only behind a loop.
        position: where it is made.
    """

    spares_little: bool
    position: int
    source: int
    result: int


class Beside(NamedTuple):
    """Positions of a block that runs while others do: those of all blocks."""

    start: int
    end: int


@dataclass
class Lives:
    """Positions of steps, and from where to where values live.

    Attributes:
        intervals: of each value, in order.
        calls: all calls with their positions, in order.
        beside: the blocks that run while others do.
        homes: of calls, in order: which of these blocks they are in; -1 for none.
        merges: what may share a place; first those that would be copied otherwise.
    """

    program: Program
    intervals: dict[int, list[Interval]] = field(default_factory=dict)
    calls: list[tuple[int, Call]] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)
    homes: list[int] = field(default_factory=list)
    merges: list[_Merge] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._position = 0
        self._home = -1
        self._homes: dict[int, int] = {}  # of values, as those of calls
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

    def home(self, value: int) -> int:
        """Which block beside others a value is made in; -1 for none."""
        return self._homes.get(value, -1)

    @property
    def last(self) -> int:
        """The position behind all steps."""
        return self._position

    def _use(self, values: tuple[int, ...]) -> None:
        for value in values:
            self._uses.setdefault(value, []).append((self._position, self._scopes))

    def _define(self, value: int) -> None:
        self._homes[value] = self._home
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
            elif isinstance(step, Together):
                self._together(step)
            else:
                self._branches(step)
        self._position += 1

    def _call(self, call: Call) -> None:
        self.calls.append((self._position, call))
        self.homes.append(self._home)
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
        if loop.again is None:
            self._round_ends(loop, loop.body.returned)
        else:
            self._second_round(loop, loop.again)
        self._scopes = around
        scope.end = self._position

    def _round_ends(self, loop: Loop, values: tuple[int, ...], *, is_last: bool = False) -> None:
        """Carried values become others, in each round or in a last one."""
        self._use(values)
        for carried, value in zip(loop.carried, values, strict=True):
            self._more.setdefault(carried, []).append(self._position)
            self.merges.append(_Merge(is_last, self._position, value, carried))

    def _second_round(self, loop: Loop, again: Again) -> None:
        """The loop ends with what the first round has made, or goes on with it."""
        self._block(again.condition)
        self._use(again.condition.returned)
        around, branches = self._scopes, self._position
        for block in (again.end, again.body):
            scope = _Scope(self._position, branches)
            self._scopes = (*around, scope)
            self._block(block)
            self._round_ends(loop, block.returned, is_last=block is again.end)
            scope.end = self._position
            self._position += 1
        self._scopes = around

    def _together(self, step: Together) -> None:
        scope = _Scope(self._position)
        home, around = self._home, self._scopes
        self._scopes = (*around, scope)
        first = len(self.beside)
        for number, block in enumerate(step.blocks):
            self._home = first + number
            self._block(block)
            self._use(block.returned)
        self._home, self._scopes = home, around
        scope.end = self._position
        self.beside += [Beside(scope.start, scope.end)] * len(step.blocks)

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
            inner = scopes[depth:]
            number = max(n for n, begin in enumerate(starts) if begin <= position)
            if len(starts) > 1 and inner and inner[0].start <= start:
                # What this loop carries is another value in its next run, and behind it.
                number, inner = 0, inner[1:]
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
