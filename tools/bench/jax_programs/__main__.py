"""Exports the programs of this package for benchmarks, with what JAX computes.

    python -m shlo_tools.tools.bench.jax_programs --folder=build/bench --select=matmul

needs jax.
"""

from __future__ import annotations

from shlo_tools.tools.bench.jax_programs import exporting

FAMILIES = (
    "products",
    "pointwise",
    "rows",
    "movement",
    "images",
    "numerics",
    "grids",
    "vectors",
    "networks",
)


if __name__ == "__main__":
    package = "shlo_tools.tools.bench.jax_programs"
    exporting.main(__doc__.split("\n")[0], [f"{package}.{family}" for family in FAMILIES])
