"""The table of one call at a time: rows for native code, contexts, and the memory they point to."""

from __future__ import annotations

import ctypes
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shlo_tools.codegen.jobs import ENTRY_POINT, Formula, StageCode
from shlo_tools.codegen.jobs import Place as CodePlace
from shlo_tools.codegen.library import copying, sharing, together
from shlo_tools.codegen.library import jobs as layout
from shlo_tools.cpu import memory
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages.places import Places, Spot
from shlo_tools.cpu.stages.program import (
    Again,
    Block,
    Branches,
    Call,
    Copy,
    Loop,
    Program,
    Together,
)
from shlo_tools.dtypes import Array


@dataclass(frozen=True)
class Planned:
    """What all tables of a program share.

    Attributes:
        addresses: of functions that are the program's own, and of those of other libraries.
        constants: by their numbers in the table of weights.
    """

    program: Program
    places: Places
    addresses: Mapping[str, int]
    constants: Sequence[Array]


@dataclass(frozen=True)
class Origin:
    """What a row is there for.

    Attributes:
        function: that it runs; '' where it says where to go on.
        call: the number of the call of a stage that it is part of; -1 for a copy of a value that
            control flow passes on.
        bytes: that a copy reads and writes.
    """

    function: str = ""
    call: int = -1
    bytes: int = 0


_JUMP = Origin()
_LINE = 8  # words of a line of caches: those that a thread writes stay away from others'


@dataclass(frozen=True)
class Patch:
    """A word of the contexts for the address of an argument or a result of the program.

    Attributes:
        number: of the argument, or that of the result counted down from -1.
        offset: added to the address.
    """

    word: int
    number: int
    offset: int


