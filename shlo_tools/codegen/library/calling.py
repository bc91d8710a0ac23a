"""Calling what no kernel computes: the host, and functions of other libraries.

``shlo_rt_call_host(frame, context)`` runs as an entry point does, on the calling thread: the
context holds the number of a host call, and then its table.

``shlo_rt_routine_<types>(context, chunk, scratch)`` is a job that calls a C function once for each
matrix of a batch. Types are letters: that of the status that it returns (``v`` for none, ``i``)
and then those of its arguments (``i``, ``f``, ``d``; ``c`` and ``z`` for the address of a complex
number of f32 and f64; ``p`` for that of a matrix; ``n`` for none). Code for one list of types
serves all functions that have it. Capital letters are no arguments: a matrix of letter ``C`` is
copied from another one before the call; where one of letter ``F`` or ``D`` (of f32, f64) is not
finite, it is set to 0 before the call, and the status is another; one of letter ``Z`` is set to 0
behind it; vectors of letter ``U`` or ``V`` (of f32, f64) become complex there, see ``_unpack``.

``shlo_rt_transform(context, chunk, scratch)`` is a job that calls a loop of a numpy ufunc that
makes rows of rows (``extend.fourier_loops``) for some of them, see ``transform_words``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import F32, F64, I32, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

CALL_HOST = "shlo_rt_call_host"
TRANSFORM = "shlo_rt_transform"
ROUTINES = "shlo_rt_routine_"  # how jobs' names begin
_TYPES = {"i": I32, "f": F32, "d": F64}

_BY_REFERENCE = {"c": 1, "z": 2}  # words of a number
_CHECKED = {"F": F32, "D": F64}
_UNPACKED = {"U": F32, "V": F64}

# An argument: its letter, and its words: the address of the first matrix and the bytes from one to
# the next, or the bits of a number, two words of ``z``. Behind those of a matrix that must be
# finite: how many floats it has, and the status where they are not; behind those of one that is
# copied, the other one's and its bytes; behind those of one that is set to 0, words of 32 bits;
# behind those of vectors, their size, and where the imaginary parts of values are.
Argument = tuple[str, Sequence[Word]]


@dataclass(frozen=True)
class Axis:
    """Rows of an operand of a transform; steps are bytes.

    Attributes:
        size: elements of a row.
        step: from one to the next.
        row: from a row to the next.
        block: from a block of rows to the next.
    """

    size: int
    step: int
    row: int
    block: int


def functions() -> list[Function]:
    """``shlo_rt_call_host`` and ``shlo_rt_transform``."""
    return [_call_host(), _transform()]


def _call_host() -> Function:
    """An exception stays in the frame."""
    f = Function(CALL_HOST, [POINTER, POINTER])
    frame, context = f.arguments
    callbacks = f.load(frame.at(layout.offset("callbacks")), POINTER)
    host = f.load(callbacks.at(8 * layout.CALLBACKS.index("host")), POINTER)
    f.call_address(host, [frame, f.load(context, I64), context.at(8)], I64)
    return f


def transform_words(
    names: Sequence[Word],
    places: Sequence[Word],
    factor: int,
    axes: Sequence[Axis],
    rows: int,
    together: int,
) -> tuple[Word, ...]:
    """The words of a transform's context.

    Args:
        names: of the loop and its data.
        places: of the operand and the result.
        factor: bits of the number that results are multiplied by.
        axes: those of operand and result.
        rows: of a block.
        together: rows of a chunk.
    """
    pairs = zip(*((axis.block, axis.row, axis.size, axis.step) for axis in axes), strict=True)
    steps = [number for pair in pairs for number in pair]
    return (*names, *places, factor, rows, together, -(-rows // together), *steps)


def _transform() -> Function:
    """Pointers, sizes and steps are laid out in scratch memory."""
    f = Function(TRANSFORM, JOB)
    context, chunk, scratch = f.arguments
    loop, data, source, target = (f.load(context.at(8 * k), POINTER) for k in range(4))
    rows, together, parts, *numbers = (f.load(context.at(8 * k), I64) for k in range(5, 16))
    (source_block, target_block, source_row, target_row, *sizes_and_steps) = numbers
    block = chunk // parts
    first = (chunk - block * parts) * together
    starts = [
        source.at(block * source_block + first * source_row),
        context.at(8 * 4),
        target.at(block * target_block + first * target_row),
    ]
    sizes = [f.minimum(rows - first, together), *sizes_and_steps[:2]]
    steps = [source_row, f.constant(0), target_row, *sizes_and_steps[2:]]
    for place, word in enumerate([*starts, *sizes, *steps]):
        f.store(word, scratch.at(8 * place))
    f.run_address(loop, [scratch, scratch.at(8 * 3), scratch.at(8 * 6), data])
    return f


def routine_name(arguments: Sequence[Argument], *, gives_status: bool) -> str:
    """The job that calls a function of such arguments."""
    return ROUTINES + ("i" if gives_status else "v") + "".join(type for type, _ in arguments)


def routine_words(
    function: str, arguments: Sequence[Argument], status: Word | None
) -> tuple[Word, ...]:
    """The words of its context; ``status`` is where those of the batch go."""
    words = [word for _, words in arguments for word in words]
    return (function, *([] if status is None else [status]), *words)


def routines(_: Target, name: str) -> list[Function]:
    """The job for types that follow in its name."""
    status, types = name[0], name[1:]
    f = Function(ROUTINES + name, JOB)
    context, chunk, _scratch = f.arguments
    places = itertools.count()

    def word(type: Type) -> Value:
        return f.load(context.at(8 * next(places)), type)

    def matrix() -> Value:
        first = word(POINTER)
        return first.at(word(I64) * chunk)

    function = word(POINTER)
    statuses = None if status == "v" else word(POINTER)
    arguments, cleared, unpacked, checked = [], [], [], None
    for type in types:
        if type in _BY_REFERENCE:
            numbers = list(itertools.islice(places, _BY_REFERENCE[type]))
            arguments.append(context.at(8 * numbers[0]))
        elif type in _CHECKED:
            checked = _is_finite(f, _CHECKED[type], matrix(), word(I64)), word(I32)
        elif type == "C":
            f.copy(matrix(), matrix(), word(I64))
        elif type in _UNPACKED:
            unpacked.append((_UNPACKED[type], matrix(), word(I64), matrix()))
        elif type == "Z":
            cleared.append((matrix(), word(I64)))
        elif type == "n":
            arguments.append(f.constant(0, I64).to("inttoptr", "ptr"))
        else:
            arguments.append(matrix() if type == "p" else word(_TYPES[type]))
    if statuses is None:
        f.run_address(function, arguments)
    else:
        returned = f.call_address(function, arguments, I32)
        if checked is not None:
            is_finite, otherwise = checked
            returned = f.select(is_finite, returned, otherwise)
        f.store(returned, statuses.at(chunk, I32))
    for vectors in unpacked:
        _unpack(f, *vectors)
    for start, count in cleared:
        _clear(f, I32, start, count)
    return [f]


def _unpack(f: Function, element: Type, start: Value, size: Value, imaginary: Value) -> None:
    """Eigenvectors in columns: those of a conjugate pair are real and imaginary part of the first.

    In place, from the last element on; complex numbers need twice the room.
    """
    last = size * size - 1
    zero = f.constant(0.0, element)

    def one(number: Value) -> None:
        place = last - number
        part = f.load(imaginary.at(place % size, element), element)
        before, own, behind = (
            f.load(start.at(at, element), element)
            for at in (f.maximum(place - 1, 0), place, f.minimum(place + 1, last))
        )
        is_first, is_second = part.compare("ogt", zero), part.compare("olt", zero)
        numbers = [
            f.select(is_second, before, own),
            f.select(is_first, behind, f.select(is_second, zero - own, zero)),
        ]
        for half, value in enumerate(numbers):
            f.store(value, start.at(place * 2 + half, element))

    f.loop(0, last + 1, 1, one)


def _is_finite(f: Function, element: Type, start: Value, count: Value) -> Value:
    """Whether that many floats are; they are 0 behind this if not."""
    zero = f.constant(0.0, element)

    def differences(place: Value, total: Value) -> Value:
        number = f.load(start.at(place, element), element)
        return total + (number - number)

    (total,) = f.loop(f.constant(0), count, 1, differences, [zero])
    is_finite = total.compare("oeq", zero)
    end = f.select(is_finite, f.constant(0), count)
    _clear(f, element, start, end)
    return is_finite


def _clear(f: Function, element: Type, start: Value, end: Value) -> None:
    """Set elements to 0."""
    zero = f.zero(element)
    f.loop(f.constant(0), end, 1, lambda place: f.store(zero, start.at(place, element)))
