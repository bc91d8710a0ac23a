"""Computations of reductions, sorts, scatters and their like: regions inlined as scalar code."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Region, Value
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS, Emit


def inline(region: Region, arguments: Sequence[Value], build: Lowering) -> list[Value]:
    """Emit a region on 0-dimensional tensors as scalar code; returns what it yields.

    Raises:
        UnsupportedError: an op in it has no scalar form.
    """
    block = region.blocks[0]
    scalars: dict[Value, Value] = dict(zip(block.arguments, arguments, strict=True))
    operations = [mlir.inner_operation(view) for view in block.operations]
    for op in operations[:-1]:
        rule = SCALARS.get(op.name)
        if rule is None or any(tensor_type(r.type).rank for r in op.results):
            ir.raise_unsupported([op], "inside the computation of another op")
            continue
        build.location = op.location
        given = [_scalar_of(value, scalars, build) for value in op.operands]
        scalars[op.results[0]] = rule(Emit(op, build), *given)
    return [_scalar_of(value, scalars, build) for value in operations[-1].operands]


def _scalar_of(value: Value, scalars: dict[Value, Value], build: Lowering) -> Value:
    """The scalar for an old value; one captured from outside is read from its tensor."""
    if value not in scalars:
        captured = build.lowered(value)
        if isinstance(captured, tuple):
            raise TypeError("a captured value of several parts has no scalar")
        type = tensor_type(value.type).element_type
        scalars[value] = structured.extract(build, captured, type)
    return scalars[value]
