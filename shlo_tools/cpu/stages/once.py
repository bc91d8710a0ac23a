"""What a program makes of its constants alone: made once, and kept for all calls.

Two things are kept: results of stages that read nothing but constants or what is made of such, and
what other stages pack of constants before they multiply it. A program is taken apart in two: the
first one has no arguments and makes what is kept, the second one finds that among its constants.

Steps in branches stay where they are: what is not needed is not made. What is kept takes memory
for good, so it is never more than a few times as large as the constants behind it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from shlo_tools.codegen.jobs import Context, Place, StageCode, Word
from shlo_tools.cpu.stages.program import (
    Block,
    Branches,
    Call,
    Copy,
    Loop,
    Program,
    Step,
    Together,
    blocks_of,
    program_inputs,
)
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType

_TIMES = 4  # bytes that may be kept for each byte of the constants behind them
_SMALL = 64 * 1024  # bytes that may be kept beside that


@dataclass(frozen=True)
class Once:
    """A program in two parts.

    Attributes:
        first: what runs once; its results are kept.
        rest: what runs at each call; the values that are kept follow its constants.
        left_out: the numbers of the program's calls that the rest has not.
    """

    first: Program
    rest: Program
    left_out: frozenset[int]

    @property
    def kept(self) -> list[TensorType]:
        """Types of what is kept."""
        return [self.first.types[value] for value in self.first.body.returned]


def split(program: Program, constants: int) -> Once | None:
    """Take a program apart; None where it makes nothing of constants alone.

    Args:
        constants: how many there are in the table of weights.
    """
    start = _First(program)
    start.walk(program.body)
    if not start.steps:
        return None
    rest = _Rest(program, start)
    body = rest.body()
    inputs, own = program_inputs(program), [start.types[value] for value in rest.used]
    if not own:
        return None
    first = Program(
        arguments=0,
        donated=frozenset(),
        weights=program.weights,
        types=tuple(start.types),
        body=Block(tuple(start.steps), tuple(rest.used)),
        codes={**program.codes, **start.codes},
        plain={},
    )
    whole = replace(
        program,
        weights=(*program.weights, *range(constants, constants + len(own))),
        types=(*program.types[:inputs], *own, *program.types[inputs:]),
        body=body,
    )
    return Once(first, whole, frozenset(start.left_out))


# --- what is made once ----------------------------------------------------------------------------
@dataclass
class _First:
    """Steps of the first program, whose values are the weights and then what steps make.

    Attributes:
        numbers: of constant values in the first program, by those in the whole one.
        behind: bytes of the weights that a value of the first program is made of, by weights.
        left_out: numbers of calls whose results are all constant.
        temporaries: by numbers of calls, values of the first program that are temporaries of
            these; None for those that are needed no more.
    """

    program: Program
    steps: list[Call] = field(default_factory=list)
    types: list[TensorType] = field(default_factory=list)
    codes: dict[str, StageCode] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    behind: list[dict[int, int]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    temporaries: dict[int, dict[int, int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.program
        self._calls = 0
        self._last: tuple[int, ...] = ()
        self._passed_on = frozenset(_passed_on(program.body))
        self._known: dict[object, tuple[int, ...]] = {}  # what equal calls make
        for number, weight in enumerate(program.weights):
            value = program.arguments + number
            type = program.types[value]
            self.numbers[value] = self._new(type, {weight: type.nbytes})

    def _new(self, type: TensorType, behind: dict[int, int]) -> int:
        self.types.append(type)
        self.behind.append(behind)
        return len(self.types) - 1

    def walk(self, block: Block, *, is_branch: bool = False) -> None:
        """Look at all calls of a block, in the order of tables."""
        for step in block.steps:
            if isinstance(step, Call):
                if not is_branch:
                    self._call(step)
                self._calls += 1
            for inner in blocks_of(step):
                self.walk(inner, is_branch=is_branch or isinstance(step, Branches))

    def _call(self, call: Call) -> None:
        code, types = self.program.codes[call.stage], self.program.types
        is_constant = all(value in self.numbers for value in call.arguments)
        # What is passed on to results or loops would be copied there instead of being written.
        if code.is_pure and is_constant and self._passed_on.isdisjoint(call.results):
            results = [types[value] for value in call.results]
            numbers = range(len(call.arguments))
            if self._make(call, numbers, results, code, call.stage, call.stage):
                self.numbers |= zip(call.results, self._last, strict=True)
                self.left_out.add(self._calls)
                return
        self._call_in_part(call, code)

    def _call_in_part(self, call: Call, code: StageCode) -> None:
        """Make temporaries of a call that are made of constants alone."""
        constant = {
            temporary
            for temporary, behind in code.sources.items()
            if all(call.arguments[number] in self.numbers for number in behind)
        }
        if not constant:
            return
        left = [job.context for job in code.jobs if job.makes not in constant]
        kept = sorted(constant & _temporaries_of(code, left))
        if not kept:
            return
        numbers = sorted({number for temporary in constant for number in code.sources[temporary]})
        own = _making(code, numbers, kept, constant)
        name = f"{call.stage} {kept}"
        bytes = ELEMENT_TYPES["ui8"]
        results = [TensorType((code.temporaries[temporary],), bytes) for temporary in kept]
        what = tuple(own.jobs), tuple(own.contexts), tuple(own.temporaries)
        if self._make(call, numbers, results, own, name, what):
            self.temporaries[self._calls] = {
                **dict.fromkeys(constant),
                **dict(zip(kept, self._last, strict=True)),
            }

    def _make(
        self,
        call: Call,
        arguments: Sequence[int],
        results: Sequence[TensorType],
        code: StageCode,
        name: str,
        what: object,
    ) -> bool:
        """Call a stage once, if what it makes may be kept; ``_last`` is what it makes.

        Args:
            arguments: their numbers among those of the call.
            what: is equal where stages make the same of equal arguments.
        """
        values = [self.numbers[call.arguments[number]] for number in arguments]
        offsets = tuple(call.offsets[number] for number in arguments)
        behind = {weight: size for value in values for weight, size in self.behind[value].items()}
        if sum(type.nbytes for type in results) > _SMALL + _TIMES * sum(behind.values()):
            return False
        key = what, offsets, tuple(self._identity(value) for value in values)
        if key not in self._known:
            new = tuple(self._new(type, behind) for type in results)
            self._known[key] = new
            self.codes[name] = code
            self.steps.append(Call(name, tuple(values), new, offsets))
        self._last = self._known[key]
        return True

    def _identity(self, value: int) -> tuple[str, int]:
        """The same for values that are the same constant."""
        weights = self.program.weights
        return ("weight", weights[value]) if value < len(weights) else ("value", value)


def _passed_on(block: Block) -> Iterator[int]:
    """Values that blocks end with, that loops begin with, and that are copied."""
    yield from block.returned
    for step in block.steps:
        if isinstance(step, Copy):
            yield step.source
        elif isinstance(step, Loop):
            yield from step.inputs
        for inner in blocks_of(step):
            yield from _passed_on(inner)


def _temporaries_of(code: StageCode, contexts: Iterable[int]) -> set[int]:
    """Temporaries that contexts tell of, and those that these have."""
    temporaries: set[int] = set()
    for number in contexts:
        places = [word for word in code.contexts[number].words if isinstance(word, Place)]
        temporaries |= {place.number for place in places if place.what == "temporary"}
        inner = [place.number for place in places if place.what == "context"]
        temporaries |= _temporaries_of(code, inner)
    return temporaries


def _making(
    code: StageCode, arguments: Sequence[int], kept: Sequence[int], constant: Collection[int]
) -> StageCode:
    """The part of a stage's code that makes temporaries, of some of its arguments.

    Args:
        kept: the temporaries that are its results.
        constant: all that it makes.
    """

    passing = sorted(set(constant) - set(kept))

    def moved(word: Word) -> Word:
        if not isinstance(word, Place):
            return word
        if word.what == "argument" and word.number in arguments:
            return replace(word, number=arguments.index(word.number))
        if word.what == "temporary" and word.number in kept:
            return Place("result", kept.index(word.number), word.offset)
        if word.what == "temporary" and word.number in passing:
            return replace(word, number=passing.index(word.number))
        return 0

    own = [job for job in code.jobs if job.makes in constant]
    used = sorted({job.context for job in own})
    return StageCode(
        jobs=[replace(job, context=used.index(job.context), makes=None) for job in own],
        contexts=[Context(tuple(map(moved, code.contexts[number].words))) for number in used],
        temporaries=[code.temporaries[number] for number in passing],
    )


# --- what is left ---------------------------------------------------------------------------------
class _Rest:
    """Makes the steps of the second program.

    Attributes:
        used: values of the first program that it reads, but for weights; in the order in which
            they follow its constants.
    """

    def __init__(self, program: Program, first: _First) -> None:
        self._program, self._first = program, first
        self._inputs = program_inputs(program)
        self.used: dict[int, int] = {}  # their places
        self._more = self._calls = 0

    def body(self) -> Block:
        """The whole of it."""
        self._block(self._program.body)  # finds what is read
        self._more, self._calls = len(self.used), 0
        return self._block(self._program.body)

    def _block(self, block: Block) -> Block:
        steps = [self._step(step) for step in block.steps]
        return Block(tuple(s for s in steps if s is not None), self._values(block.returned))

    def _step(self, step: Step) -> Step | None:
        if isinstance(step, Call):
            return self._call(step)
        if isinstance(step, Copy):
            return Copy(self._value(step.source), self._value(step.result))
        if isinstance(step, Loop):
            inputs, carried = self._values(step.inputs), self._values(step.carried)
            condition, body = self._block(step.condition), self._block(step.body)
            return Loop(inputs, carried, condition, body, step.rounds)
        blocks = tuple(map(self._block, step.blocks))
        if isinstance(step, Together):
            return Together(blocks)
        return Branches(self._value(step.index), blocks, self._values(step.results))

    def _call(self, call: Call) -> Call | None:
        number, self._calls = self._calls, self._calls + 1
        if number in self._first.left_out:
            return None
        kept = {
            temporary: None if value is None else self._kept(value)
            for temporary, value in self._first.temporaries.get(number, {}).items()
        }
        arguments, results = self._values(call.arguments), self._values(call.results)
        return replace(call, arguments=arguments, results=results, kept=kept)

    def _values(self, values: Sequence[int]) -> tuple[int, ...]:
        return tuple(map(self._value, values))

    def _value(self, value: int) -> int:
        if value < self._inputs:
            return value
        number = self._first.numbers.get(value)
        return value + self._more if number is None else self._kept(number)

    def _kept(self, number: int) -> int:
        """The number of a value that the first program makes."""
        return self._inputs + self.used.setdefault(number, len(self.used))
