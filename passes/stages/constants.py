"""Constants where they are used."""

from __future__ import annotations

from collections.abc import Iterable

from shlo_tools import ir, mlir
from shlo_tools.mlir import Block, Operation, Value

_CONSTANTS = ("stablehlo.constant", "arith.constant", "tensor.empty")  # the last of named sizes


def sink_constants(ops: Iterable[Operation]) -> None:
    """Constants that regions use move there, where stages compute them for themselves."""
    for op in ops:
        constants = [v for v in ir.captured(op) if mlir.is_result_of(v, _CONSTANTS)]
        for region in op.regions if constants else ():
            block = region.blocks[0]
            inside = [inner for view in block.operations for inner in mlir.walk(view)]
            ir.replace_operands(inside, {value: _copy(value, block) for value in constants})


def _copy(constant: Value, block: Block) -> Value:
    """A copy of a constant at the start of a block."""
    copy = mlir.inner_operation(constant.owner).clone(mlir.at_start(block))
    return mlir.inner_operation(copy).results[0]
