"""A program as constants of an object: rows and contexts, whose addresses calls write.

Words are what ``cpu.stages.table`` has in memory of a process. Here the linker writes the addresses
of functions and constants, and ``shlo_rt_call`` those of a call's memory, arguments and results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shlo_tools.aot import layout, relocatable
from shlo_tools.aot.relocatable import Relocatable
from shlo_tools.codegen import frame
from shlo_tools.codegen.library import jobs
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.cpu.stages.alternating import placed
from shlo_tools.cpu.stages.program import Block, Copy, Program, program_inputs
from shlo_tools.cpu.stages.table import Rows
from shlo_tools.dtypes import TensorType


class _Words(Rows):
    """Rows and words; what are addresses stand beside them.

    Attributes:
        functions: of rows, by what rows say.
        external: words that are addresses of functions or constants, and what is added to those.
        own: pairs of a word and a byte of the temporaries, which others lie in front of.
        weights: the numbers of the constants that are read.
    """

    def __init__(self, program: Program, weight_names: Sequence[str]) -> None:
        self.functions: list[str] = []
        self.external: dict[int, tuple[str, int]] = {}
        self.own: list[tuple[int, int]] = []
        self.weights: set[int] = set()
        self._weight_names = weight_names
        super().__init__(*placed(program))

    def _function(self, name: str) -> int:
        self.functions.append(name)  # positive numbers are kinds of rows that are no jobs
        return -len(self.functions)

    def _external_word(self, name: str) -> None:
        self.external[len(self.words)] = name, 0
        self.words.append(0)

    def _function_word(self, name: str) -> None:
        self.functions.append(name)
        self._external_word(name)

    def _memory_word(self, offset: int) -> None:
        self.own.append((len(self.words), offset))
        self.words.append(0)

    def _weight_word(self, weight: int, offset: int) -> None:
        self.weights.add(weight)
        self.external[len(self.words)] = self._weight_names[weight], offset
        self.words.append(0)


@dataclass(frozen=True)
class Image:
    """A program as an object.

    Attributes:
        code: without machine code.
        functions: that rows run.
        weights: the numbers of the constants that it reads.
        bytes: of a call's memory.
    """

    code: Relocatable
    functions: tuple[str, ...]
    weights: tuple[int, ...]
    bytes: int


def of_program(
    program: Program,
    name: str,
    *,
    weight_names: Sequence[str],
    runtime_mark: str,
    calls: str = "",
) -> Image:
    """The constants that make a program.

    Args:
        name: what the program's symbols begin with; its own is ``NAME.program``.
        weight_names: the symbols of constants, by their numbers in the table of weights.
        runtime_mark: the symbol that a runtime for this code defines.
        calls: the symbol of what ``custom_calls.of_program`` has made, if anything.
    """
    program = with_own_results(program)
    words = _Words(program, weight_names)
    sizes, size = _memory(words)
    words.own += [(word, -sizes["temporaries"]) for word in words.table_words]  # rows lie in front
    patches = [number for p in words.patches for number in (p.word, p.number, p.offset)]
    own = [number for pair in words.own for number in pair]
    inner = [number for pair in words.inner for number in pair]
    rows, row_functions = _rows(words)
    inputs, results = (
        [_mask(program.types[value]) for value in values]
        for values in (range(program.arguments), program.body.returned)
    )
    lists: dict[str, tuple[Sequence[int], Mapping[int, tuple[str, int]], int]] = {
        "rows": (rows, row_functions, len(words.rows)),
        "words": (words.words, words.external, len(words.words)),
        "inner": (inner, {}, len(words.inner)),
        "own": (own, {}, len(words.own)),
        "patches": (patches, {}, len(words.patches)),
        "arguments": (inputs, {}, len(inputs)),
        "results": (results, {}, len(results)),
    }
    known = {
        **sizes,
        "frame_version": frame.VERSION,
        **{_count(key): count for key, (_, _, count) in lists.items()},
    }
    addresses = {key: f"{name}.{key}" for key in lists} | {"runtime": runtime_mark}
    if calls:
        addresses["calls"] = calls
    parts = [
        relocatable.table(
            f"{name}.program",
            [known.get(field, 0) for field in layout.PROGRAM],
            {layout.PROGRAM.index(key): (symbol, 0) for key, symbol in addresses.items()},
        ),
        *(relocatable.table(f"{name}.{key}", data, at) for key, (data, at, _) in lists.items()),
    ]
    functions = tuple(dict.fromkeys(words.functions))
    return Image(relocatable.join(parts), functions, tuple(sorted(words.weights)), size)


def _count(key: str) -> str:
    return f"{key.removesuffix('es') if key == 'patches' else key.removesuffix('s')}_count"


def _mask(type: TensorType) -> int:
    """What an argument's address has to be a multiple of, less one."""
    return type.element_type.dtype.itemsize - 1 if type.nbytes else layout.ANYWHERE


def _rows(words: _Words) -> tuple[list[int], dict[int, tuple[str, int]]]:
    """Rows as words, and which of these are addresses of functions."""
    numbers: list[int] = []
    functions: dict[int, tuple[str, int]] = {}
    for function, context, chunks in words.rows:
        if function < 0:
            functions[len(numbers)] = words.functions[-function - 1], 0
            function = 0
        numbers += [function, context, chunks, *jobs.NOTHING_MEASURED]
    return numbers, functions


def _memory(words: _Words) -> tuple[dict[str, int], int]:
    """Where things lie in a call's memory, and its bytes."""
    contexts = _aligned(8 * jobs.ROW * len(words.rows))
    scratch = _aligned(contexts + 8 * len(words.words))
    temporaries = scratch + SCRATCH_BYTES
    end = _aligned(temporaries + words.places.size)
    sizes = {"contexts": contexts, "scratch": scratch, "temporaries": temporaries, "bytes": end}
    return sizes, end


def _aligned(size: int) -> int:
    return -(-size // layout.ALIGNMENT) * layout.ALIGNMENT


def with_own_results(program: Program) -> Program:
    """The program with a copy of each result that is an argument, a constant or another result."""
    steps, types = list(program.body.steps), list(program.types)
    returned: list[int] = []
    for value in program.body.returned:
        if value < program_inputs(program) or value in returned:
            steps.append(Copy(value, len(types)))
            types.append(types[value])
            value = len(types) - 1
        returned.append(value)
    if tuple(returned) == program.body.returned:
        return program
    return replace(program, types=tuple(types), body=Block(tuple(steps), tuple(returned)))
