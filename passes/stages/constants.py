"""Constants where they are used."""

from __future__ import annotations

from collections.abc import Iterable

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Value

_CONSTANTS = ("stablehlo.constant", "arith.constant", "tensor.empty")  # the last of named sizes


def sink_constants(ops: Iterable[Operation]) -> None:
    """Constants that regions use move there, where stages compute them for themselves."""
    for op in ops:
        constants = [v for v in ir.captured(op) if mlir.is_result_of(v, _CONSTANTS)]
        for region in op.regions if constants else ():
            block = region.blocks[0]
            inside = [inner for view in block.operations for inner in mlir.walk(view)]
            for constant in constants:
                clone = mlir.inner_operation(constant.owner).clone(mlir.at_start(block))
                _replace(inside, constant, mlir.inner_operation(clone).results[0])


def _replace(ops: Iterable[Operation], old: Value, new: Value) -> None:
    for op in ops:
        for place, value in enumerate(list(op.operands)):
            if value == old:
                op.operands[place] = new
