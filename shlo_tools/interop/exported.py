"""Objects that carry a StableHLO program: what ``jax.jit(f).lower(x)`` and ``jax.export`` return.

They are recognised by what they can do, so that nothing here imports JAX.
"""

from __future__ import annotations

from typing import Any

from shlo_tools.interop.imported import ImportedProgram


def source_of(program: Any) -> Any:
    """The text of a program held by another framework's object; anything else as it is.

    ``jax.export.Exported`` has ``mlir_module()``; ``jax.stages.Lowered`` has ``as_text()``.
    """
    if isinstance(program, str | bytes):
        return program
    if isinstance(program, ImportedProgram):
        return program.artifact
    if hasattr(program, "mlir_module") and callable(program.mlir_module):
        return str(program.mlir_module())
    if hasattr(program, "as_text") and callable(program.as_text):
        return str(program.as_text())
    return program
