"""Calls of programs: their rows in a context's memory, run; and what rows call of the host.

``shlo_rt_call(program, context, arguments, results) -> i32``: a status, see ``layout.STATUS``.
Without a context the call has one of its own, and one thread.
``shlo_rt_assert(call, operands, results) -> i32``: what a custom call runs that is an assertion.
"""

from __future__ import annotations

from shlo_tools.aot import layout
from shlo_tools.aot.layout import aligned, context_word, frame_word, is_null, null, program_word
from shlo_tools.codegen.function import I8, I32, I64, POINTER, Function, Value
from shlo_tools.codegen.library import jobs


def functions() -> list[Function]:
    """All of these functions, and what they call among themselves."""
    makers = (_poll, _host, _assert, _relocate, _prepare, _fits, _patch, _run, _call)
    return [make() for make in makers]


# --- callbacks ------------------------------------------------------------------------------------
def _poll() -> Function:
    """Somebody has written to ``poll``: the call is to be stopped."""
    f = Function("shlo_rt_poll", [POINTER], I64, exported=False)
    (frame,) = f.arguments
    f.store(f.constant(layout.STATUS["cancelled"]), frame_word(frame, "status"))
    f.result = f.constant(1)
    return f


def _host() -> Function:
    """Call a C function for what no kernel computes; the number it returns becomes ``word0``.

    The table has the addresses of results and then those of operands.
    """
    f = Function("shlo_rt_host", [POINTER, I64, POINTER], I64, exported=False)
    frame, number, table = f.arguments
    call = f.load(context_word(frame, "calls"), POINTER).at(number * (8 * layout.CALL_WORDS))
    function, description = (f.load(call.at(8 * k), POINTER) for k in range(2))
    operands = table.at(f.load(call.at(16), I64) * 8)
    failed = f.call_address(function, [description, operands, table], I32).to("sext", "i64")

    def fail() -> None:
        f.store(failed, frame_word(frame, "word0"))
        is_assertion = failed == layout.STATUS["assertion"]
        status = f.select(is_assertion, failed, f.constant(layout.STATUS["host"]))
        f.store(status, frame_word(frame, "status"))

    f.if_(failed != 0, fail)
    f.result = failed
    return f


def _assert() -> Function:
    """The first operand is an i1 that has to hold."""
    f = Function(layout.ASSERT, [POINTER, POINTER, POINTER], I32)
    holds = f.load(f.load(f.arguments[1], POINTER), I8) != 0
    f.result = f.select(holds, f.constant(0, I32), f.constant(layout.STATUS["assertion"], I32))
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
    needed = program_word(f, program, "bytes")
    is_lent = f.load(context_word(context, "is_lent"), I64) != 0
    is_small = f.load(context_word(context, "bytes"), I64) < needed

    def allocate() -> None:
        f.run("free", [f.load(context_word(context, "block"), POINTER)])
        block = f.call("allocate", [needed], POINTER)
        f.store(block, context_word(context, "block"))
        f.store(aligned(block), context_word(context, "memory"))
        count = f.select(is_null(block), f.constant(0), needed)
        f.store(count, context_word(context, "bytes"))

    f.if_(is_small & ~is_lent, allocate)
    f.store(null(f), context_word(context, "program"))
    has_too_little = f.load(context_word(context, "bytes"), I64) < needed
    (f.result,) = f.if_(
        has_too_little, lambda: f.constant(1), lambda: _written(f, program, context)
    )
    return f


