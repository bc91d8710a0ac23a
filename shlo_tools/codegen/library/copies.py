"""Copying bytes, as a job: words of the context are target, source and how many."""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function
from shlo_tools.codegen.library.pool import JOB

COPY = "shlo_rt_copy"
_CHUNK = 256 * 1024  # bytes


def chunks(size: int) -> int:
    """The chunks of a copy of ``size`` bytes."""
    return -(-size // _CHUNK)


def functions() -> list[Function]:
    """``shlo_rt_copy(context, chunk, scratch)``."""
    f = Function(COPY, JOB)
    context, chunk, _ = f.arguments
    target, source = (f.load(context.at(8 * k), POINTER) for k in range(2))
    start = chunk * _CHUNK
    left = f.load(context.at(16), I64) - start
    f.copy(target.at(start), source.at(start), f.minimum(left, _CHUNK))
    return [f]
