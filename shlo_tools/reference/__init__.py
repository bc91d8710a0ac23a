"""What programs mean: executable semantics on numpy, one small function per op.

The functions mirror the specification's text, not the lowering; they are what native results are
compared with. ``compile`` gives the interface of a compiled program, ``interpret`` runs one once,
``interpret_grid`` simulates a grid of processes.
"""

import importlib
from typing import TYPE_CHECKING, Any

from shlo_tools.reference._evaluates import EVALUATORS, evaluates

if TYPE_CHECKING:
    from shlo_tools.reference.executable import (
        GridResults,
        Reference,
        compile,
        interpret,
        interpret_grid,
    )

__all__ = [
    "EVALUATORS",
    "GridResults",
    "Reference",
    "compile",
    "evaluates",
    "interpret",
    "interpret_grid",
]


def __getattr__(name: str) -> Any:
    if name in __all__:  # what runs programs is loaded by those who do
        return getattr(importlib.import_module("shlo_tools.reference.executable"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
