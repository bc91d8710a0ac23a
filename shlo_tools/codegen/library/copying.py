"""Copying bytes, a chunk at a time."""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, formula
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.dims import Dim, ceiling_divided

COPY = "shlo_rt_copy"
_CHUNK = 128 * 1024  # bytes


def functions() -> list[Function]:
    """``shlo_rt_copy``, a job: its context holds source, target and the number of bytes."""
    f = Function(COPY, JOB)
    context, chunk, _ = f.arguments
    source, target = (f.load(context.at(8 * place), POINTER) for place in range(2))
    start = chunk * _CHUNK
    count = f.minimum(f.load(context.at(16), I64) - start, _CHUNK)
    f.copy(target.at(start), source.at(start), count)
    return [f]


def job(context: int, size: Dim, fills: int | None = None) -> Job:
    """A job that copies ``size`` bytes."""
    return Job(COPY, context, formula(ceiling_divided(size, _CHUNK)), fills=fills)


def add(code: StageCode, source: Place, target: Place, size: Dim, fills: int | None = None) -> None:
    """Have a stage copy ``size`` bytes, with a context of its own."""
    code.contexts.append(context(source, target, size))
    code.jobs.append(job(len(code.contexts) - 1, size, fills))


def context(source: Place, target: Place, size: Dim) -> Context:
    """The context of a copy."""
    return Context((source, target, formula(size)))
