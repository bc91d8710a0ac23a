"""Contexts and programs in memory: what the runtime of objects and its callers agree on.

A context begins with the call frame (``codegen.frame``), then ``CONTEXT`` follows. A program is
``PROGRAM``: constants, of which a call's memory gets a copy whose addresses are written.
"""

from __future__ import annotations

from shlo_tools.codegen import frame
from shlo_tools.codegen.function import I64, Function, Type, Value

OPEN, CLOSE = "shlo_rt_open", "shlo_rt_close"
WORKSPACE, CANCEL = "shlo_rt_workspace", "shlo_rt_cancel"
CALL = "shlo_rt_call"
PUBLIC = (OPEN, CLOSE, WORKSPACE, CANCEL, CALL)
ASSERT = "shlo_rt_assert"  # the function of assertions

# What calls return; call frames have the numbers down to -15 for themselves.
STATUS = {
    "ok": 0,
    "cancelled": frame.STATUS["cancelled"],
    "host": frame.STATUS["host"],
    "memory": -16,
    "argument": -17,
    "assertion": -18,
}

# Words of a program. Lists are addresses; each has a number of entries in front.
PROGRAM = (
    "frame_version",
    "runtime",  # the address of what only the runtime of this frame and target has
    "calls",  # of each call of the host: a C function, what it is told of the call, its results
    "bytes",  # of a call's memory, which begins at a multiple of ALIGNMENT
    "contexts",  # where these begin in it; rows lie in front
    "scratch",
    "temporaries",
    "row_count",
    "rows",
    "word_count",
    "words",
    "inner_count",
    "inner",  # pairs: a word, and the one that it holds the address of
    "own_count",
    "own",  # pairs: a word, and the byte of the temporaries that it holds the address of
    "patch_count",
    "patches",  # a word; the number of an argument, or a result's counted down from -1; an offset
    "argument_count",
    "arguments",  # of each argument what its address has to be a multiple of, less one
    "result_count",
    "results",  # the same of results
)
ALIGNMENT = 64
ANYWHERE = -1  # in place of what an address has to be a multiple of: there is nothing to read

CALL_WORDS = 3  # of each call of the host

# Words of a context, behind the frame.
CONTEXT = (
    "poll",  # the table of callbacks
    "host",
    "calls",  # those of the program
    "program",  # whose rows are in memory
    "memory",
    "bytes",
    "block",  # what was allocated, the memory being in it; null where the caller owns it
    "is_lent",
    "workers",  # tables of the pool's threads
)


def program_word(f: Function, program: Value, name: str, type: Type = I64) -> Value:
    """A word of a program."""
    return f.load(program.at(8 * PROGRAM.index(name)), type)


def context_word(context: Value, name: str) -> Value:
    """The address of a context's word."""
    return context.at(frame.SIZE + 8 * CONTEXT.index(name))


def frame_word(context: Value, name: str) -> Value:
    """The address of a word of its frame."""
    return context.at(frame.offset(name))


def null(f: Function) -> Value:
    """The address of nothing."""
    return f.constant(0).to("inttoptr", "ptr")


def is_null(pointer: Value) -> Value:
    """Whether an address is that of nothing."""
    return pointer.to("ptrtoint", "i64") == 0


def aligned(pointer: Value) -> Value:
    """The next address where memory of calls may begin."""
    number = pointer.to("ptrtoint", "i64") + (ALIGNMENT - 1)
    return (number & -ALIGNMENT).to("inttoptr", "ptr")
