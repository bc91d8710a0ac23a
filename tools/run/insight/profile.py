"""What a program was compiled to, and what takes how long: ``shlo-run --profile`` and the like."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from shlo_tools.calling.executable import Executable
from shlo_tools.calling.profile import Profile
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.tools.run.run_request import TABLE, Request

_MOST = 25  # rows of the table of steps


def told(
    request: Request, compiled: Executable, arguments: Sequence[Array], model: str
) -> Iterator[str]:
    """What a request wants to know of native code; files are written on the way.

    Args:
        model: the name of the program's file.
    """
    if request.profile:
        yield from lines(compiled)
    if request.dump_kernels:
        compiled.dump_kernels(request.dump_kernels)
        yield f"stages are listed in {os.path.join(request.dump_kernels, 'index.csv')}"
    if request.memory:
        yield from _memory(request, compiled, model)
    if not request.profile and not request.trace:
        return
    calls = request.repeat or None
    measured = compiled.profile(*arguments, calls=calls, timeout=request.timeout)
    if request.profile:
        yield ""
        yield from _tables(measured.in_file(model))
    if request.trace:
        measured.save_trace(request.trace)
        left_out = f"; {measured.left_out} more left out" if measured.left_out else ""
        yield f"{len(measured.events)} events are in {request.trace}{left_out}"


def _memory(request: Request, compiled: Executable, model: str) -> Iterator[str]:
    """What is in memory when; of the sizes of the call where these are unknown before."""
    if isinstance(compiled, SizedExecutable):
        if compiled.latest is None:
            raise ShloError(
                "--memory: how much memory a call takes depends on its sizes",
                hint="arguments say them: --input=VALUE",
            )
        compiled = compiled.latest
    memory = compiled.memory
    if memory is None:
        raise UnsupportedError("--memory: how much memory a call takes, it finds out on its way")
    if request.memory == TABLE:
        yield memory.in_file(model).table(_MOST)
    else:
        memory.plot(request.memory)
        yield f"what is in memory when is in {request.memory}"


def _tables(measured: Profile) -> Iterator[str]:
    """By stage, where any is run from several places, and by steps."""
    if len({row.stage for row in measured.rows}) < len(measured.rows):
        yield measured.table("stage")
        yield ""
    yield measured.table(most=_MOST)


def lines(compiled: Executable) -> Iterator[str]:
    """Stages, those without a kernel by their reasons, and what a call takes."""
    if isinstance(compiled, SizedExecutable):
        count, late = len(compiled.stages), Counter(compiled.late.values())
        yield f"stages of unknown sizes: {count}, {late.total()} lowered for the sizes of a call"
        for reason, count in late.most_common():
            yield f"  {count} lowered for the sizes of a call: {reason}"
        if compiled.latest is not None:
            yield from lines(compiled.latest)
            return
    elif isinstance(compiled, StagedExecutable):
        plain = Counter(compiled.plain.values())
        yield f"stages: {len(compiled.stages)} distinct ones, {plain.total()} without a kernel"
        for reason, count in plain.most_common():
            yield f"  {count} without a kernel: {reason}"
    else:
        yield "stages: none, since sizes or types are unknown to kernels; one function by linalg"
    memory = compiled.memory
    yield f"memory of a call: {memory or 'known when it is called'}"
