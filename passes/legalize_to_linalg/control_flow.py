"""Control flow: scf, with carried values kept in place."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.ir import Lowering, flatten
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def while_(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """``scf.while``; each iteration's results are written into the buffers it read.

    Bufferization wants a yielded tensor to live in the buffer of the value it replaces.
    ``materialize_in_destination`` says so, and the analysis copies where values are swapped.
    """
    types = build.types([value.type for value in op.operands])
    loop = build.op("scf.while", flatten(operands), types, regions=2)
    block, inner = build.block(loop.regions[0], types)
    carried = list(block.arguments)
    holds = flatten(inner.inline(op.regions[0], carried))
    condition = structured.extract(inner, holds[0], ELEMENT_TYPES["i1"])
    inner.op("scf.condition", [condition, *carried])
    block, inner = build.block(loop.regions[1], types)
    carried = list(block.arguments)
    results = flatten(inner.inline(op.regions[1], carried))
    inner.op("scf.yield", [_in_place(inner, *pair) for pair in zip(results, carried, strict=True)])
    return list(loop.results)


def _in_place(build: Lowering, result: Value, carried: Value) -> Value:
    if not mlir.is_tensor(result.type) or result == carried:
        return result
    return build.value("bufferization.materialize_in_destination", (result, carried), result.type)


@lowers
def return_(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """A function may end with ``stablehlo.return``."""
    build.op("func.return", flatten(operands))
    return []
