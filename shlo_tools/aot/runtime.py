"""What objects of programs need at run time, beside kernels: contexts of calls, and calling.

``shlo_rt_open(threads) -> context``: memory for calls, one at a time, and a pool of threads; null
where the system has no memory for it. 0 threads stand for as many as there are processors.
``shlo_rt_close(context)`` ends the threads and frees the memory.
``shlo_rt_workspace(context, memory, bytes)``: calls take this memory, which the caller owns, and
no other; null and 0 take it back.
``shlo_rt_cancel(context)``: the call that runs ends soon; from any thread, or a signal handler.
``shlo_rt_call(program, context, arguments, results) -> i32``: a status, see ``STATUS``. Without a
context the call has one of its own, and one thread.
``shlo_rt_assert(call, operands, results) -> i32``: what a custom call runs that is an assertion.

A context begins with the call frame (``codegen.frame``), then ``CONTEXT`` follows. A program is
``PROGRAM``: constants, of which a call's memory gets a copy whose addresses are written.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I8, I32, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library import jobs, pool

OPEN, CLOSE = "shlo_rt_open", "shlo_rt_close"
WORKSPACE, CANCEL = "shlo_rt_workspace", "shlo_rt_cancel"
CALL = "shlo_rt_call"
PUBLIC = (OPEN, CLOSE, WORKSPACE, CANCEL, CALL)
ASSERT = "shlo_rt_assert"  # the function of assertions

# What calls return; the first three are those of call frames.
STATUS = {
    "ok": 0,
    "cancelled": layout.STATUS["cancelled"],
    "host": layout.STATUS["host"],
    "memory": -4,
    "argument": -5,
    "assertion": -6,
}

# Words of a program. Lists are addresses; each has a number of entries in front.
PROGRAM = (
    "frame_version",
    "runtime",  # the address of what only the runtime of this frame and target has
    "calls",  # of each call of the host: a C function, what it is told of the call, its results
    "bytes",  # of a call's memory, which begins at a multiple of ALIGNMENT
    "contexts",  # where these begin in it; rows lie in front
    "scratch",
    "temporaries",
    "row_count",
    "rows",
    "word_count",
    "words",
    "inner_count",
    "inner",  # pairs: a word, and the one that it holds the address of
    "own_count",
    "own",  # pairs: a word, and the byte of the temporaries that it holds the address of
    "patch_count",
    "patches",  # a word; the number of an argument, or a result's counted down from -1; an offset
    "argument_count",
    "arguments",  # of each argument what its address has to be a multiple of, less one
    "result_count",
    "results",  # the same of results
)
ALIGNMENT = 64
ANYWHERE = -1  # in place of what an address has to be a multiple of: there is nothing to read

CALL_WORDS = 3  # of each call of the host

# Words of a context, behind the frame.
CONTEXT = (
    "poll",  # the table of callbacks
    "host",
    "calls",  # those of the program
    "program",  # whose rows are in memory
    "memory",
    "bytes",
    "block",  # what was allocated, the memory being in it; null where the caller owns it
    "is_lent",
    "workers",  # tables of the pool's threads
)
_CONTEXT_BYTES = layout.SIZE + 8 * len(CONTEXT) + 8 * pool.STATE_WORDS + 2 * ALIGNMENT
_WORKER = ("state", "scratch", "thread", "block")  # words of a thread's table
_PROCESSORS = 84  # _SC_NPROCESSORS_ONLN of Linux's C libraries
_MOST_THREADS = 1024


def functions() -> list[Function]:
    """All of these functions, and what they call among themselves."""
    makers: tuple[Callable[[], Function], ...] = (
        *(_poll, _host, _assert, _allocate, _start_worker, _open, _close, _workspace, _cancel),
        *(_relocate, _prepare, _fits, _patch, _run, _call),
    )
    return [make() for make in makers]


def _program(f: Function, program: Value, name: str, type: Type = I64) -> Value:
    return f.load(program.at(8 * PROGRAM.index(name)), type)


def _field(context: Value, name: str) -> Value:
    """The address of a context's word."""
    return context.at(layout.SIZE + 8 * CONTEXT.index(name))


def _frame(frame: Value, name: str) -> Value:
    return frame.at(layout.offset(name))


def _null(f: Function) -> Value:
    return f.constant(0).to("inttoptr", "ptr")


