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
ALWAYS = (WORTH, TRIALS)  # the last words of a row that is shared whatever it takes


def functions() -> list[Function]:
    """``shlo_rt_parallel(frame, row) -> i64``: run a job; nonzero where it was stopped."""
    return [_trial(), _measured(), _parallel()]


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
    nanoseconds = pool.row_word(f, row, "nanoseconds")
    place = pool.row_place(row, "nanoseconds")

    def shared() -> Value:
        """Threads that share a job wait for each other's memory: only half of it says no more."""
        elapsed = f.call(pool.SHARED, [frame, row, f.constant(0)], I64)
        f.if_((elapsed > 0) & (elapsed < WORTH // 2), lambda: f.store(elapsed, place))
        return f.select(elapsed < 0, f.constant(1), f.constant(0))

    def alone() -> Value:
        """A thread that the system did not run for a while has not worked so long."""
        start = clock.now(f)
        stopped = f.call(pool.ALONE, [frame, row, f.constant(0)], I64)
        f.store(f.minimum(clock.now(f) - start, nanoseconds * 2 + _SLACK), place)
        return stopped

    def settled() -> Value:
        return f.if_(nanoseconds < WORTH, alone, shared)[0]

    is_trial = pool.row_word(f, row, "runs") < TRIALS
    (f.result,) = f.if_(is_trial, lambda: f.call("trial", [frame, row], I64), settled, is_rare=True)
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

    def share_rest() -> Value:
        elapsed = f.call(pool.SHARED, [frame, row, chunk], I64)
        return f.select(elapsed < 0, f.constant(1), f.constant(0))

    (f.result,) = f.if_((chunk < chunks) & (stopped == 0), share_rest, lambda: stopped)
    before = pool.row_word(f, row, "nanoseconds")
    elapsed = each * chunks
    least = f.select(runs == 0, elapsed, f.minimum(before, elapsed))
    f.store(least, pool.row_place(row, "nanoseconds"))
    f.store(f.select(elapsed < _LONG, runs + 1, TRIALS), pool.row_place(row, "runs"))
    return f
