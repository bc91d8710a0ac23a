"""Loops whose rounds alternate between two places for what they carry.

What a round makes of carried values while these are still read cannot lie where they do, and would
be copied there behind each round. Instead such a loop has its steps twice: the second round reads
what the first one has made where it lies, and what the second one makes lies where the first
one reads. Only where the first round is the last one something is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shlo_tools.cpu.stages.places import Places, place
from shlo_tools.cpu.stages.program import (
    Again,
    Block,
    Branches,
    Call,
    Copy,
    Loop,
    Program,
    Step,
    Together,
    blocks_of,
    calls_of,
)
from shlo_tools.dtypes import TensorType

_LEAST = 256  # bytes that a round copies: fewer take less time than is lost on longer tables
_MOST = 100  # calls of a round


def placed(program: Program) -> tuple[Program, Places]:
    """A program with some loops that alternate, and the places of its values."""
    places = place(program)
    maker = _Maker(program, places)
    body = maker.block(program.body)
    if body is program.body:
        return program, places
    other = replace(program, body=body, types=tuple(maker.types))
    return other, place(other)


class _Maker:
    """Makes the steps of the program with second rounds.

    Attributes:
        types: of all values, and of those that second rounds make.
    """

    def __init__(self, program: Program, places: Places) -> None:
        self.types: list[TensorType] = list(program.types)
        self._shared = places.shared

    def block(self, block: Block) -> Block:
        """The same block where none of its loops alternates."""
        steps = tuple(map(self._step, block.steps))
        is_same = all(new is old for new, old in zip(steps, block.steps, strict=True))
        return block if is_same else replace(block, steps=steps)

    def _step(self, step: Step) -> Step:
        if isinstance(step, Call | Copy):
            return step
        blocks = tuple(map(self.block, blocks_of(step)))
        is_same = all(new is old for new, old in zip(blocks, blocks_of(step), strict=True))
        if not isinstance(step, Loop):
            return step if is_same else replace(step, blocks=blocks)
        condition, body = blocks
        loop = step if is_same else replace(step, condition=condition, body=body)
        is_short = sum(1 for inner in blocks for _ in calls_of(inner)) <= _MOST
        return self._alternating(loop) if is_short and self._copied(step) >= _LEAST else loop

    def _copied(self, loop: Loop) -> int:
        """Bytes of carried values that are copied behind each round."""
        passed = [(step.source, step.result) for step in _passed_on(loop)]
        pairs = [*passed, *zip(loop.body.returned, loop.carried, strict=True)]
        copied = {r for s, r in pairs if self._shared[s] != self._shared[r]}
        return sum(self.types[value].nbytes for value in copied)

    def _alternating(self, loop: Loop) -> Loop:
        """The loop with a second round."""
        passed = {step.result: step.source for step in _passed_on(loop)}
        steps = loop.body.steps[: len(loop.body.steps) - len(passed)]
        returned = tuple(passed.get(value, value) for value in loop.body.returned)
        round = _Round(self.types, dict(zip(loop.carried, returned, strict=True)))
        condition = round.block(loop.condition)
        first = Block(steps, returned)
        pairs = zip(returned, loop.carried, strict=True)
        apart = [k for k, (v, own) in enumerate(pairs) if self._shared[v] != self._shared[own]]
        end = round.end(returned, loop.carried, apart)
        again = Again(condition, end, round.last(first, loop.carried))
        return replace(loop, body=first, again=again)


def _passed_on(loop: Loop) -> list[Copy]:
    """The last steps of a loop's body, which copy carried values that others become."""
    copies: list[Copy] = []
    for step in reversed(loop.body.steps):
        if not isinstance(step, Copy) or step.source not in loop.carried:
            break
        copies.append(step)
    return copies


def _others(values: Sequence[int], carried: Sequence[int]) -> list[int]:
    """Which of some values are carried ones, and not those that they become."""
    pairs = enumerate(zip(values, carried, strict=True))
    return [number for number, (value, own) in pairs if value in carried and value != own]


class _Round:
    """Steps once more, with other values for those that they make."""

    def __init__(self, types: list[TensorType], numbers: dict[int, int]) -> None:
        self._types, self._numbers = types, numbers

    def new(self, value: int) -> int:
        """Another value of the same type."""
        self._types.append(self._types[value])
        return len(self._types) - 1

    def block(self, block: Block) -> Block:
        """The block, of what it comes with now."""
        steps = tuple(map(self._step, block.steps))
        return Block(steps, self._of(block.returned))

    def last(self, block: Block, carried: Sequence[int]) -> Block:
        """The steps of the round behind which carried values are overwritten."""
        done = self.block(block)
        return self._copied(done, _others(done.returned, carried))

    def end(self, values: Sequence[int], carried: Sequence[int], apart: Sequence[int]) -> Block:
        """What carried values become behind the first round.

        Where some become others, those that lie ``apart`` may lie where carried values do. So all
        of these are copied before, and carried ones first: behind that, their places are free.
        """
        others = _others(values, carried)
        numbers = [*others, *(k for k in apart if k not in others)] if others else []
        return self._copied(Block((), tuple(values)), numbers)

    def _copied(self, block: Block, numbers: Sequence[int]) -> Block:
        """A block that returns copies of some values."""
        returned, copies = list(block.returned), []
        for number in numbers:
            returned[number] = self.new(block.returned[number])
            copies.append(Copy(block.returned[number], returned[number]))
        return Block((*block.steps, *copies), tuple(returned))

    def _of(self, values: Sequence[int]) -> tuple[int, ...]:
        return tuple(self._numbers.get(value, value) for value in values)

    def _made(self, values: Sequence[int]) -> tuple[int, ...]:
        for value in values:
            self._numbers[value] = self.new(value)
        return self._of(values)

    def _step(self, step: Step) -> Step:
        if isinstance(step, Call):
            arguments = self._of(step.arguments)
            return replace(step, arguments=arguments, results=self._made(step.results))
        if isinstance(step, Copy):
            (source,) = self._of([step.source])
            return Copy(source, *self._made([step.result]))
        if isinstance(step, Together):
            return Together(tuple(map(self.block, step.blocks)))
        if isinstance(step, Branches):
            (index,) = self._of([step.index])
            blocks = tuple(map(self.block, step.blocks))
            return Branches(index, blocks, self._made(step.results))
        inputs, carried = self._of(step.inputs), self._made(step.carried)
        condition, body = self.block(step.condition), self.block(step.body)
        again = step.again
        if again is not None:
            again = Again(*map(self.block, (again.condition, again.end, again.body)))
        return Loop(inputs, carried, condition, body, step.rounds, again)