def _is_null(pointer: Value) -> Value:
    return pointer.to("ptrtoint", "i64") == 0


def _aligned(pointer: Value) -> Value:
    """The next address where memory of calls may begin."""
    number = pointer.to("ptrtoint", "i64") + (ALIGNMENT - 1)
    return (number & -ALIGNMENT).to("inttoptr", "ptr")


# --- callbacks ------------------------------------------------------------------------------------
def _poll() -> Function:
    """Somebody has written to ``poll``: the call is to be stopped."""
    f = Function("shlo_rt_poll", [POINTER], I64, exported=False)
    (frame,) = f.arguments
    f.store(f.constant(STATUS["cancelled"]), _frame(frame, "status"))
    f.result = f.constant(1)
    return f


def _host() -> Function:
    """Call a C function for what no kernel computes; the number it returns becomes ``word0``.

    The table has the addresses of results and then those of operands.
    """
    f = Function("shlo_rt_host", [POINTER, I64, POINTER], I64, exported=False)
    frame, number, table = f.arguments
    call = f.load(_field(frame, "calls"), POINTER).at(number * (8 * CALL_WORDS))
    function, description = (f.load(call.at(8 * k), POINTER) for k in range(2))
    operands = table.at(f.load(call.at(16), I64) * 8)
    failed = f.call_address(function, [description, operands, table], I32).to("sext", "i64")

    def fail() -> None:
        f.store(failed, _frame(frame, "word0"))
        is_assertion = failed == STATUS["assertion"]
        status = f.select(is_assertion, failed, f.constant(STATUS["host"]))
        f.store(status, _frame(frame, "status"))

    f.if_(failed != 0, fail)
    f.result = failed
    return f


def _assert() -> Function:
    """The first operand is an i1 that has to hold."""
    f = Function(ASSERT, [POINTER, POINTER, POINTER], I32)
    holds = f.load(f.load(f.arguments[1], POINTER), I8) != 0
    f.result = f.select(holds, f.constant(0, I32), f.constant(STATUS["assertion"], I32))
    return f


# --- contexts -------------------------------------------------------------------------------------
def _allocate() -> Function:
    """Memory of zeros, in which a place of ``bytes`` is aligned; null where there is none."""
    f = Function("allocate", [I64], POINTER, exported=False)
    f.result = f.call("calloc", [f.constant(1), f.arguments[0] + ALIGNMENT], POINTER)
    return f


def _state(context: Value) -> Value:
    """The state of a context's pool, in cache lines of its own."""
    return _aligned(context.at(layout.SIZE + 8 * len(CONTEXT)))


def _open() -> Function:
    f = Function(OPEN, [I32], POINTER)
    asked = f.arguments[0].to("sext", "i64")

    def processors() -> Value:
        return f.call("sysconf", [f.constant(_PROCESSORS, I32)], I64)

    (count,) = f.if_(asked == 0, processors, lambda: asked)
    count = f.minimum(f.maximum(count, 1), _MOST_THREADS)
    tables = (count - 1) * (8 * len(_WORKER))
    context = f.call("calloc", [f.constant(1), tables + _CONTEXT_BYTES], POINTER)

    def fill() -> None:
        f.store(f.constant(layout.VERSION), _frame(context, "version"))
        f.store(_field(context, "poll"), _frame(context, "callbacks"))
        f.store(f.address_of("shlo_rt_poll"), _field(context, "poll"))
        f.store(f.address_of("shlo_rt_host"), _field(context, "host"))
        state = _state(context)
        f.store(state, _frame(context, "pool"))
        workers = state.at(8 * pool.STATE_WORDS)
        f.store(workers, _field(context, "workers"))

        def start(_: Value) -> None:
            started = f.load(state.at(8 * pool.STATE["workers"]), I64)
            table = workers.at(started * (8 * len(_WORKER)))
            f.store(state, table)
            f.run("start_worker", [table, state])

        f.loop(0, (count - 1), 1, start)

    f.if_(~_is_null(context), fill)
    f.result = context
    return f


