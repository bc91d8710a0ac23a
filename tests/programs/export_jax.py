"""Exports small JAX programs and records what JAX computes with them on the CPU.

    python export_jax.py [names...]

needs jax and numpy; the tests that read the files need neither. A new program is a decorated
function in one of the `jax_*.py` files beside this one.
"""

import importlib
import sys
from typing import Any

import jax
import jax.export
import numpy as np
from jax_registry import PROGRAMS, Program
from recording import Array, conditioning, random_generator, record

FAMILIES = (
    "training",
    "language",
    "networks",
    "numerics",
    "linear_algebra",
    "random",
    "special",
    "forms",
)

# Locations keep file and line, but no folder of the machine that exported.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
jax.config.update("jax_include_full_tracebacks_in_locations", False)


def export(program: Program) -> None:
    """Export one program, run it, and record both.

    Raises:
        ValueError: the program does not suit as a test: see `record` and `conditioning`.
    """
    function, arguments = program.build(random_generator(program.name))
    leaves, structure = jax.tree.flatten(arguments)
    flat = arrays(leaves)
    # A dropped argument would shift the numbers of all later ones.
    jitted = jax.jit(function, keep_unused=True)

    def run(values: list[Array]) -> list[Array]:
        return arrays(jax.tree.leaves(jitted(*jax.tree.unflatten(structure, values))))

    results = run(leaves)
    moved = conditioning(program.name, run, flat, results, program.bound)
    module = lower(program, jitted, arguments)
    record(program.name, module, flat, results, program.bound, f"jax {jax.__version__}")
    print(f"{program.name}: the last bit of the inputs moves results by {moved:.2g} bounds")


def lower(program: Program, jitted: Any, arguments: tuple[Any, ...]) -> str:
    """The module of a jitted function as text."""
    if program.lowered:
        return str(jitted.lower(*arguments).as_text())
    exported = jax.export.export(jitted, platforms=["cpu"])(*arguments)
    return str(exported.mlir_module())


def arrays(leaves: list[Any]) -> list[Array]:
    """Leaves of a pytree as numpy arrays."""
    return [np.asarray(leaf) for leaf in leaves]


def main(names: list[str]) -> int:
    """Export the named programs, or all of them."""
    for family in FAMILIES:
        importlib.import_module(f"jax_{family}")
    unknown = sorted(set(names) - PROGRAMS.keys())
    if unknown:
        print(f"unknown programs {unknown}; known: {sorted(PROGRAMS)}", file=sys.stderr)
        return 1
    for name in names or PROGRAMS:
        export(PROGRAMS[name])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
