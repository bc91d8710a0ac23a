"""Running chunks of a job on the threads of a pool.

A job is a function ``(context, chunk, scratch)`` and a number of chunks; ``scratch`` is memory of
the thread that runs it, ``SCRATCH_BYTES`` long. Each thread has a share of the chunks, the same one
of all jobs that have as many: what it wrote for one job, it reads for the next. It takes the chunks
of its share from an atomic counter, and then what is left of the others' shares, so that a thread
that the system does not run delays nobody. The calling thread opens a job, works as well, and
closes it when the counters have run out; then it waits only for threads that joined, never for one
that still sleeps. While it works it polls the call frame, the workers never.

A call frame says how many workers its jobs may have: that many seats a job has, and a worker that
gets none goes back to sleep.

``STATE`` is the pool's memory. A job that is opened while another is open (a second Python thread,
or a job inside one) runs on its own thread alone. ``sharing`` says which jobs are opened at all.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I32, I64, POINTER, Function, Value
from shlo_tools.codegen.library import clock

# Words of a job's row in a table; the last ones are what ``sharing`` has measured:
# what all chunks take one thread, how often it ran, what sharing saves on the average, and the
# pool's jobs when it was timed last.
MEASURED = ("nanoseconds", "runs", "saved", "jobs")
ROW = ("function", "context", "chunks", *MEASURED)

# Words of eight bytes. What threads write often stands in cache lines of its own.
_LINE = 8
STATE = {
    "open": 0,  # number of the open job, else 0
    "stop": 1,  # workers end
    "active": _LINE,  # workers inside the job
    "seats": _LINE + 1,  # how many more of them may take chunks; negative where some got none
    "asleep": 2 * _LINE,
    "busy": 3 * _LINE,  # a thread has a job open
    "opening": 3 * _LINE + 1,  # nanoseconds that it takes to open one, on the average
    "rests": 3 * _LINE + 2,  # no job is opened until then, see ``sharing``
    "patience": 3 * _LINE + 3,  # for how many times as long as a thread was late
    "workers": 4 * _LINE,
    "job": 4 * _LINE + 1,  # jobs so far
    "function": 4 * _LINE + 2,
    "context": 4 * _LINE + 3,
    "shares": 4 * _LINE + 4,  # of the open job
    "lost": 4 * _LINE + 5,  # the threads of the open job are in the process that this was forked of
    "mutex": 5 * _LINE,
    "condition": 7 * _LINE,
    "share": 9 * _LINE,  # of each share a line: the next chunk, and the one behind the last
}
_SHARES = 64  # of a job, at most; more threads have some together
STATE_WORDS = (9 + _SHARES) * _LINE
SCRATCH_BYTES = 512 * 1024
JOB = (POINTER, I64, POINTER)  # what the function of a job takes

_SPINS = 20_000  # looks for a job before a worker goes to sleep, about half a millisecond

_SLACK = 100  # nanoseconds that opening a job may take longer, whatever it took before

ALONE = "run_alone"
SHARED = "run_shared"
WORKER = "shlo_rt_worker"
WAKE = "shlo_rt_wake"


def functions() -> list[Function]:
    """The pool's functions.

    ``run_alone(frame, row, first) -> i64``: all chunks from there on by this thread; nonzero where
    it was stopped.
    ``run_shared(frame, row, first) -> i64``: the same by threads of the pool; the nanoseconds that
    all of them would have taken this thread, 0 where it ran none or the pool was in use; negative
    where it was stopped.
    ``shlo_rt_worker(table)``: what a thread of the pool runs; the table holds the addresses of
    the pool's state and of the thread's scratch memory, and its number, from 1 on.
    ``shlo_rt_wake(state)``.
    """
    return [_take_chunks(), _wake(), _wake_some(), _worker(), _run_alone(), _run_shared()]


def row_word(f: Function, row: Value, name: str) -> Value:
    """A word of a row."""
    return f.load(row_place(row, name), POINTER if name in ("function", "context") else I64)


def row_place(row: Value, name: str) -> Value:
    """Where that lies."""
    return row.at(8 * ROW.index(name))


def _word(state: Value, name: str) -> Value:
    return state.at(8 * STATE[name])


def field(frame: Value, name: str) -> Value:
    """Where a field of a call frame lies."""
    return frame.at(layout.offset(name))


def load(f: Function, frame: Value, name: str) -> Value:
    """A word of the pool of a call."""
    return f.load(_word(f.load(field(frame, "pool"), POINTER), name), I64)


def store(f: Function, value: Value, frame: Value, name: str) -> None:
    """Write one."""
    f.store(value, _word(f.load(field(frame, "pool"), POINTER), name))


def _share(state: Value, number: Value) -> Value:
    """The line of a share."""
    return _word(state, "share").at(number * (8 * _LINE))


def _next_chunk(f: Function, share: Value) -> Value:
    return f.add_atomic(share, 1)


def _take_chunks() -> Function:
    """What a worker does in an open job."""
    f = Function("take_chunks", [POINTER, I64, POINTER], exported=False)
    state, number, scratch = f.arguments
    function = f.load(_word(state, "function"), POINTER)
    context = f.load(_word(state, "context"), POINTER)
    shares = f.load(_word(state, "shares"), I64)

    def visit(step: Value) -> None:
        share = _share(state, (number + step) % shares)
        last = f.load(share.at(8), I64)

        def body(chunk: Value) -> Value:
            f.run_address(function, [context, chunk, scratch])
            return _next_chunk(f, share)

        f.while_(lambda chunk: chunk < last, body, [_next_chunk(f, share)])

    f.loop(0, shares, 1, visit)
    return f


def _wake() -> Function:
    """Wake all workers that sleep."""
    f = Function(WAKE, [POINTER])
    (state,) = f.arguments
    f.call("pthread_mutex_lock", [_word(state, "mutex")], I32)
    f.call("pthread_cond_broadcast", [_word(state, "condition")], I32)
    f.call("pthread_mutex_unlock", [_word(state, "mutex")], I32)
    return f


def _wake_some() -> Function:
    """Wake so many of the workers that sleep."""
    f = Function("wake_some", [POINTER, I64], exported=False)
    state, count = f.arguments

    def signal(number: Value) -> Value:
        f.call("pthread_cond_signal", [_word(state, "condition")], I32)
        return number + 1

    f.call("pthread_mutex_lock", [_word(state, "mutex")], I32)
    f.while_(lambda number: number < count, signal, [f.constant(0)])
    f.call("pthread_mutex_unlock", [_word(state, "mutex")], I32)
    return f


def _worker() -> Function:
    f = Function(WORKER, [POINTER], POINTER)
    (table,) = f.arguments
    state, scratch = f.load(table, POINTER), f.load(table.at(8), POINTER)
    number = f.load(table.at(16), I64)
    is_open, stop = _word(state, "open"), _word(state, "stop")

    def waits(last: Value, job: Value) -> Value:
        """Whether there is nothing new to do."""
        return ((job == 0) | (job == last)) & (f.load_atomic(stop) == 0)

    def spin(last: Value, spins: Value) -> Value:
        def look(_: Value, spins: Value) -> list[Value]:
            f.pause()
            return [f.load_atomic(is_open), spins + 1]

        job, _ = f.while_(
            lambda job, spins: waits(last, job) & (spins < _SPINS),
            look,
            [f.load_atomic(is_open), spins],
        )
        return job

    def sleep(last: Value) -> Value:
        """Sleepers say so before they look again: who opens a job then wakes them."""
        f.call("pthread_mutex_lock", [_word(state, "mutex")], I32)
        f.add_atomic(_word(state, "asleep"), 1)

        def wait(_: Value) -> Value:
            f.call("pthread_cond_wait", [_word(state, "condition"), _word(state, "mutex")], I32)
            return f.load_atomic(is_open)

        (job,) = f.while_(lambda job: waits(last, job), wait, [f.load_atomic(is_open)])
        f.add_atomic(_word(state, "asleep"), -1)
        f.call("pthread_mutex_unlock", [_word(state, "mutex")], I32)
        return job

    def sit() -> Value:
        """Take chunks where there is a seat; how long to look for the next job before sleep."""
        has_seat = f.add_atomic(_word(state, "seats"), -1) > 0

        def work() -> Value:
            f.run("take_chunks", [state, number, scratch])
            return f.constant(0)

        return f.if_(has_seat, work, lambda: f.constant(_SPINS))[0]

    def join(last: Value, spins: Value) -> list[Value]:
        job = spin(last, spins)
        (job,) = f.if_(waits(last, job), lambda: sleep(last), lambda: job)
        # Joined first, looked second: a job that is still open now cannot end before this leaves.
        f.add_atomic(_word(state, "active"), 1)
        job = f.load_atomic(is_open)
        (spins,) = f.if_(job != 0, sit, lambda: f.constant(0))
        f.add_atomic(_word(state, "active"), -1)
        return [job, spins]

    f.while_(lambda *_: f.load_atomic(stop) == 0, join, [f.constant(0), f.constant(0)])
    f.result = table
    return f


def poll(f: Function, frame: Value) -> Value:
    """Nonzero where the call is to be stopped."""
    (stopped,) = f.if_(
        is_asked(f, frame), lambda: ask(f, frame), lambda: f.constant(0), is_rare=True
    )
    return stopped


def is_asked(f: Function, frame: Value) -> Value:
    """Whether somebody wants to know if a call goes on."""
    # Another thread writes it: never kept in a register.
    word = f.emit(f"llvm.load volatile {field(frame, 'poll').name} : !llvm.ptr -> i64", I64)
    return word != 0


def ask(f: Function, frame: Value) -> Value:
    """Nonzero where the call is to be stopped, asked of the host."""
    callbacks = f.load(field(frame, "callbacks"), POINTER)
    callback = f.load(callbacks.at(8 * layout.CALLBACKS.index("poll")), POINTER)
    return f.call_address(callback, [frame], I64)


def run_chunk(f: Function, frame: Value, row: Value, chunk: Value) -> Value:
    """Run a chunk on the calling thread; nonzero where the call is to be stopped."""
    scratch = f.load(field(frame, "scratch"), POINTER)
    operands = [row_word(f, row, "context"), chunk, scratch]
    f.run_address(row_word(f, row, "function"), operands)
    return poll(f, frame)


def _run_alone() -> Function:
    f = Function(ALONE, [POINTER, POINTER, I64], I64, exported=False)
    frame, row, first = f.arguments
    chunks = row_word(f, row, "chunks")
    _, stopped = f.while_(
        lambda chunk, stopped: (chunk < chunks) & (stopped == 0),
        lambda chunk, _: [chunk + 1, run_chunk(f, frame, row, chunk)],
        [first, f.constant(0)],
    )
    f.result = stopped
    return f


def _run_shared() -> Function:
    f = Function(SHARED, [POINTER, POINTER, I64], I64, exported=False)
    frame, row, first = f.arguments
    state = f.load(field(frame, "pool"), POINTER)

    def alone() -> Value:
        return f.call(ALONE, f.arguments, I64) * -1

    def together() -> Value:
        count = row_word(f, row, "chunks") - first
        shares = _open(f, frame, row, first, count)
        start = clock.now(f)
        ran, stopped = _own_chunks(f, frame, row, shares)
        elapsed = clock.now(f) - start
        f.store_atomic(0, _word(state, "open"))
        f.while_(lambda: f.load_atomic(_word(state, "active")) != 0, f.pause)
        f.store_atomic(0, _word(state, "busy"))

        def lost() -> Value:
            f.store(f.constant(layout.STATUS["forked"]), field(frame, "status"))
            return f.constant(1)

        # A signal's handler may have forked while threads had chunks that the child has not.
        is_lost = f.load_atomic(_word(state, "lost")) != 0
        (stopped,) = f.if_(is_lost, lost, lambda: stopped, is_rare=True)
        nanoseconds = elapsed * count // f.maximum(ran, 1)
        return f.select(stopped == 0, f.select(ran == 0, ran, nanoseconds), f.constant(-1))

    was_busy = f.exchange_atomic(_word(state, "busy"), 1)
    (f.result,) = f.if_(was_busy == 0, together, alone)
    return f


def _open(f: Function, frame: Value, row: Value, first: Value, count: Value) -> Value:
    """Let workers begin with the chunks from ``first`` on; how many shares there are."""
    state = f.load(field(frame, "pool"), POINTER)
    helpers, workers = f.load(field(frame, "helpers"), I64), f.load(_word(state, "workers"), I64)
    begin = clock.now(f)
    shares = f.minimum(f.minimum(helpers, workers) + 1, _SHARES)

    def deal(number: Value, begin: Value) -> Value:
        end = first + (count * (number + 1) + shares - 1) // shares
        share = _share(state, number)
        f.store(begin, share)
        f.store(end, share.at(8))
        return end

    f.loop(0, shares, 1, deal, [first])
    for name, value in (
        *((name, row_word(f, row, name)) for name in ("function", "context")),
        ("shares", shares),
    ):
        f.store(value, _word(state, name))
    f.store_atomic(helpers, _word(state, "seats"))
    job = f.load(_word(state, "job"), I64) + 1
    f.store(job, _word(state, "job"))
    f.store_atomic(job, _word(state, "open"))
    before = f.load(_word(state, "opening"), I64)
    opening = f.minimum(clock.now(f) - begin, before * 2 + _SLACK)
    f.store(before + (opening - before) // 4, _word(state, "opening"))

    def wake() -> None:
        f.if_(
            helpers < workers,
            lambda: f.run("wake_some", [state, helpers]),
            lambda: f.run(WAKE, [state]),
        )

    f.if_(f.load_atomic(_word(state, "asleep")) > 0, wake)
    return shares


def _own_chunks(f: Function, frame: Value, row: Value, shares: Value) -> list[Value]:
    """What the calling thread does in its job: how many chunks it ran, and if it was stopped."""
    state = f.load(field(frame, "pool"), POINTER)

    def end(number: Value) -> None:
        share = _share(state, number)
        f.store_atomic(f.load(share.at(8), I64), share)

    def visit(number: Value, ran: Value, stopped: Value) -> list[Value]:
        share = _share(state, number)
        last = f.load(share.at(8), I64)

        def body(chunk: Value, ran: Value, _: Value) -> list[Value]:
            stopped = run_chunk(f, frame, row, chunk)
            f.if_(stopped != 0, lambda: f.loop(0, shares, 1, end), is_rare=True)
            return [_next_chunk(f, share), ran + 1, stopped]

        _, ran, stopped = f.while_(
            lambda chunk, *_: chunk < last, body, [_next_chunk(f, share), ran, stopped]
        )
        return [ran, stopped]

    return f.loop(0, shares, 1, visit, [f.constant(0), f.constant(0)])