class Rows(ABC):
    """The rows of a program and the words of its contexts, wherever its memory will lie.

    Attributes:
        program, places: what runs, and where its values are.
        words: of the contexts.
        patches: of those what to write there for each call.
        inner: pairs of a word, and the one that it is to hold the address of.
        table_words: words that are to hold the address of the rows.
        together: the rows that run blocks at once; one that skips these follows, then they.
        measured: what a row ends with that has not run.
        rows: function, number of the first word of the context, chunks.
        origins: of the rows.
    """

    measured: Sequence[int] = layout.NOTHING_MEASURED

    def __init__(self, program: Program, places: Places) -> None:
        self.program, self.places = program, places
        self.words: list[int] = []
        self.patches: list[Patch] = []
        self.inner: list[tuple[int, int]] = []
        self.table_words: list[int] = []
        self.together: list[int] = []
        self.rows: list[list[int]] = []
        self.origins: list[Origin] = []
        self._calls = 0
        self._temporaries = iter(places.temporaries)  # of the calls to come
        self._block(program.body)

    @abstractmethod
    def _function(self, name: str) -> int:
        """What says in a row that this function is to be run."""

    @abstractmethod
    def _external_word(self, name: str) -> None:
        """A word for the address of a function of another library."""

    @abstractmethod
    def _function_word(self, name: str) -> None:
        """A word for the address of a function of the process library."""

    @abstractmethod
    def _memory_word(self, offset: int) -> None:
        """A word for an address in the program's own memory."""

    @abstractmethod
    def _weight_word(self, weight: int, offset: int) -> None:
        """A word for an address in a constant."""

    # --- rows -------------------------------------------------------------------------------------
    def _row(self, function: int, context: int, chunks: int, origin: Origin = _JUMP) -> int:
        self.rows.append([function, context, chunks])
        self.origins.append(origin)
        return len(self.rows) - 1

    def _block(self, block: Block) -> None:
        for step in block.steps:
            if isinstance(step, Call):
                self._call(step)
            elif isinstance(step, Copy):
                self._copy(step.source, step.result)
            elif isinstance(step, Loop):
                self._loop(step)
            elif isinstance(step, Together):
                self._together(step)
            else:
                self._branches(step)

    def _call(self, call: Call) -> None:
        code = self.program.codes[call.stage]
        contexts = self._stage_contexts(code, call)
        for job in code.jobs:
            if job.fills is not None and self._lies_there(code, call, job.fills):
                continue
            if job.makes is not None and (job.makes in call.kept or job.makes in code.optional):
                continue
            origin = Origin(job.function, self._calls)
            self._row(self._function(job.function), contexts[job.context], job.chunks, origin)
        self._calls += 1

    def _lies_there(self, code: StageCode, call: Call, result: int) -> bool:
        """Whether a result of a call lies where an argument does."""
        shared = self.places.shared
        arguments = (call.arguments[number] for number in code.in_place[result])
        return shared[call.results[result]] in (shared[value] for value in arguments)

    def _copy(self, source: int, result: int) -> None:
        shared = self.places.shared
        size = self.program.types[result].nbytes
        if shared[source] == shared[result] or size == 0:
            return
        context = len(self.words)
        self._value_word(source, 0)
        self._value_word(result, 0)
        self.words.append(size)
        origin = Origin(copying.COPY, bytes=2 * size)
        chunks = copying.job(0, size).chunks
        self._row(self._function(copying.COPY), context, chunks, origin)

    def _loop(self, loop: Loop) -> None:
        for value, carried in zip(loop.inputs, loop.carried, strict=True):
            self._copy(value, carried)
        if loop.rounds is not None:
            self._rounds(loop, loop.rounds)
            return
        start = len(self.rows)
        self._block(loop.condition)
        leave = self._jump(layout.UNLESS, loop.condition.returned[0])
        self._block(loop.body)
        if loop.again is None:
            self._become(loop, loop.body.returned)
            self._row(layout.ALWAYS, 0, start)
        else:
            self._block(loop.again.condition)
            other = self._jump(layout.UNLESS, loop.again.condition.returned[0])
            self._second_round(loop, loop.again)
            self._row(layout.ALWAYS, 0, start)
            self.rows[other][2] = len(self.rows)
            self._end(loop, loop.again)
        self.rows[leave][2] = len(self.rows)

    def _rounds(self, loop: Loop, rounds: int) -> None:
        """A loop of so many rounds; what is left of them is a word of the contexts."""
        word = len(self.words)
        self.words.append(0)
        self._row(layout.SET, word, rounds)
        start = len(self.rows)
        self._block(loop.body)
        if loop.again is None:
            self._become(loop, loop.body.returned)
            self._row(layout.AGAIN, word, start)
            return
        other = self._row(layout.AGAIN, word, 0)
        self._end(loop, loop.again)
        leave = self._row(layout.ALWAYS, 0, 0)
        self.rows[other][2] = len(self.rows)
        self._second_round(loop, loop.again)
        self._row(layout.AGAIN, word, start)
        self.rows[leave][2] = len(self.rows)

    def _second_round(self, loop: Loop, again: Again) -> None:
        self._block(again.body)
        self._become(loop, again.body.returned)

    def _end(self, loop: Loop, again: Again) -> None:
        self._block(again.end)
        self._become(loop, again.end.returned)

    def _become(self, loop: Loop, values: Sequence[int]) -> None:
        """Write what a round has made to where carried values lie."""
        for value, carried in zip(values, loop.carried, strict=True):
            self._copy(value, carried)

    def _branches(self, step: Branches) -> None:
        leaves: list[int] = []
        is_case = self.program.types[step.index].element_type.bits == 32
        for number, block in enumerate(step.blocks):
            is_last = number == len(step.blocks) - 1
            skip = -1
            if not is_last:
                skip = self._jump(layout.UNEQUAL if is_case else layout.UNLESS, step.index)
            self._block(block)
            for value, result in zip(block.returned, step.results, strict=True):
                self._copy(value, result)
            if not is_last:
                leaves.append(self._row(layout.ALWAYS, 0, 0))
                self.rows[skip][2] = len(self.rows) | number << layout.TARGET_BITS
        for leave in leaves:
            self.rows[leave][2] = len(self.rows)

    def _together(self, step: Together) -> None:
        context, count = len(self.words), len(step.blocks)
        self.words += [0] * len(together.CONTEXT)
        self.table_words.append(context + together.CONTEXT.index("table"))
        self._function_word(together.BLOCK)
        self.inner.append((len(self.words), context))
        self.words += [0, count, *self.measured, *[0] * (count * together.RECORD)]
        self.together.append(self._row(self._function(together.TOGETHER), context, ENTRY_POINT))
        leave = self._row(layout.ALWAYS, 0, 0)
        for number, block in enumerate(step.blocks):
            word = context + together.range_word(number)
            self.words[word] = len(self.rows)
            self.words += [0] * _LINE
            self._block(block)
            self.words[word + 1] = len(self.rows)
        self.words += [0] * _LINE
        self.rows[leave][2] = len(self.rows)

    def _jump(self, kind: int, value: int) -> int:
        """A row that goes on elsewhere, depending on a value; its number."""
        context = len(self.words)
        self._value_word(value, 0)
        return self._row(kind, context, 0)

    # --- contexts ---------------------------------------------------------------------------------
    def _stage_contexts(self, code: StageCode, call: Call) -> list[int]:
        """Write a stage's contexts; where each begins."""
        starts: list[int] = []
        temporaries = next(self._temporaries)
        for context in code.contexts:
            starts.append(len(self.words))
            for word in context.words:
                if isinstance(word, CodePlace):
                    self._place_word(word, call, temporaries, starts)
                elif isinstance(word, Formula):
                    raise RuntimeError(f"{word.text} is not known yet")
                elif isinstance(word, str):
                    self._external_word(word)
                else:
                    self.words.append(word)
        return starts

    def _place_word(
        self, place: CodePlace, call: Call, temporaries: Sequence[Spot | None], starts: list[int]
    ) -> None:
        if place.what == "argument":
            offset = call.offsets[place.number] + place.offset
            self._value_word(call.arguments[place.number], offset)
        elif place.what == "result":
            self._value_word(call.results[place.number], place.offset)
        elif place.what == "temporary":
            self._temporary_word(place, call, temporaries[place.number])
        else:
            self.inner.append((len(self.words), starts[place.number]))
            self.words.append(0)

    def _temporary_word(self, place: CodePlace, call: Call, spot: Spot | None) -> None:
        kept = call.kept.get(place.number)
        if kept is not None:
            self._value_word(kept, place.offset)
        elif spot is None:
            self.words.append(0)
        else:
            self._spot_word(spot, place.offset)

    def _value_word(self, value: int, offset: int) -> None:
        """A word for the address of a value."""
        program, places = self.program, self.places
        first = places.shared[value]
        if first in places.spots:
            self._spot_word(places.spots[first], offset)
        elif value < program.arguments:
            self._patched_word(value, offset)
        else:
            self._weight_word(program.weights[value - program.arguments], offset)

    def _spot_word(self, spot: Spot, offset: int) -> None:
        if spot.number is None:
            self._memory_word(spot.offset + offset)
        else:
            self._patched_word(spot.number, spot.offset + offset)

    def _patched_word(self, number: int, offset: int) -> None:
        self.patches.append(Patch(len(self.words), number, offset))
        self.words.append(offset)


