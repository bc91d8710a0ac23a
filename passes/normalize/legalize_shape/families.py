"""The family files, which register their rules, and what the dialect does not have."""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.dialects import shape_names
from shlo_tools.mlir import Operation
from shlo_tools.passes.normalize.legalize_shape import (
    combining,
    constraints,
    extents,
    functions,
    regions,
    sizes,
    tensors,
    upstream,
)
from shlo_tools.reference.self_checking import require

FAMILIES = (combining, constraints, extents, functions, regions, sizes, tensors, upstream)


def check(module: Operation) -> None:
    """Refuse ops that the dialect does not have: MLIR takes any name in the generic form."""
    for op in mlir.walk(module):
        if op.name.startswith(shape_names.PREFIX):
            require(op)
