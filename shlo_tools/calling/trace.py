"""Traces in Chrome's trace event format, which Perfetto and chrome://tracing open.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CALLER = 0  # the thread that called the program


@dataclass(frozen=True)
class Event:
    """Something that a thread did.

    Attributes:
        name: what it was.
        kind: ``call``, ``stage``, ``job`` or ``chunk``; each lies within one of the kind before.
        thread: which one; ``CALLER``, or 1, 2, ... for those of the pool.
        start: in nanoseconds from when the call began.
        duration: in nanoseconds.
        details: what else is to be said of it.
    """

    name: str
    kind: str
    thread: int
    start: int
    duration: int
    details: Mapping[str, str | int] = field(default_factory=dict)


def chrome_trace(function: str, events: Sequence[Event], left_out: int = 0) -> str:
    """Events as JSON; what encloses others has to come first."""
    threads = sorted({event.thread for event in events} | {CALLER})
    names = {thread: f"thread {thread}" for thread in threads} | {CALLER: "calling thread"}
    rows: list[dict[str, Any]] = [_named("process_name", 0, f"@{function}")]
    rows += [_named("thread_name", thread, name) for thread, name in names.items()]
    rows += [_complete(event) for event in events]
    about = {"function": function, "events_left_out": left_out}
    return json.dumps({"traceEvents": rows, "displayTimeUnit": "ns", "otherData": about})


def _named(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": 1, "tid": thread, "args": {"name": name}}


def _complete(event: Event) -> dict[str, Any]:
    """An event with its duration; times are microseconds."""
    return {
        "name": event.name,
        "cat": event.kind,
        "ph": "X",
        "pid": 1,
        "tid": event.thread,
        "ts": event.start / 1000,
        "dur": event.duration / 1000,
        "args": dict(event.details),
    }
