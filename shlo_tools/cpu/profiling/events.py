"""Events of a trace, from a log of what ran when and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shlo_tools.calling.trace import CALLER, Event
from shlo_tools.codegen.library import profiling
from shlo_tools.cpu.stages.table import Origin
from shlo_tools.dtypes import Array


def events(
    recorded: Array, table: Sequence[Origin], names: Sequence[str], caller: int, start: int
) -> Iterator[Event]:
    """What ran when: stages, the jobs in them, and their chunks, with what encloses others first.

    Args:
        recorded: rows of ``profiling.EVENT``.
        names: of what the table's rows are part of.
        caller: the number of the calling thread.
        start: when the call began.
    """
    ordered = sorted(recorded.tolist(), key=lambda e: (e[3], e[1] != profiling.WHOLE))
    threads = _thread_numbers(recorded, caller)
    jobs = [e for e in ordered if e[1] == profiling.WHOLE and table[e[0]].function]
    listed = [*_stage_events(jobs, table, names, start)]
    for row, chunk, thread, begin, end in ordered:
        function = table[row].function
        if not function:
            continue
        if chunk == profiling.WHOLE:
            details: dict[str, str | int] = {"stage": names[row]}
            listed.append(Event(function, "job", CALLER, begin - start, end - begin, details))
        else:
            details = {"stage": names[row], "chunk": chunk}
            number = threads[thread]
            listed.append(Event(function, "chunk", number, begin - start, end - begin, details))
    order = ("stage", "job", "chunk")
    yield from sorted(listed, key=lambda event: (event.start, order.index(event.kind)))


def _stage_events(
    jobs: Sequence[Sequence[int]], table: Sequence[Origin], names: Sequence[str], start: int
) -> Iterator[Event]:
    """One for jobs of one call of a stage that follow each other."""
    begin, end, last = 0, 0, -1
    for row, _, _, job_begin, job_end in jobs:
        same = last >= 0 and row > last and table[row].call == table[last].call
        if not same:
            if last >= 0:
                yield Event(names[last], "stage", CALLER, begin - start, end - begin)
            begin = job_begin
        end, last = job_end, row
    if last >= 0:
        yield Event(names[last], "stage", CALLER, begin - start, end - begin)


def _thread_numbers(recorded: Array, caller: int) -> dict[int, int]:
    others = sorted({int(thread) for thread in recorded[:, 2]} - {caller})
    return {caller: CALLER, **{thread: number for number, thread in enumerate(others, 1)}}
