"""Blocks of a table that need nothing of each other, run by threads at once.

``shlo_rt_together(frame, context)`` runs as an entry point does. Its context is ``CONTEXT``, the
row of a job (``pool.ROW``), and a record for each block: the number of its first row, that of the
row behind its last one, and room for a call frame. The job is ``shlo_rt_block``: each chunk walks
the rows of one block with a frame of its own, whose jobs no other threads share. The calling thread
asks whether the call goes on; the others stop where it has been told to.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library import jobs, pool
from shlo_tools.codegen.library.sharing import PARALLEL

TOGETHER, BLOCK = "shlo_rt_together", "shlo_rt_block"

CONTEXT = ("frame", "table", "stopped")
_RANGE = 2  # words of a record in front of the frame
_ROW = 8 * len(CONTEXT)
_RECORDS = _ROW + 8 * len(pool.ROW)
RECORD = _RANGE + len(layout.FIELDS)  # words of a record


def functions() -> list[Function]:
    """``shlo_rt_together`` and ``shlo_rt_block``."""
    return [_together(), _block()]


def range_word(block: int) -> int:
    """Which word of the context holds the first row of a block; the one behind its last follows."""
    return _RECORDS // 8 + block * RECORD


def _word(context: Value, name: str) -> Value:
    return context.at(8 * CONTEXT.index(name))


def _together() -> Function:
    f = Function(TOGETHER, [POINTER, POINTER])
    frame, context = f.arguments
    f.store(frame, _word(context, "frame"))
    f.store_atomic(0, _word(context, "stopped"))
    f.call(PARALLEL, [frame, context.at(_ROW)], I64)
    return f


def _block() -> Function:
    f = Function(BLOCK, pool.JOB)
    context, number, scratch = f.arguments
    frame, table = (f.load(_word(context, name), POINTER) for name in ("frame", "table"))
    stopped = _word(context, "stopped")
    words = context.at(number * (8 * RECORD) + _RECORDS)
    first, last = (f.load(words.at(8 * k), I64) for k in range(_RANGE))
    own = words.at(8 * _RANGE)

    def copy(word: Value) -> None:
        f.store(f.load(frame.at(word, I64), I64), own.at(word, I64))

    f.loop(0, len(layout.FIELDS), 1, copy)
    f.store(scratch, pool.field(own, "scratch"))
    for name in ("helpers", "poll"):
        f.store(f.constant(0), pool.field(own, name))
    is_caller = f.load(pool.field(frame, "scratch"), POINTER) == scratch

    def go(row: Value, _: Value) -> list[Value]:
        following, _ = jobs.step(f, own, table, row)

        def ask() -> None:
            f.if_(pool.poll(f, frame) != 0, lambda: f.store_atomic(1, stopped), is_rare=True)

        f.if_(is_caller, ask)
        return [following, f.load_atomic(stopped)]

    f.while_(
        lambda row, is_stopped: (row < last) & (is_stopped == 0),
        go,
        [first, f.load_atomic(stopped)],
    )
    return f
