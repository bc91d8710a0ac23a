"""Other MLIR builds. Two of them in one process share symbol names, and crash."""

from __future__ import annotations

import sys

# Modules that bring an MLIR of their own.
OTHER_MLIRS = ("jaxlib.mlir", "jaxlib._jax", "iree.compiler", "mlir.ir", "tensorflow")


def second_mlir() -> str | None:
    """The module through which another MLIR is loaded in this process, or None."""
    return next((name for name in OTHER_MLIRS if name in sys.modules), None)
