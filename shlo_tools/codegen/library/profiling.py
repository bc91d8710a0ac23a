"""Running a table of jobs with a clock.

``shlo_rt_profile(frame, context)`` runs as an entry point does, see ``PROFILE_CONTEXT``: it walks a
table as ``shlo_rt_run`` does, and adds up how often each row ran, and how many nanoseconds it took.
Where there is a log, it writes an event for each of them.

``shlo_rt_timed(context, chunk, scratch)`` is a job that runs a chunk of another one, see
``TIMED_CONTEXT``, and writes an event to the log. Memory for scratch is a thread's own: it says
which thread that was.

A log begins with the number of events that were to be written, and of those that it has room for;
then events follow (``EVENT``).
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library import clock, jobs
from shlo_tools.codegen.library.pool import JOB

PROFILE = "shlo_rt_profile"
TIMED = "shlo_rt_timed"

PROFILE_CONTEXT = ("table", "rows", "totals", "log")  # of rows two totals each; no log is 0
TIMED_CONTEXT = ("function", "context", "row", "log")
LOG_WORDS = 2  # in front of events
EVENT = ("row", "chunk", "thread", "start", "end")
WHOLE = -1  # chunk of the event of a row


def functions() -> list[Function]:
    """``shlo_rt_profile`` and ``shlo_rt_timed``."""
    return [*clock.functions(), _note(), _profile(), _timed()]


def _note() -> Function:
    """Write an event, where the log has room for it."""
    f = Function("note_event", [POINTER, *[I64] * len(EVENT)], exported=False)
    log, *words = f.arguments
    number = f.add_atomic(log, 1)

    def write() -> None:
        event = log.at(number * len(EVENT) + LOG_WORDS, I64)
        for place, word in enumerate(words):
            f.store(word, event.at(8 * place))

    f.if_(number < f.load(log.at(8), I64), write)
    return f


def _profile() -> Function:
    f = Function(PROFILE, [POINTER, POINTER])
    frame, context = f.arguments

    def word(name: str, type: Type = I64) -> Value:
        return f.load(context.at(8 * PROFILE_CONTEXT.index(name)), type)

    table, totals, log = (word(name, POINTER) for name in ("table", "totals", "log"))
    rows, has_log = word("rows"), word("log") != 0

    def run(number: Value) -> list[Value]:
        start = clock.now(f)
        following, stopped = jobs.step(f, frame, table, number)
        end = clock.now(f)
        total = totals.at(number * 2, I64)
        f.store(f.load(total, I64) + 1, total)
        f.store(f.load(total.at(8), I64) + end - start, total.at(8))
        thread = f.load(frame.at(layout.offset("scratch")), I64)
        event = [log, number, f.constant(WHOLE), thread, start, end]
        f.if_(has_log, lambda: f.run("note_event", event))
        return [following, stopped]

    f.while_(
        lambda number, stopped: (number < rows) & (stopped == 0),
        lambda number, _: run(number),
        [f.constant(0), f.constant(0)],
    )
    return f


def _timed() -> Function:
    f = Function(TIMED, JOB)
    context, chunk, scratch = f.arguments

    def word(name: str, type: Type = I64) -> Value:
        return f.load(context.at(8 * TIMED_CONTEXT.index(name)), type)

    function, inner, log = (word(name, POINTER) for name in ("function", "context", "log"))
    start = clock.now(f)
    f.run_address(function, [inner, chunk, scratch])
    end = clock.now(f)
    thread = scratch.to("ptrtoint", "i64")
    f.run("note_event", [log, word("row"), chunk, thread, start, end])
    return f
