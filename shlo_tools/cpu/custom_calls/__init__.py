"""The custom_call targets that exporters emit for CPUs, and those of our own lowering.

``find`` has the function of each; how it is called is told in ``shlo_tools.extend``.
"""

from __future__ import annotations

from shlo_tools.cpu.custom_calls import checks, fourier, lapack, matrices, programs
from shlo_tools.extend import CustomCall
from shlo_tools.extend.targets import PROCESS

# All but those of processes.
TARGETS: dict[str, CustomCall] = {
    **checks.TARGETS,
    **lapack.TARGETS,
    **matrices.TARGETS,
    **fourier.TARGETS,
    **programs.TARGETS,
}


def find(target: str) -> CustomCall | None:
    """The function of a target, or None."""
    if target.startswith(PROCESS):
        from shlo_tools.cpu.custom_calls import collectives  # few programs have any

        return collectives.TARGETS.get(target)
    return TARGETS.get(target)