def _written(f: Function, program: Value, context: Value) -> Value:
    memory = f.load(context_word(context, "memory"), POINTER)
    words = memory.at(program_word(f, program, "contexts"))
    row_count = program_word(f, program, "row_count")
    f.copy(memory, program_word(f, program, "rows", POINTER), row_count * (8 * jobs.ROW))
    f.copy(
        words,
        program_word(f, program, "words", POINTER),
        program_word(f, program, "word_count") * 8,
    )

    def row(number: Value) -> None:
        """Rows say which word of the contexts is theirs."""
        place = memory.at(number * (8 * jobs.ROW) + 8)
        f.store(words.at(f.load(place, I64) * 8), place)

    f.loop(0, row_count, 1, row)
    temporaries = memory.at(program_word(f, program, "temporaries"))
    for name, start, unit in (("inner", words, 8), ("own", temporaries, 1)):
        pairs, count = (
            program_word(f, program, name, POINTER),
            program_word(f, program, f"{name}_count"),
        )
        f.run("relocate", [words, pairs, count, start, f.constant(unit)])
    f.store(memory.at(program_word(f, program, "scratch")), frame_word(context, "scratch"))
    f.store(program_word(f, program, "calls", POINTER), context_word(context, "calls"))
    f.store(program, context_word(context, "program"))
    return f.constant(0)


def _fits() -> Function:
    """Whether addresses are there, and multiples of what they have to be."""
    f = Function("fits", [POINTER, POINTER, I64], I64, exported=False)
    pointers, masks, count = f.arguments

    def look(number: Value, _: Value) -> list[Value]:
        address, mask = (f.load(of.at(number * 8), I64) for of in (pointers, masks))
        good = (address != 0) & ((address & mask) == 0)
        return [number + 1, (good | (mask == layout.ANYWHERE)).to("zext", "i64")]

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
    patches = program_word(f, program, "patches", POINTER)

    def write(number: Value) -> None:
        place, source, offset = (f.load(patches.at(number * 24 + 8 * k), I64) for k in range(3))

        def argument() -> Value:
            return f.load(arguments.at(source * 8), POINTER)

        def result() -> Value:
            return f.load(results.at((source * -1 - 1) * 8), POINTER)

        (address,) = f.if_(source < 0, result, argument)
        f.store(address.at(offset), words.at(place * 8))

    f.loop(0, program_word(f, program, "patch_count"), 1, write)
    return f


def _run() -> Function:
    """A call with a context."""
    f = Function("run", [POINTER, POINTER, POINTER, POINTER], I64, exported=False)
    program, context, arguments, results = f.arguments
    known = f.load(context_word(context, "program"), POINTER).to("ptrtoint", "i64")
    is_ready = known == program.to("ptrtoint", "i64")

    (lacks,) = f.if_(
        is_ready, lambda: f.constant(0), lambda: f.call("prepare", [program, context], I64)
    )

    def go() -> Value:
        memory = f.load(context_word(context, "memory"), POINTER)
        words = memory.at(program_word(f, program, "contexts"))
        f.run("patch", [program, words, arguments, results])
        for name in ("status", "poll"):
            f.store(f.constant(0), frame_word(context, name))
        f.call(jobs.RUN, [context, memory, program_word(f, program, "row_count")], I64)
        return f.load(frame_word(context, "status"), I64)

    (f.result,) = f.if_(lacks == 0, go, lambda: f.constant(layout.STATUS["memory"]))
    return f


def _call() -> Function:
    f = Function(layout.CALL, [POINTER, POINTER, POINTER, POINTER], I32)
    program, context, arguments, results = f.arguments

    def fits(name: str, pointers: Value) -> Value:
        masks = program_word(f, program, name, POINTER)
        count = program_word(f, program, f"{name.removesuffix('s')}_count")
        return f.call("fits", [pointers, masks, count], I64)

    def call() -> Value:
        is_own = is_null(context)
        (one,) = f.if_(
            is_own, lambda: f.call(layout.OPEN, [f.constant(1, I32)], POINTER), lambda: context
        )

        def run() -> Value:
            status = f.call("run", [program, one, arguments, results], I64)
            f.if_(is_own, lambda: f.run(layout.CLOSE, [one]))
            return status

        (status,) = f.if_(is_null(one), lambda: f.constant(layout.STATUS["memory"]), run)
        return status

    good = fits("arguments", arguments) & fits("results", results)
    (status,) = f.if_(good != 0, call, lambda: f.constant(layout.STATUS["argument"]))
    f.result = status.to("trunc", "i32")
    return f