def _start_worker() -> Function:
    """Start one thread; where the system has none, there is one less."""
    f = Function("start_worker", [POINTER, POINTER], exported=False)
    table, state = f.arguments
    block = f.call("allocate", [f.constant(pool.SCRATCH_BYTES)], POINTER)
    worker, null = f.address_of(pool.WORKER), _null(f)
    f.store(_aligned(block), table.at(8 * _WORKER.index("scratch")))
    f.store(block, table.at(8 * _WORKER.index("block")))

    def start() -> None:
        thread = table.at(8 * _WORKER.index("thread"))
        failed = f.call("pthread_create", [thread, null, worker, table], I32)

        def count() -> None:
            workers = state.at(8 * pool.STATE["workers"])
            f.store(f.load(workers, I64) + 1, workers)

        f.if_(failed == 0, count, lambda: f.run("free", [block]))

    f.if_(~_is_null(block), start)
    return f


def _close() -> Function:
    f = Function(CLOSE, [POINTER])
    (context,) = f.arguments

    def end() -> None:
        state = f.load(_frame(context, "pool"), POINTER)
        f.store_atomic(1, state.at(8 * pool.STATE["stop"]))
        f.run(pool.WAKE, [state])
        tables = f.load(_field(context, "workers"), POINTER)

        def join(number: Value) -> None:
            table = tables.at(number * (8 * len(_WORKER)))
            thread = f.load(table.at(8 * _WORKER.index("thread")), I64)
            f.call("pthread_join", [thread, _null(f)], I32)
            f.run("free", [f.load(table.at(8 * _WORKER.index("block")), POINTER)])

        f.loop(0, f.load(state.at(8 * pool.STATE["workers"]), I64), 1, join)
        f.run("free", [f.load(_field(context, "block"), POINTER)])
        f.run("free", [context])

    f.if_(~_is_null(context), end)
    return f


def _workspace() -> Function:
    f = Function(WORKSPACE, [POINTER, POINTER, I64])
    context, memory, count = f.arguments
    f.run("free", [f.load(_field(context, "block"), POINTER)])
    for name, value in (("block", _null(f)), ("program", _null(f)), ("memory", memory)):
        f.store(value, _field(context, name))
    f.store(count, _field(context, "bytes"))
    is_lent = f.select(_is_null(memory), f.constant(0), f.constant(1))
    f.store(is_lent, _field(context, "is_lent"))
    return f


def _cancel() -> Function:
    f = Function(CANCEL, [POINTER])
    (context,) = f.arguments
    f.store_atomic(layout.POLL_CANCEL, _frame(context, "poll"))
    return f


# --- calls ----------------------------------------------------------------------------------------
def _relocate() -> Function:
    """Write addresses into a context's words: ``start`` and a multiple of what pairs say."""
    f = Function("relocate", [POINTER, POINTER, I64, POINTER, I64], exported=False)
    words, pairs, count, start, unit = f.arguments

    def write(number: Value) -> None:
        pair = pairs.at(number * 16)
        place, offset = f.load(pair, I64), f.load(pair.at(8), I64)
        f.store(start.at(offset * unit), words.at(place * 8))

    f.loop(0, count, 1, write)
    return f


def _prepare() -> Function:
    """Have a program's rows in a context's memory; nonzero where there is too little."""
    f = Function("prepare", [POINTER, POINTER], I64, exported=False)
    program, context = f.arguments
    wanted = _program(f, program, "bytes")
    is_lent = f.load(_field(context, "is_lent"), I64) != 0
    is_small = f.load(_field(context, "bytes"), I64) < wanted

    def allocate() -> None:
        f.run("free", [f.load(_field(context, "block"), POINTER)])
        block = f.call("allocate", [wanted], POINTER)
        f.store(block, _field(context, "block"))
        f.store(_aligned(block), _field(context, "memory"))
        count = f.select(_is_null(block), f.constant(0), wanted)
        f.store(count, _field(context, "bytes"))

    f.if_(is_small & ~is_lent, allocate)
    f.store(_null(f), _field(context, "program"))
    has_too_little = f.load(_field(context, "bytes"), I64) < wanted
    (f.result,) = f.if_(
        has_too_little, lambda: f.constant(1), lambda: _written(f, program, context)
    )
    return f


