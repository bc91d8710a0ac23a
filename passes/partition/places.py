"""How values lie in stages."""

from __future__ import annotations

import math

from shlo_tools.codegen.stages.folds import is_spread
from shlo_tools.codegen.stages.nodes import used_dimensions
from shlo_tools.mlir import Value
from shlo_tools.passes.partition.graph import Op, Stage


def where(operand: Op | Value, stage: Stage, *, goes_on: bool = False) -> str:
    """How a value lies in a stage: outside of it, full, row or result (as its loops go), or bad.

    Args:
        goes_on: whether a reduction's stage goes on with full values, as one of columns does.
    """
    if not isinstance(operand, Op) or operand.is_constant:
        return "outside"
    if operand.stage is stage:
        return operand.place
    if operand.stage and not operand.is_cheap:  # a view that is stored is read through, too
        return "outside"
    (source, *starts) = operand.operands
    below = where(source, stage, goes_on=goes_on)
    if any(where(start, stage) != "outside" for start in starts):
        return "bad"
    if below == "outside" or keeps_places(operand):
        return below
    if operand.name != "broadcast_in_dim" or not isinstance(source, Op):
        return "bad"
    if operand.count == source.count:
        return "bad"
    if below == "row" and stage.rows and stage.columns:
        if operand.count == stage.rows * stage.columns and _keeps_order(operand, source):
            used = _used(operand, source)
            if math.prod(operand.shape[: max(used, default=-1) + 1]) == stage.rows:
                return "full"
    if below == "result" and stage.groups and (goes_on or stage.kind == "column"):
        dimensions = operand.integers("broadcast_dimensions")
        if is_spread(operand.shape, dimensions, source.shape, stage.groups):
            return "full"
    return "bad"


def keeps_places(view: Op) -> bool:
    """Whether a view shows the elements of its operand in their order, as another shape."""
    if view.name != "broadcast_in_dim":
        return view.name == "reshape"
    source = view.operands[0]
    return isinstance(source, Op) and view.count == source.count and _keeps_order(view, source)


def _keeps_order(broadcast: Op, source: Op) -> bool:
    used = _used(broadcast, source)
    return used == sorted(used)


def _used(broadcast: Op, source: Op) -> list[int]:
    return used_dimensions(broadcast.integers("broadcast_dimensions"), source.shape)


def is_in_memory(operand: Op | Value) -> bool:
    """Whether a value lies in memory, maybe in another shape that its type says."""
    if not isinstance(operand, Op) or not operand.is_cheap:
        return True
    if operand.name != "reshape" or len(operand.operands) > 1:
        return False
    return is_in_memory(operand.operands[0])
