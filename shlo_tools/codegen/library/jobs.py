"""Running a table of jobs.

A row has four words: what it is, and what that needs. ``JOB``: function, context, chunks. ``CALL``:
an entry point ``(frame, table)`` of the plain path, and its table.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library.pool import PARALLEL

RUN = "shlo_rt_run"
ROW = 4
JOB, CALL = range(2)


def functions() -> list[Function]:
    """``shlo_rt_run(frame, table, rows) -> i64``: nonzero where it was stopped."""
    f = Function(RUN, [POINTER, POINTER, I64], I64)
    frame, table, rows = f.arguments
    status = frame.at(layout.offset("status"))

    def row(number: Value, _: Value) -> list[Value]:
        words = table.at(number * ROW, I64)
        function, operand = (f.load(words.at(k, I64), POINTER) for k in (1, 2))

        def job() -> Value:
            chunks = f.load(words.at(3, I64), I64)
            return f.call(PARALLEL, [frame, function, operand, chunks], I64)

        def call() -> Value:
            f.run_address(function, [frame, operand])
            return f.load(status, I64)

        return [number + 1, f.if_(f.load(words, I64) == JOB, job, call)[0]]

    _, stopped = f.while_(
        lambda number, stopped: (number < rows) & (stopped == 0),
        row,
        [f.constant(0), f.constant(0)],
    )
    f.result = stopped
    return [f]