class Table(Rows):
    """Rows and contexts of one call at a time, in memory of this process.

    Attributes:
        memory: where values lie that are neither arguments nor results.
        start: the address of the contexts' words.
        address: that of the table, which has ``len(rows)`` rows.
    """

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self.memory = memory.aligned_bytes(planned.places.size)
        self._memory_start: int = self.memory.ctypes.data
        # Tests have threads share all that they may: short programs as well.
        if os.environ.get("SHLO_SHARE_ALL"):
            self.measured = sharing.ALWAYS
        super().__init__(planned.program, planned.places)
        self._words = (ctypes.c_int64 * max(1, len(self.words)))(*self.words)
        self.start = ctypes.addressof(self._words)
        for word, inner in self.inner:
            self._words[word] = self.start + 8 * inner
        flat = [
            number
            for function, context, chunks in self.rows
            for number in (function, self.start + 8 * context, chunks, *self.measured)
        ]
        self._table = (ctypes.c_int64 * max(1, len(flat)))(*flat)
        self.address = ctypes.addressof(self._table)
        for word in self.table_words:
            self._words[word] = self.address

    def copied(self) -> list[list[int]]:
        """The rows as they are run."""
        words = list(self._table)[: layout.ROW * len(self.rows)]
        return [words[start : start + layout.ROW] for start in range(0, len(words), layout.ROW)]

    def _function(self, name: str) -> int:
        known = self._planned.addresses.get(name)
        return parts.address(name) if known is None else known

    def _external_word(self, name: str) -> None:
        self.words.append(self._planned.addresses[name])

    def _function_word(self, name: str) -> None:
        self.words.append(self._function(name))

    def _memory_word(self, offset: int) -> None:
        self.words.append(self._memory_start + offset)

    def _weight_word(self, weight: int, offset: int) -> None:
        self.words.append(offset + self._planned.constants[weight].ctypes.data)
