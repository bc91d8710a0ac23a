"""Running a table of jobs.

A row has three words: function, context, chunks.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library.pool import PARALLEL

RUN = "shlo_rt_run"
ROW = 3


def functions() -> list[Function]:
    """``shlo_rt_run(frame, table, rows) -> i64``: nonzero where it was stopped."""
    f = Function(RUN, [POINTER, POINTER, I64], I64)
    frame, table, rows = f.arguments

    def row(number: Value, _: Value) -> list[Value]:
        words = table.at(number * ROW, I64)
        function, context = (f.load(words.at(k, I64), POINTER) for k in range(2))
        job = [frame, function, context, f.load(words.at(2, I64), I64)]
        return [number + 1, f.call(PARALLEL, job, I64)]

    _, stopped = f.while_(
        lambda number, stopped: (number < rows) & (stopped == 0),
        row,
        [f.constant(0), f.constant(0)],
    )
    f.result = stopped
    return [f]
