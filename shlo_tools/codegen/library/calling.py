"""Calling what no kernel computes: the host, and functions of other libraries.

``shlo_rt_call_host(frame, context)`` runs as an entry point does, on the calling thread: the
context holds the number of a host call, and then its table.

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
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

CALL_HOST = "shlo_rt_call_host"
ROUTINES = "shlo_rt_routine_"  # how jobs' names begin
_TYPES = {"i": I32, "f": F32, "d": F64}

# An argument: its letter, and its words: the address of the first matrix and the bytes from one to
# the next, or the bits of a number.
Argument = tuple[str, Sequence[Word]]


def functions() -> list[Function]:
    """``shlo_rt_call_host``; an exception stays in the frame."""
    f = Function(CALL_HOST, [POINTER, POINTER])
    frame, context = f.arguments
    callbacks = f.load(frame.at(layout.offset("callbacks")), POINTER)
    host = f.load(callbacks.at(8 * layout.CALLBACKS.index("host")), POINTER)
    f.call_address(host, [frame, f.load(context, I64), context.at(8)], I64)
    return [f]


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
