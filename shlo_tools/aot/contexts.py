"""Contexts of calls: a frame, memory, and a pool of threads.

``shlo_rt_open(threads) -> context``: memory for calls, one at a time, and a pool of threads; null
where the system has no memory for it. 0 threads stand for as many as there are processors that
the calling thread may run on.
``shlo_rt_close(context)`` ends the threads and frees the memory.
``shlo_rt_workspace(context, memory, bytes)``: calls take this memory, which the caller owns, and
no other; null and 0 take it back.
``shlo_rt_cancel(context)``: the call that runs ends soon; from any thread, or a signal handler.
"""

from __future__ import annotations

from shlo_tools.aot import layout
from shlo_tools.aot.layout import aligned, context_word, frame_word, is_null, null
from shlo_tools.codegen import frame as frame_layout
from shlo_tools.codegen.function import I32, I64, POINTER, Function, Value
from shlo_tools.codegen.library import pool

_CONTEXT_BYTES = (
    frame_layout.SIZE + 8 * len(layout.CONTEXT) + 8 * pool.STATE_WORDS + 2 * layout.ALIGNMENT
)
_WORKER = ("state", "scratch", "number", "thread", "block")  # words of a thread's table
_PROCESSORS = 84  # _SC_NPROCESSORS_ONLN of Linux's C libraries
_MASK_BYTES = 128  # of a set of processors, as C libraries have it
_MOST_THREADS = 1024


def functions() -> list[Function]:
    """All of these functions, and what they call among themselves."""
    return [_allocate(), _processors(), _start_worker(), _open(), _close(), _workspace(), _cancel()]


def _allocate() -> Function:
    """Memory of zeros, in which a place of ``bytes`` is aligned; null where there is none."""
    f = Function("allocate", [I64], POINTER, exported=False)
    f.result = f.call("calloc", [f.constant(1), f.arguments[0] + layout.ALIGNMENT], POINTER)
    return f


def _state(context: Value) -> Value:
    """The state of a context's pool, in cache lines of its own."""
    return aligned(context.at(frame_layout.SIZE + 8 * len(layout.CONTEXT)))


def _processors() -> Function:
    """How many processors the calling thread may run on; where Linux does not say, how many are."""
    f = Function("processors", [], I64, exported=False)
    mask = f.call("calloc", [f.constant(1), f.constant(_MASK_BYTES)], POINTER)

    def look() -> Value:
        arguments = [f.constant(0, I32), f.constant(_MASK_BYTES), mask]
        f.call("sched_getaffinity", arguments, I32)  # the mask stays empty where it fails

        def add(byte: Value, count: Value) -> Value:
            return count + f.intrinsic("ctpop", f.load(mask.at(byte), I64))

        (count,) = f.loop(0, _MASK_BYTES, 8, add, [f.constant(0)])
        f.run("free", [mask])
        return count

    def all_online() -> Value:
        return f.call("sysconf", [f.constant(_PROCESSORS, I32)], I64)

    (count,) = f.if_(is_null(mask), lambda: f.constant(0), look)
    (f.result,) = f.if_(count == 0, all_online, lambda: count)
    return f


def _open() -> Function:
    f = Function(layout.OPEN, [I32], POINTER)
    threads = f.arguments[0].to("sext", "i64")

    (count,) = f.if_(threads == 0, lambda: f.call("processors", [], I64), lambda: threads)
    count = f.minimum(f.maximum(count, 1), _MOST_THREADS)
    tables = (count - 1) * (8 * len(_WORKER))
    context = f.call("calloc", [f.constant(1), tables + _CONTEXT_BYTES], POINTER)

    def fill() -> None:
        f.store(f.constant(frame_layout.VERSION), frame_word(context, "version"))
        f.store(context_word(context, "poll"), frame_word(context, "callbacks"))
        f.store(f.address_of("shlo_rt_poll"), context_word(context, "poll"))
        f.store(f.address_of("shlo_rt_host"), context_word(context, "host"))
        state = _state(context)
        f.store(state, frame_word(context, "pool"))
        workers = state.at(8 * pool.STATE_WORDS)
        f.store(workers, context_word(context, "workers"))

        def start(_: Value) -> None:
            started = f.load(state.at(8 * pool.STATE["workers"]), I64)
            table = workers.at(started * (8 * len(_WORKER)))
            f.store(state, table)
            f.store(started + 1, table.at(8 * _WORKER.index("number")))
            f.run("start_worker", [table, state])

        f.loop(0, (count - 1), 1, start)
        helpers = f.load(state.at(8 * pool.STATE["workers"]), I64)
        f.store(helpers, frame_word(context, "helpers"))

    f.if_(~is_null(context), fill)
    f.result = context
    return f


def _start_worker() -> Function:
    """Start one thread; where the system has none, there is one less."""
    f = Function("start_worker", [POINTER, POINTER], exported=False)
    table, state = f.arguments
    block = f.call("allocate", [f.constant(pool.SCRATCH_BYTES)], POINTER)
    worker = f.address_of(pool.WORKER)
    f.store(aligned(block), table.at(8 * _WORKER.index("scratch")))
    f.store(block, table.at(8 * _WORKER.index("block")))

    def start() -> None:
        thread = table.at(8 * _WORKER.index("thread"))
        failed = f.call("pthread_create", [thread, null(f), worker, table], I32)

        def count() -> None:
            workers = state.at(8 * pool.STATE["workers"])
            f.store(f.load(workers, I64) + 1, workers)

        f.if_(failed == 0, count, lambda: f.run("free", [block]))

    f.if_(~is_null(block), start)
    return f


def _close() -> Function:
    f = Function(layout.CLOSE, [POINTER])
    (context,) = f.arguments

    def end() -> None:
        state = f.load(frame_word(context, "pool"), POINTER)
        f.store_atomic(1, state.at(8 * pool.STATE["stop"]))
        f.run(pool.WAKE, [state])
        tables = f.load(context_word(context, "workers"), POINTER)

        def join(number: Value) -> None:
            table = tables.at(number * (8 * len(_WORKER)))
            thread = f.load(table.at(8 * _WORKER.index("thread")), I64)
            f.call("pthread_join", [thread, null(f)], I32)
            f.run("free", [f.load(table.at(8 * _WORKER.index("block")), POINTER)])

        f.loop(0, f.load(state.at(8 * pool.STATE["workers"]), I64), 1, join)
        f.run("free", [f.load(context_word(context, "block"), POINTER)])
        f.run("free", [context])

    f.if_(~is_null(context), end)
    return f


def _workspace() -> Function:
    f = Function(layout.WORKSPACE, [POINTER, POINTER, I64])
    context, memory, count = f.arguments

    def take() -> None:
        f.run("free", [f.load(context_word(context, "block"), POINTER)])
        for name, value in (("block", null(f)), ("program", null(f)), ("memory", memory)):
            f.store(value, context_word(context, name))
        none = f.constant(0)
        is_none = is_null(memory)
        f.store(f.select(is_none, none, count), context_word(context, "bytes"))
        f.store(f.select(is_none, none, f.constant(1)), context_word(context, "is_lent"))

    f.if_(~is_null(context), take)
    return f


def _cancel() -> Function:
    f = Function(layout.CANCEL, [POINTER])
    (context,) = f.arguments

    def cancel() -> None:
        f.store_atomic(frame_layout.POLL_CANCEL, frame_word(context, "poll"))

    f.if_(~is_null(context), cancel)
    return f
