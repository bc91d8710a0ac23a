"""Functions of JAX as StableHLO.

    program = shlo_tools.from_jax(function, x)
    y = shlo_tools.run(program, x)

JAX brings an MLIR of its own, and two MLIRs in one process may crash it. Where JAX is loaded and
ours is not, the export happens right here, and what needs ours (compiling, running) in a child
process. Everywhere else the export happens in a child process, which imports the function by its
name: functions themselves cannot be sent there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from shlo_tools import workers
from shlo_tools.errors import ShloError
from shlo_tools.interop.exporting import Export
from shlo_tools.interop.imported import ImportedProgram

_WORKER = "shlo_tools.interop.jax_worker"


def from_jax(
    function: Any,
    /,
    *arguments: Any,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    constraints: Sequence[str] = (),
    **keywords: Any,
) -> ImportedProgram:
    """Export a function of JAX to StableHLO, for this machine's CPU.

    The program takes the leaves of the arguments, positional ones first: tuples and lists from left
    to right, dictionaries by their sorted keys, None as nothing; that is the order of
    ``jax.tree.leaves((args, kwargs))``. Results come in the order of ``jax.tree.leaves(result)``.
    ``program.arguments`` and ``program.results`` say which is which.

    Args:
        function: what ``jax.jit`` takes; or its name, ``"package.module:function"``. One that is
            jitted already keeps what its ``jit`` says: static arguments, shardings, and that
            arguments which it does not use are none of the program's. Otherwise all are.
        arguments: examples, whose values do not matter: arrays, Python numbers,
            ``jax.ShapeDtypeStruct`` (of symbolic sizes as well) or, where JAX is not loaded,
            ``shlo_tools.ArrayType("batch, 784", "float32")``.
        static_argnums: numbers of arguments that are constants of the program.
        static_argnames: names of arguments that are.
        constraints: what is known of the symbols in ``ArrayType``s: ``"batch >= 4"``.
        keywords: further examples, by name.

    Raises:
        ShloError: JAX is not installed, or the function cannot be imported where it is exported.
        Exception: whatever the function raises for such arguments, or JAX about it.
    """
    export = Export(arguments, keywords, static_argnums, static_argnames, tuple(constraints))
    loaded = "jax" in sys.modules and "shlo_tools.mlir" not in sys.modules
    if loaded and not isinstance(function, str):
        return export.run(function)
    name = function if isinstance(function, str) else _name_of(function)
    program: ImportedProgram = workers.worker_of(_WORKER).ask("export", name, export.abstract())
    return program


def _name_of(function: Any) -> str:
    """How another process imports a function: ``package.module:function``."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", "")
    value: Any = sys.modules.get(module or "")
    for part in name.split("."):
        value = getattr(value, part, None)
    if value is not function or module == "__main__":
        raise ShloError(
            f"{name or function!r} would be exported in another process, and cannot be imported "
            "there by a name",
            hint="put it into a module, as a function of its own; or import jax, and call "
            "from_jax before anything else of shlo_tools",
        )
    return f"{module}:{name}"
