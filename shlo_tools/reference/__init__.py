"""What programs mean: executable semantics on numpy, one small function per op.

The functions mirror the specification's text, not the lowering; they are what native results are
compared with. ``compile`` gives the interface of a compiled program, ``interpret`` runs one once,
``interpret_grid`` simulates a grid of processes.
"""

from shlo_tools.reference import (
    batch_normalization,
    chlo,
    collectives,
    contraction,
    control_flow,
    conversion,
    convolution,
    custom_calls,
    data_movement,
    deprecated,
    dynamism,
    elementwise,
    functions,
    gather_scatter,
    grouping,
    linear_algebra,
    quantization,
    random,
    reduction,
    signal,
    sorting,
    transfer,
    windows,
)
from shlo_tools.reference._evaluates import EVALUATORS, evaluates
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