def _written(f: Function, program: Value, context: Value) -> Value:
    memory = f.load(_field(context, "memory"), POINTER)
    words = memory.at(_program(f, program, "contexts"))
    row_count = _program(f, program, "row_count")
    f.copy(memory, _program(f, program, "rows", POINTER), row_count * (8 * jobs.ROW))
    f.copy(words, _program(f, program, "words", POINTER), _program(f, program, "word_count") * 8)

    def row(number: Value) -> None:
        """Rows say which word of the contexts is theirs."""
        place = memory.at(number * (8 * jobs.ROW) + 8)
        f.store(words.at(f.load(place, I64) * 8), place)

    f.loop(0, row_count, 1, row)
    temporaries = memory.at(_program(f, program, "temporaries"))
    for name, start, unit in (("inner", words, 8), ("own", temporaries, 1)):
        pairs, count = _program(f, program, name, POINTER), _program(f, program, f"{name}_count")
        f.run("relocate", [words, pairs, count, start, f.constant(unit)])
    f.store(memory.at(_program(f, program, "scratch")), _frame(context, "scratch"))
    f.store(_program(f, program, "calls", POINTER), _field(context, "calls"))
    f.store(program, _field(context, "program"))
    return f.constant(0)


def _fits() -> Function:
    """Whether addresses are there, and multiples of what they have to be."""
    f = Function("fits", [POINTER, POINTER, I64], I64, exported=False)
    pointers, masks, count = f.arguments

    def look(number: Value, _: Value) -> list[Value]:
        address, mask = (f.load(of.at(number * 8), I64) for of in (pointers, masks))
        good = (address != 0) & ((address & mask) == 0)
        return [number + 1, (good | (mask == ANYWHERE)).to("zext", "i64")]

    _, f.result = f.while_(
        lambda number, good: (number < count) & (good != 0),
        look,
        [f.constant(0), f.constant(1)],
    )
    return f


def _patch() -> Function:
    """Write the addresses of a call's arguments and results."""
    f = Function("patch", [POINTER, POINTER, POINTER, POINTER], exported=False)
    program, words, arguments, results = f.arguments
    patches = _program(f, program, "patches", POINTER)

    def write(number: Value) -> None:
        place, source, offset = (f.load(patches.at(number * 24 + 8 * k), I64) for k in range(3))

        def argument() -> Value:
            return f.load(arguments.at(source * 8), POINTER)

        def result() -> Value:
            return f.load(results.at((source * -1 - 1) * 8), POINTER)

        (address,) = f.if_(source < 0, result, argument)
        f.store(address.at(offset), words.at(place * 8))

    f.loop(0, _program(f, program, "patch_count"), 1, write)
    return f


def _run() -> Function:
    """A call with a context."""
    f = Function("run", [POINTER, POINTER, POINTER, POINTER], I64, exported=False)
    program, context, arguments, results = f.arguments
    known = f.load(_field(context, "program"), POINTER).to("ptrtoint", "i64")
    is_ready = known == program.to("ptrtoint", "i64")

    (lacks,) = f.if_(
        is_ready, lambda: f.constant(0), lambda: f.call("prepare", [program, context], I64)
    )

    def go() -> Value:
        memory = f.load(_field(context, "memory"), POINTER)
        words = memory.at(_program(f, program, "contexts"))
        f.run("patch", [program, words, arguments, results])
        for name in ("status", "poll"):
            f.store(f.constant(0), _frame(context, name))
        f.call(jobs.RUN, [context, memory, _program(f, program, "row_count")], I64)
        return f.load(_frame(context, "status"), I64)

    (f.result,) = f.if_(lacks == 0, go, lambda: f.constant(STATUS["memory"]))
    return f


def _call() -> Function:
    f = Function(CALL, [POINTER, POINTER, POINTER, POINTER], I32)
    program, context, arguments, results = f.arguments

    def fits(name: str, pointers: Value) -> Value:
        masks = _program(f, program, name, POINTER)
        count = _program(f, program, f"{name.removesuffix('s')}_count")
        return f.call("fits", [pointers, masks, count], I64)

    def call() -> Value:
        is_own = _is_null(context)
        (one,) = f.if_(is_own, lambda: f.call(OPEN, [f.constant(1, I32)], POINTER), lambda: context)

        def run() -> Value:
            status = f.call("run", [program, one, arguments, results], I64)
            f.if_(is_own, lambda: f.run(CLOSE, [one]))
            return status

        (status,) = f.if_(_is_null(one), lambda: f.constant(STATUS["memory"]), run)
        return status

    good = fits("arguments", arguments) & fits("results", results)
    (status,) = f.if_(good != 0, call, lambda: f.constant(STATUS["argument"]))
    f.result = status.to("trunc", "i32")
    return f
