"""Integers of shape arithmetic that are known become constants, and what they came from goes.

Before:
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
    %m = stablehlo.add %n, %n : tensor<i32>
After:
    %m = stablehlo.constant dense<8> : tensor<i32>
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Block, Operation, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.shapes import Shapes

# Ops that do more than compute their results.
_EFFECTS = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("after_all", "all_gather", "all_reduce", "all_to_all", "async_done", "async_start"),
        *("collective_broadcast", "collective_permute", "collective_reduce", "create_token"),
        *("cross-replica-sum", "custom_call", "infeed", "outfeed", "partition_id", "recv"),
        *("reduce_scatter", "replica_id", "rng", "rng_bit_generator", "send"),
    )
)


def fold(shapes: Shapes) -> None:
    """Replace the visited integer ops whose results are numbers."""
    made: dict[tuple[Block, Attribute], Value] = {}
    dead: list[Operation] = []
    for op in shapes.integers:
        value = op.results[0]
        held = _numbers(value, shapes)
        if held is None or not _is_pure(op):
            continue
        key = (op.block, held)
        if key not in made:
            build = Build(mlir.before(op), op.location)
            made[key] = build.value("stablehlo.constant", (), value.type, {"value": held})
        value.replace_all_uses_with(made[key])
        dead.append(op)
    erase_unused(dead)


def _numbers(value: Value, shapes: Shapes) -> Attribute | None:
    """A tensor's elements as an attribute, where all are known."""
    elements = shapes.contents(value)
    if elements is None or not all(isinstance(element, int) for element in elements):
        return None
    type = dtypes.tensor_type(value.type)
    array = np.array(elements, object).astype(type.element_type.dtype)
    return dtypes.to_attribute(array.reshape(type.static_shape), type.element_type)


def _is_pure(op: Operation) -> bool:
    regions = len(op.regions) > 0 and op.name != "stablehlo.reduce"
    return op.name in DESCRIPTIONS and op.name not in _EFFECTS and not regions


def erase_unused(ops: Iterable[Operation]) -> None:
    """Erase ops whose results nothing uses, and those that only they used."""
    pending = dict.fromkeys(ops)
    while pending:
        op, _ = pending.popitem()
        if not _is_pure(op) or any(_is_used(result) for result in op.results):
            continue
        owners = [mlir.defining_op(operand) for operand in op.operands]
        op.erase()
        pending.update((owner, None) for owner in owners if owner is not None)


def _is_used(value: Value) -> bool:
    return next(iter(value.uses), None) is not None
