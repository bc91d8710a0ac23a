"""The custom_call targets that exporters emit for CPUs, and those of our own lowering.

``TARGETS`` has the function of each; how it is called is told in ``shlo_tools.extend``.
"""

from __future__ import annotations

from shlo_tools.cpu.custom_calls import checks, collectives, fourier, lapack, matrices, programs
from shlo_tools.extend import CustomCall

TARGETS: dict[str, CustomCall] = {
    **checks.TARGETS,
    **collectives.TARGETS,
    **lapack.TARGETS,
    **matrices.TARGETS,
    **fourier.TARGETS,
    **programs.TARGETS,
}
