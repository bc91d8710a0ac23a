"""Which jobs threads share: those that take long enough.

That a thread joins, and reads what another one wrote, costs some microseconds of each job. What a
job takes depends on the machine, on data and on sizes of run time, so nothing is estimated: the
row of a job keeps what its last runs took. Chunks are the same ones whoever runs them, so results
do not depend on it.

The first runs of a job are trials on the calling thread: the first one of all finds memory and code
that nobody has touched, and neighbours that are not shared yet. Where a trial becomes long, other
threads get what is left of it.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library import clock, pool

PARALLEL = "shlo_rt_parallel"

import os

WORTH = int(os.environ.get("WORTH", 25_000))  # nanoseconds of one thread for which a job is shared
TRIALS = 2
_LONG = 8 * WORTH  # what may be left of a trial
_SLACK = 1000  # nanoseconds
_EACH = 16  # of so many runs of a short job one is timed: the clock takes as long as the shortest
_LATE = 100_000  # nanoseconds that a shared job takes longer: a thread was not run for a while
_REST = 16  # of what was lost so, for which the pool rests
ALWAYS = (0, -1, 0)  # the last words of a row that is shared whatever it takes


def functions() -> list[Function]:
    """``shlo_rt_parallel(frame, row) -> i64``: run a job; nonzero where it was stopped."""
    return [_may_share(), _shared(), _timed(), _trial(), _measured(), _parallel()]


def _parallel() -> Function:
    f = Function(PARALLEL, [POINTER, POINTER], I64)
    frame, row = f.arguments

    def alone() -> Value:
        return f.call(pool.ALONE, [frame, row, f.constant(0)], I64)

    def if_workers() -> Value:
        # Looked up here: a call that nobody may help has no pool.
        has_workers = pool.workers_of(f, frame) > 0
        return f.if_(has_workers, lambda: f.call("measured", [frame, row], I64), alone)[0]

    can_share = (pool.row_word(f, row, "chunks") > 1) & (
        f.load(pool.field(frame, "helpers"), I64) > 0
    )
    (f.result,) = f.if_(can_share, if_workers, alone)
    return f


def _measured() -> Function:
    """Run a job of several chunks, and keep what it took."""
    f = Function("measured", [POINTER, POINTER], I64, exported=False)
    frame, row = f.arguments
    nanoseconds, runs = (pool.row_word(f, row, name) for name in ("nanoseconds", "runs"))

    def alone() -> Value:
        return f.call(pool.ALONE, [frame, row, f.constant(0)], I64)

    def short() -> Value:
        f.store(runs + 1, pool.row_place(row, "runs"))
        is_timed = runs & (_EACH - 1) == 0
        return f.if_(is_timed, lambda: f.call("timed", [frame, row], I64), alone, is_rare=True)[0]

    def long() -> Value:
        may_share = f.call("may_share", [frame], I64) != 0
        return f.if_(
            may_share,
            lambda: f.call("shared", [frame, row, f.constant(0)], I64),
            lambda: f.call("timed", [frame, row], I64),
        )[0]

    def settled() -> Value:
        return f.if_(nanoseconds < WORTH, short, long)[0]

    def early() -> Value:
        def always() -> Value:
            work = f.call(pool.SHARED, [frame, row, f.constant(0)], I64)
            return f.select(work < 0, f.constant(1), f.constant(0))

        return f.if_(runs < 0, always, lambda: f.call("trial", [frame, row], I64))[0]

    (f.result,) = f.if_(runs < TRIALS, early, settled, is_rare=True)
    return f


def _timed() -> Function:
    """A job on this thread; one that the system did not run for a while has not worked so long."""
    f = Function("timed", [POINTER, POINTER], I64, exported=False)
    frame, row = f.arguments
    start = clock.now(f)
    f.result = f.call(pool.ALONE, [frame, row, f.constant(0)], I64)
    most = pool.row_word(f, row, "nanoseconds") * 2 + _SLACK
    f.store(f.minimum(clock.now(f) - start, most), pool.row_place(row, "nanoseconds"))
    return f


def _shared() -> Function:
    """(frame, row, first): chunks from there on by threads of the pool.

    A job is short from then on where this saves nothing on the average, or where it takes half as
    long as is worth it: threads that share it wait for each other's memory.
    """
    f = Function("shared", [POINTER, POINTER, I64], I64, exported=False)
    frame, row, first = f.arguments
    start = clock.now(f)
    work = f.call(pool.SHARED, [frame, row, first], I64)
    end = clock.now(f)
    alone = f.maximum(work, pool.row_word(f, row, "nanoseconds"))
    late = end - start - alone

    def rest() -> None:
        f.store(end + late * _REST, pool.rests_place(f, frame))

    def compare() -> None:
        before = pool.row_word(f, row, "saved")
        saved = before + (f.maximum(-late, -alone) - before) // 4
        f.store(f.maximum(saved, 0), pool.row_place(row, "saved"))
        is_short = (saved < 0) | ((work > 0) & (work < WORTH // 2))
        f.if_(is_short, lambda: f.store(f.constant(WORTH // 2 - 1), place))

    place = pool.row_place(row, "nanoseconds")
    f.if_((work >= 0) & (first == 0), compare)
    f.if_((work >= 0) & (late > _LATE), rest, is_rare=True)
    f.result = f.select(work < 0, f.constant(1), f.constant(0))
    return f


def _may_share() -> Function:
    """Whether the pool does not rest."""
    f = Function("may_share", [POINTER], I64, exported=False)
    (frame,) = f.arguments
    until = f.load(pool.rests_place(f, frame), I64)

    def look() -> Value:
        return f.select(clock.now(f) < until, f.constant(0), f.constant(1))

    (f.result,) = f.if_(until != 0, look, lambda: f.constant(1))
    return f


def _trial() -> Function:
    """The chunks on the calling thread, with a look at the clock behind each."""
    f = Function("trial", [POINTER, POINTER], I64, exported=False)
    frame, row = f.arguments
    chunks, runs = pool.row_word(f, row, "chunks"), pool.row_word(f, row, "runs")
    start = clock.now(f)

    def body(chunk: Value, *_: Value) -> list[Value]:
        stopped = pool.run_chunk(f, frame, row, chunk)
        return [chunk + 1, stopped, (clock.now(f) - start) // (chunk + 1)]

    chunk, stopped, each = f.while_(
        lambda chunk, stopped, each: (
            (chunk < chunks) & (stopped == 0) & (each * (chunks - chunk) < _LONG)
        ),
        body,
        [f.constant(0)] * 3,
    )
    before, work = pool.row_word(f, row, "nanoseconds"), each * chunks
    least = f.select(runs == 0, work, f.minimum(before, work))
    f.store(least, pool.row_place(row, "nanoseconds"))
    f.store(least // 2, pool.row_place(row, "saved"))
    f.store(f.select(work < _LONG, runs + 1, TRIALS), pool.row_place(row, "runs"))

    def rest() -> Value:
        may_share = f.call("may_share", [frame], I64) != 0
        operands = [frame, row, chunk]
        return f.if_(
            may_share,
            lambda: f.call("shared", operands, I64),
            lambda: f.call(pool.ALONE, operands, I64),
        )[0]

    (f.result,) = f.if_((chunk < chunks) & (stopped == 0), rest, lambda: stopped)
    return f
