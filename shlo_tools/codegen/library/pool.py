"""Running chunks of a job on the threads of a pool.

A job is a function ``(context, chunk, scratch)`` and a number of chunks; ``scratch`` is memory of
the thread that runs it, ``SCRATCH_BYTES`` long. Threads take chunks from one atomic
counter, so a thread that the system does not run delays nobody. The calling thread opens a job,
works as well, and closes it when the counter has run out; then it waits only for threads that
joined, never for one that still sleeps. While it works it polls the call frame, the workers never.

A call frame says how many workers its jobs may have: that many seats a job has, and a worker that
gets none goes back to sleep.

``STATE`` is the pool's memory. A job that is opened while another is open (a second Python thread,
or a job inside one) runs on its own thread alone.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I32, I64, POINTER, Function, Value

# Words of eight bytes. What threads write often stands in cache lines of its own.
_LINE = 8
STATE = {
    "open": 0,  # number of the open job, else 0
    "stop": 1,  # workers end
    "next": _LINE,  # the next chunk
    "active": 2 * _LINE,  # workers inside the job
    "seats": 2 * _LINE + 1,  # how many more of them may take chunks; negative where some got none
    "asleep": 3 * _LINE,
    "busy": 4 * _LINE,  # a thread has a job open
    "workers": 5 * _LINE,
    "job": 5 * _LINE + 1,  # jobs so far
    "function": 5 * _LINE + 2,
    "context": 5 * _LINE + 3,
    "chunks": 5 * _LINE + 4,
    "lost": 5 * _LINE + 5,  # the threads of the open job are in the process that this was forked of
    "mutex": 6 * _LINE,
    "condition": 8 * _LINE,
}
STATE_WORDS = 10 * _LINE
SCRATCH_BYTES = 512 * 1024
JOB = (POINTER, I64, POINTER)  # what the function of a job takes

_SPINS = 20_000  # looks for a job before a worker goes to sleep, about half a millisecond

PARALLEL = "shlo_rt_parallel"
WORKER = "shlo_rt_worker"
WAKE = "shlo_rt_wake"


def functions() -> list[Function]:
    """The pool's functions.

    ``shlo_rt_parallel(frame, function, context, chunks) -> i64``: nonzero where it was stopped.
    ``shlo_rt_worker(table)``: what a thread of the pool runs; the table holds the addresses of
    the pool's state and of the thread's scratch memory. ``shlo_rt_wake(state)``.
    """
    return [_take_chunks(), _wake(), _wake_some(), _worker(), _run_alone(), _parallel()]


def _word(state: Value, name: str) -> Value:
    return state.at(8 * STATE[name])


def _field(frame: Value, name: str) -> Value:
    return frame.at(layout.offset(name))


def _take_chunks() -> Function:
    """What a worker does in an open job."""
    f = Function("take_chunks", [POINTER, POINTER], exported=False)
    state, scratch = f.arguments
    function = f.load(_word(state, "function"), POINTER)
    context = f.load(_word(state, "context"), POINTER)
    chunks = f.load(_word(state, "chunks"), I64)

    def body(chunk: Value) -> Value:
        f.run_address(function, [context, chunk, scratch])
        return f.add_atomic(_word(state, "next"), 1)

    f.while_(lambda chunk: chunk < chunks, body, [f.add_atomic(_word(state, "next"), 1)])
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
            f.run("take_chunks", [state, scratch])
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
    word = f.emit(f"llvm.load volatile {_field(frame, 'poll').name} : !llvm.ptr -> i64", I64)
    return word != 0


def ask(f: Function, frame: Value) -> Value:
    """Nonzero where the call is to be stopped, asked of the host."""
    callbacks = f.load(_field(frame, "callbacks"), POINTER)
    callback = f.load(callbacks.at(8 * layout.CALLBACKS.index("poll")), POINTER)
    return f.call_address(callback, [frame], I64)


def _run_alone() -> Function:
    """All chunks on this thread."""
    f = Function("run_alone", [POINTER, POINTER, POINTER, I64], I64, exported=False)
    frame, function, context, chunks = f.arguments
    scratch = f.load(_field(frame, "scratch"), POINTER)

    def body(chunk: Value, _: Value) -> list[Value]:
        f.run_address(function, [context, chunk, scratch])
        return [chunk + 1, poll(f, frame)]

    _, stopped = f.while_(
        lambda chunk, stopped: (chunk < chunks) & (stopped == 0),
        body,
        [f.constant(0), f.constant(0)],
    )
    f.result = stopped
    return f


def _parallel() -> Function:
    f = Function(PARALLEL, [POINTER, POINTER, POINTER, I64], I64)
    frame, function, context, chunks = f.arguments
    helpers = f.load(_field(frame, "helpers"), I64)

    def alone() -> Value:
        return f.call("run_alone", f.arguments, I64)

    def shared(state: Value, workers: Value) -> Value:
        for name, value in (("function", function), ("context", context), ("chunks", chunks)):
            f.store(value, _word(state, name))
        f.store_atomic(0, _word(state, "next"))
        f.store_atomic(helpers, _word(state, "seats"))
        job = f.load(_word(state, "job"), I64) + 1
        f.store(job, _word(state, "job"))
        f.store_atomic(job, _word(state, "open"))
        asleep = f.load_atomic(_word(state, "asleep"))
        f.if_(asleep > 0, lambda: wake(state, workers))
        scratch = f.load(_field(frame, "scratch"), POINTER)

        def body(chunk: Value, _: Value) -> list[Value]:
            f.run_address(function, [context, chunk, scratch])
            stopped = poll(f, frame)
            f.if_(stopped != 0, lambda: f.store_atomic(chunks, _word(state, "next")))
            return [f.add_atomic(_word(state, "next"), 1), stopped]

        _, stopped = f.while_(
            lambda chunk, _: chunk < chunks,
            body,
            [f.add_atomic(_word(state, "next"), 1), f.constant(0)],
        )
        f.store_atomic(0, _word(state, "open"))
        f.while_(lambda: f.load_atomic(_word(state, "active")) != 0, f.pause)
        f.store_atomic(0, _word(state, "busy"))

        def lost() -> Value:
            f.store(f.constant(layout.STATUS["forked"]), _field(frame, "status"))
            return f.constant(1)

        # A signal's handler may have forked while threads had chunks that the child has not.
        is_lost = f.load_atomic(_word(state, "lost")) != 0
        return f.if_(is_lost, lost, lambda: stopped, is_rare=True)[0]

    def wake(state: Value, workers: Value) -> None:
        f.if_(
            helpers < workers,
            lambda: f.run("wake_some", [state, helpers]),
            lambda: f.run(WAKE, [state]),
        )

    def try_shared() -> Value:
        # Looked up here: a call that nobody may help has no pool.
        state = f.load(_field(frame, "pool"), POINTER)
        workers = f.load(_word(state, "workers"), I64)

        def if_free() -> Value:
            was_busy = f.exchange_atomic(_word(state, "busy"), 1)
            return f.if_(was_busy == 0, lambda: shared(state, workers), alone)[0]

        return f.if_(workers > 0, if_free, alone)[0]

    (f.result,) = f.if_((chunks > 1) & (helpers > 0), try_shared, alone)
    return f
