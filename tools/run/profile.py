"""What a program was compiled to, for ``shlo-run --profile``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from shlo_tools.calling.executable import Executable
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable


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
