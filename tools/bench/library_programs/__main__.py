"""Exports programs of other people's libraries for benchmarks, with what JAX computes.

    python -m shlo_tools.tools.bench.library_programs --folder=build/libraries --select=diffrax

needs what ``requirements.txt`` beside this file lists.
"""

from __future__ import annotations

import os

from shlo_tools.tools.bench.jax_programs import exporting

FAMILIES = (
    "vision",
    "diffusion",
    "language",
    "learning",
    "graphs",
    "solvers",
    "sampling",
    "physics",
    "estimation",
)


if __name__ == "__main__":
    # Equinox else calls back into Python to raise, which cannot be exported.
    os.environ["EQX_ON_ERROR"] = "nan"
    package = "shlo_tools.tools.bench.library_programs"
    exporting.main(__doc__.split("\n")[0], [f"{package}.{family}" for family in FAMILIES])
