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
from inputs import normal
from jax_registry import PROGRAMS, Program, Symbolic
from recording import Array, conditioning, random_generator, record, record_sizes

FAMILIES = (
    "training",
    "language",
    "networks",
    "numerics",
    "linear_algebra",
    "random",
    "special",
    "forms",
    "symbolic",
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
    if program.symbolic is not None:
        export_sizes(program, program.symbolic, jitted)
    print(f"{program.name}: the last bit of the inputs moves results by {moved:.2g} bounds")


def lower(program: Program, jitted: Any, arguments: tuple[Any, ...]) -> str:
    """The module of a jitted function as text."""
    if program.lowered:
        return str(jitted.lower(*arguments).as_text())
    return str(exported(program, jitted, arguments).mlir_module())


def exported(program: Program, jitted: Any, arguments: tuple[Any, ...]) -> Any:
    """A function exported for its arguments' sizes, or for the program's symbols."""
    if program.symbolic is not None:
        scope = jax.export.SymbolicScope(program.symbolic.constraints)
        shapes = [jax.export.symbolic_shape(s, scope=scope) for s in program.symbolic.arguments]
        pairs = zip(shapes, arguments, strict=True)
        arguments = tuple(jax.ShapeDtypeStruct(shape, array.dtype) for shape, array in pairs)
    return jax.export.export(jitted, platforms=["cpu"])(*arguments)


def export_sizes(program: Program, symbolic: Symbolic, jitted: Any) -> None:
    """Record what the function computes for further sizes, and what JAX says of wrong ones.

    Raises:
        ValueError: sizes that are to be refused are not.
    """
    generator = random_generator(program.name + " sizes")
    cases = []
    for shapes in symbolic.shapes:
        inputs = [normal(generator, *shape) for shape in shapes]
        cases.append((inputs, arrays(jax.tree.leaves(jitted(*inputs)))))
    refused = []
    for shapes in symbolic.refused:
        inputs = [np.zeros(shape, np.float32) for shape in shapes]
        try:
            exported(program, jitted, tuple(inputs)).call(*inputs)
        except ValueError as error:
            refused.append({"shapes": shapes, "message": str(error)})
        else:
            raise ValueError(f"{program.name}: {shapes} are not refused")
    record_sizes(program.name, cases, refused)


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
