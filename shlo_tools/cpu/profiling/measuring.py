"""Measured calls of a program of stages, as a profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from shlo_tools.calling.profile import Profile, ProfiledJob, ProfileRow
from shlo_tools.calling.trace import CALLER, Event
from shlo_tools.cpu import limits
from shlo_tools.cpu.limits import Limits
from shlo_tools.cpu.process_library.threads import thread_count
from shlo_tools.cpu.profiling.events import events
from shlo_tools.cpu.profiling.recorder import Recorder
from shlo_tools.cpu.profiling.rows import Origins, Rows
from shlo_tools.cpu.stages.entry import Entry
from shlo_tools.cpu.stages.program import Program
from shlo_tools.dtypes import Array

CALLS, ENOUGH = 10, 1.0  # calls that are measured, unless these take seconds


def profile(
    name: str,
    program: Program,
    entry: Entry,
    call: Callable[[], float],
    calls: int | None,
    origins: Origins | None,
    threads: int | None,
) -> Profile:
    """Measure calls of a program of stages.

    Args:
        entry: what ``call`` calls; it returns seconds.
        calls: how many; by default as many as a second has, up to ten.
        origins: of the program's stages, where they are known.
        threads: how many a call may use; None for all.
    """
    recorder, samples = Recorder(entry), list[Array]()
    call()  # threads wake, and memory is touched

    def sample() -> float:
        recorder.totals[:] = 0
        seconds = call()
        samples.append(recorder.totals.copy())
        return seconds

    seconds = _repeated(sample, calls)
    recorder.trace()
    start = time.monotonic_ns()
    call()
    recorded, left_out = recorder.events()
    table = entry.table
    rows = Rows(program, table.origins, origins, _machine(threads))
    names = [rows.name(number) for number in range(len(table.rows))]
    trace = events(recorded, table.origins, names, entry.frame["scratch"], start)
    listed = rows.of(np.median(np.array(samples), axis=0))
    return _profile(name, seconds, listed, trace, left_out, threads)


def profile_of_one_step(
    name: str, call: Callable[[], tuple[float, int]], calls: int | None, threads: int | None
) -> Profile:
    """Measure calls of a program that is one function.

    Args:
        call: returns seconds, and the bytes of arguments and results.
        calls, threads: as of ``profile``.
    """
    _, bytes = call()
    seconds = _repeated(lambda: call()[0], calls)
    median = float(np.median(seconds))
    row = ProfileRow(
        stage=f"@{name}",
        place=None,
        ops=(),
        jobs=(ProfiledJob(name, median),),
        runs=1,
        seconds=median,
        bytes=bytes,
        flops=None,
        uncounted=frozenset(),
        least_seconds=None,
    )
    whole = Event(name, "call", CALLER, 0, int(seconds[-1] * 1e9))
    return _profile(name, seconds, [row], [whole], 0, threads)


def _repeated(call: Callable[[], float], calls: int | None) -> list[float]:
    """Seconds of calls."""
    seconds: list[float] = []
    while len(seconds) < (calls or CALLS) and (calls or sum(seconds) < ENOUGH):
        seconds.append(call())
    return seconds


def _count(limit: int | None) -> int:
    """How many threads compute."""
    return min(limit or thread_count(), thread_count())


def _machine(limit: int | None) -> Limits:
    """What one thread can do at most, or all of them: others were not measured."""
    return limits.measured(1 if _count(limit) == 1 else None)


def _profile(
    name: str,
    seconds: Sequence[float],
    rows: Iterable[ProfileRow],
    events: Iterable[Event],
    left_out: int,
    threads: int | None,
) -> Profile:
    machine = _machine(threads)
    return Profile(
        function=name,
        calls=len(seconds),
        threads=_count(threads),
        seconds=float(np.median(seconds)),
        rows=tuple(rows),
        peak_flops=machine.flops_f32,
        bandwidth=machine.bandwidth,
        events=tuple(events),
        left_out=left_out,
    )
