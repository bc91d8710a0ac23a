"""Calling what no kernel computes: the host, and functions of other libraries.

``shlo_rt_call_host(frame, context)`` runs as an entry point does, on the calling thread: the
context holds the number of a host call, and then its table. ``shlo_rt_share_host(frame, context)``
does so for a call of one operand and one result, by parts that threads of the pool take: only for
functions of our own, which call no program. Parts are alike, so the last two may overlap.

``shlo_rt_routine_<types>(context, chunk, scratch)`` is a job that calls a C function once for each
matrix of a batch. Types are letters: that of the status that it returns (``v`` for none, ``i``)
and then those of its arguments (``i``, ``f``, ``d``, and ``p`` for the address of a matrix). Code
for one list of types serves all functions that have it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import F32, F64, I32, I64, POINTER, Function, Value
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library.pool import JOB, PARALLEL
from shlo_tools.codegen.target import Target

CALL_HOST, SHARE_HOST = "shlo_rt_call_host", "shlo_rt_share_host"
# The context of a shared call. Bytes: from the first part to the next ones, and to the last one.
_SHARED = (
    *("frame", "number", "parts", "result", "result_step", "result_last"),
    *("operand", "operand_step", "operand_last"),
)
ROUTINES = "shlo_rt_routine_"  # how jobs' names begin
_TYPES = {"i": I32, "f": F32, "d": F64}

# An argument: its letter, and its words: the address of the first matrix and the bytes from one to
# the next, or the bits of a number.
Argument = tuple[str, Sequence[Word]]


def functions() -> list[Function]:
    """``shlo_rt_call_host`` and ``shlo_rt_share_host``; an exception stays in the frame."""
    f = Function(CALL_HOST, [POINTER, POINTER])
    frame, context = f.arguments
    _call_host(f, frame, f.load(context, I64), context.at(8))
    return [f, _part(), _share()]


def _call_host(f: Function, frame: Value, number: Value, table: Value) -> None:
    callbacks = f.load(frame.at(layout.offset("callbacks")), POINTER)
    host = f.load(callbacks.at(8 * layout.CALLBACKS.index("host")), POINTER)
    f.call_address(host, [frame, number, table], I64)


def _shared_word(context: Value, name: str) -> Value:
    return context.at(8 * _SHARED.index(name))


def _part() -> Function:
    """A job: one part, unless another one failed."""
    f = Function("call_host_part", JOB, exported=False)
    context, chunk, table = f.arguments
    frame = f.load(_shared_word(context, "frame"), POINTER)

    def call() -> None:
        for place, name in enumerate(("result", "operand")):
            first = f.load(_shared_word(context, name), POINTER)
            step = f.load(_shared_word(context, f"{name}_step"), I64)
            last = f.load(_shared_word(context, f"{name}_last"), I64)
            f.store(first.at(f.minimum(step * chunk, last)), table.at(8 * place))
        _call_host(f, frame, f.load(_shared_word(context, "number"), I64), table)

    f.if_(f.load(frame.at(layout.offset("status")), I64) == 0, call)
    return f


def _share() -> Function:
    f = Function(SHARE_HOST, [POINTER, POINTER])
    frame, context = f.arguments
    f.store(frame, _shared_word(context, "frame"))
    parts = f.load(_shared_word(context, "parts"), I64)
    f.call(PARALLEL, [frame, f.address_of("call_host_part"), context, parts], I64)
    return f


def shared_words(
    number: int, parts: int, result: tuple[Place, int, int], operand: tuple[Place, int, int]
) -> tuple[Word, ...]:
    """The words of a shared call; results and operands with the bytes to the next and last part."""
    return (0, number, parts, *result, *operand)


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

    def word(type: str) -> Value:
        return f.load(context.at(8 * next(places)), POINTER if type == "p" else _TYPES[type])

    def argument(type: str) -> Value:
        first = word(type)
        if type != "p":
            return first
        step = f.load(context.at(8 * next(places)), I64)
        return first.at(step * chunk)

    function = word("p")
    if status == "v":
        f.run_address(function, [argument(type) for type in types])
    else:
        statuses = word("p")
        returned = f.call_address(function, [argument(type) for type in types], I32)
        f.store(returned, statuses.at(chunk, I32))
    return [f]
