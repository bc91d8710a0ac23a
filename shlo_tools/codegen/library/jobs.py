"""Running a table of jobs.

A row is ``pool.ROW``: function, context, chunks, and what its runs took. Where the first is one of
a few small numbers, the row says where to go on instead: the third word holds the number of a row,
and the context's first word is the address of what decides, or what is left of a loop's rounds.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I8, I32, I64, POINTER, Function, Value
from shlo_tools.codegen.jobs import ENTRY_POINT
from shlo_tools.codegen.library import pool
from shlo_tools.codegen.library.pool import poll
from shlo_tools.codegen.library.sharing import PARALLEL

RUN = "shlo_rt_run"
ROW = len(pool.ROW)
NOTHING_MEASURED = (0,) * len(pool.MEASURED)  # what a row ends with that has not run
TARGET_BITS = 32  # of the third word; those above hold the number to compare with

# Kinds of rows that are no jobs.
ALWAYS = 1
UNLESS = 2  # go on there where the i1 is false
UNEQUAL = 3  # where the i32 is another number
SET = 4  # write the third word to the context, and go on behind this row
AGAIN = 5  # one less in the context: go on there unless nothing is left
KINDS = 6


def functions() -> list[Function]:
    """``shlo_rt_run(frame, table, rows) -> i64``: nonzero where it was stopped."""
    f = Function(RUN, [POINTER, POINTER, I64], I64)
    frame, table, rows = f.arguments

    _, stopped = f.while_(
        lambda number, stopped: (number < rows) & (stopped == 0),
        lambda number, _: step(f, frame, table, number),
        [f.constant(0), f.constant(0)],
    )
    f.result = stopped
    return [f]


def step(f: Function, frame: Value, table: Value, number: Value) -> list[Value]:
    """Run a row: the number of the next one, and whether the call is to be stopped."""
    words = table.at(number * ROW, I64)
    kind, context, chunks = (
        f.load(words.at(k, I64), type) for k, type in enumerate((I64, POINTER, I64))
    )

    def job() -> list[Value]:
        return [number + 1, _run(f, frame, words, context, chunks)]

    return f.if_(
        kind < KINDS, lambda: [_next(f, number, kind, context, chunks), poll(f, frame)], job
    )


def _run(f: Function, frame: Value, row: Value, context: Value, chunks: Value) -> Value:
    """Run a job, or call an entry point, whose failing checks stop the program."""

    def enter() -> Value:
        f.run_address(pool.row_word(f, row, "function"), [frame, context])
        return f.load(frame.at(layout.offset("status")), I64)

    def share() -> Value:
        return f.call(PARALLEL, [frame, row], I64)

    def others() -> Value:
        return f.if_(chunks == ENTRY_POINT, enter, share)[0]

    return f.if_(chunks == 1, lambda: pool.run_chunk(f, frame, row, f.constant(0)), others)[0]


def _next(f: Function, number: Value, kind: Value, context: Value, target: Value) -> Value:
    """The row behind one that is no job."""
    there = target & ((1 << TARGET_BITS) - 1)

    def again() -> Value:
        left = f.load(context, I64) - 1
        f.store(left, context)
        return f.select(left > 0, there, number + 1)

    def set_rounds() -> Value:
        f.store(target, context)
        return number + 1

    def look() -> Value:
        address = f.load(context, POINTER)

        def is_unequal() -> Value:
            index = f.load(address, I32).to("sext", "i64")
            return index != target >> TARGET_BITS

        (goes,) = f.if_(kind == UNEQUAL, is_unequal, lambda: f.load(address, I8) == 0)
        return f.select(goes, there, number + 1)

    def others() -> Value:
        return f.if_(kind == SET, set_rounds, look)[0]

    def counted() -> Value:
        return f.if_(kind == AGAIN, again, others)[0]

    return f.if_(kind == ALWAYS, lambda: there, counted)[0]
