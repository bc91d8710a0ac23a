"""Which jobs threads share: those that take long enough, and as long as that saves time.

That a thread joins, and reads what another one wrote, costs each job some microseconds. What a job
takes depends on the machine, on data and on sizes of run time, so nothing is estimated: the row of
a job keeps what its runs took. Chunks are the same ones whoever runs them, so results do not depend
on any of this.

* The first runs of a job are trials on the calling thread: the very first one finds memory and code
  that nobody has touched, and neighbours that nobody shares yet. Where one becomes long, other
  threads get what is left of it.
* A job is shared first where it takes so many times what it takes to open one (``worth``). That is
  how long lines of the caches are on their way between threads, and differs by a factor of five on
  one machine, as its host moves processors.
* It is shared as long as that saves time, on the average, or it is long. Of others a few runs in a
  row are shared now and then: the first one of these has to fetch what the calling thread wrote.
* A short job beside shared ones waits for their lines, so it is not said to take longer then.
* Where a thread was not run for a while by the system, and others waited for it, the pool rests for
  as long, and for twice as long each time that this happens again soon: where somebody else has the
  processor, two threads are slower than one. That something takes it now and then costs little.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library import clock, pool

PARALLEL = "shlo_rt_parallel"

# Nanoseconds of one thread.
LEAST, _MOST = 8_000, 100_000  # for which a job is shared
_LONG = 200_000  # left of a trial; what waiting for lines of caches neither takes nor spoils
_LATE = 100_000  # that a shared job takes longer: a thread was not run for a while
_SLACK = 1_000  # that a run may take longer, whatever the one before took

_OPENINGS = 160  # that a job is worth
TRIALS = 2
_TIMED = 16  # of so many runs of a job that is not shared one is timed
_TRIED, _TRIED_SHORT, _TRIES = 64, 512, 8  # of so many runs of it so many are shared
_SAVED = 8  # sharing has to save at least this part of a job
_REST = 16  # of what was lost by late threads, for which the pool rests at most
_SOON = 4  # of that, within which a thread that is late again has the pool rest for longer
ALWAYS = (0, -1, 0, 0)  # the last words of a row that is shared whatever it takes


def functions() -> list[Function]:
    """``shlo_rt_parallel(frame, row) -> i64``: run a job; nonzero where it was stopped."""
    return [_share(), _timed(), _trial(), _measured(), _parallel()]


def _parallel() -> Function:
    f = Function(PARALLEL, [POINTER, POINTER], I64)
    frame, row = f.arguments

    def alone() -> Value:
        return f.call(pool.ALONE, [frame, row, f.constant(0)], I64)

    def if_workers() -> Value:
        # Looked up here: a call that nobody may help has no pool.
        has_workers = pool.load(f, frame, "workers") > 0
        return f.if_(has_workers, lambda: f.call("measured", [frame, row], I64), alone)[0]

    is_single = pool.row_word(f, row, "chunks") < 2
    has_helpers = f.load(pool.field(frame, "helpers"), I64) > 0
    (f.result,) = f.if_(~is_single & has_helpers, if_workers, alone)
    return f


def _measured() -> Function:
    """Run a job of several chunks, and keep what it took."""
    f = Function("measured", [POINTER, POINTER], I64, exported=False)
    frame, row = f.arguments
    nanoseconds, runs, saved = (pool.row_word(f, row, name) for name in pool.MEASURED[:3])

    def run(name: str) -> Value:
        return f.call(name, [frame, row], I64)

    def from_start(name: str) -> Value:
        return f.call(name, [frame, row, f.constant(0)], I64)

    def unshared() -> Value:
        f.store(runs + 1, pool.row_place(row, "runs"))
        is_short = nanoseconds < _worth(f, frame)
        period = f.select(is_short, f.constant(_TRIED_SHORT), _TRIED)
        is_tried = (runs & (period - 1) < _TRIES) & (nanoseconds >= LEAST)
        is_timed = runs & (_TIMED - 1) == _TRIES

        def alone() -> Value:
            return f.if_(
                is_timed, lambda: run("timed"), lambda: from_start(pool.ALONE), is_rare=True
            )[0]

        return f.if_(is_tried, lambda: from_start("share"), alone, is_rare=True)[0]

    def settled() -> Value:
        saves = (nanoseconds >= LEAST) & (saved * _SAVED >= nanoseconds)
        is_shared = saves | (nanoseconds >= _LONG)
        return f.if_(is_shared, lambda: from_start("share"), unshared)[0]

    def always() -> Value:
        return _is_stopped(f, from_start(pool.SHARED))

    def early() -> Value:
        return f.if_(runs < 0, always, lambda: run("trial"))[0]

    (f.result,) = f.if_(runs < TRIALS, early, settled, is_rare=True)
    return f


def _worth(f: Function, frame: Value) -> Value:
    """Nanoseconds for which a job is shared at first."""
    worth = pool.load(f, frame, "opening") * _OPENINGS
    return f.minimum(f.maximum(worth, LEAST), _MOST)


def _is_stopped(f: Function, work: Value) -> Value:
    """What ``run_shared`` returned as others do."""
    return f.select(work < 0, f.constant(1), f.constant(0))


def _timed() -> Function:
    """A job on this thread; one that the system did not run for a while has not worked so long."""
    f = Function("timed", [POINTER, POINTER], I64, exported=False)
    frame, row = f.arguments
    start = clock.now(f)
    f.result = f.call(pool.ALONE, [frame, row, f.constant(0)], I64)
    elapsed = clock.now(f) - start
    jobs, before = pool.load(f, frame, "job"), pool.row_word(f, row, "nanoseconds")
    is_quiet = (jobs == pool.row_word(f, row, "jobs")) | (elapsed >= _LONG)
    most = f.select(is_quiet, before * 2 + _SLACK, before)

    def keep() -> None:
        f.store(f.minimum(elapsed, most), pool.row_place(row, "nanoseconds"))
        f.store(jobs, pool.row_place(row, "jobs"))

    f.if_(f.result == 0, keep)
    return f


def _share() -> Function:
    """(frame, row, first): chunks from there on by threads of the pool, if it does not rest."""
    f = Function("share", [POINTER, POINTER, I64], I64, exported=False)
    frame, row, first = f.arguments
    start = clock.now(f)

    def together() -> Value:
        work = f.call(pool.SHARED, f.arguments, I64)
        end = clock.now(f)
        alone = pool.row_word(f, row, "nanoseconds")
        late = end - start - f.maximum(work, alone)

        def compare() -> None:
            before = f.maximum(pool.row_word(f, row, "saved"), 0)
            now = f.maximum(alone - (end - start), -alone)
            f.store(before + (now - before) // 4, pool.row_place(row, "saved"))
            f.if_(work < LEAST, lambda: f.store(work, pool.row_place(row, "nanoseconds")))

        def rest() -> None:
            ended, before = (pool.load(f, frame, name) for name in ("rests", "patience"))
            longer = f.minimum(before * 2, _REST)
            patience = f.select(start - ended < late * _SOON, longer, f.constant(1))
            pool.store(f, patience, frame, "patience")
            pool.store(f, end + late * patience, frame, "rests")

        is_late = late > _LATE
        was_shared = work > 0  # not stopped, nor in use by another call
        f.if_(was_shared & (first == 0) & ~is_late, compare)
        f.if_(was_shared & is_late, rest, is_rare=True)
        return _is_stopped(f, work)

    def alone() -> Value:
        return f.if_(
            first == 0,
            lambda: f.call("timed", [frame, row], I64),
            lambda: f.call(pool.ALONE, f.arguments, I64),
        )[0]

    (f.result,) = f.if_(start < pool.load(f, frame, "rests"), alone, together)
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
    count = f.select(work < _LONG, runs + 1, TRIALS)
    saved = f.select(least < _worth(f, frame), f.constant(0), least // 2)
    for name, value in (("nanoseconds", least), ("runs", count), ("saved", saved)):
        f.store(value, pool.row_place(row, name))
    (f.result,) = f.if_(
        (chunk < chunks) & (stopped == 0),
        lambda: f.call("share", [frame, row, chunk], I64),
        lambda: stopped,
    )
    return f
