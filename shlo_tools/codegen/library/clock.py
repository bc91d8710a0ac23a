"""The time, for compiled code."""

from __future__ import annotations

import time

from shlo_tools.codegen.function import I32, I64, POINTER, Function, Value

_NOW = "monotonic"


def functions() -> list[Function]:
    """What code of ``now`` calls, private to each module."""
    f = Function(_NOW, [], I64, exported=False)
    words = f.constant(2)
    when = f.emit(f"llvm.alloca {words.name} x i64 : (i64) -> !llvm.ptr", POINTER)
    f.call("clock_gettime", [f.constant(time.CLOCK_MONOTONIC, I32), when], I32)
    f.result = f.load(when, I64) * 1_000_000_000 + f.load(when.at(8), I64)
    return [f]


def now(f: Function) -> Value:
    """Nanoseconds of the clock that ``time.monotonic_ns`` reads."""
    return f.call(_NOW, [], I64)
