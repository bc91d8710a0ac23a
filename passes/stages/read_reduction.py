"""Reductions and windows as nodes: what they repeat, and what that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shlo_tools import dtypes, ir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.stages.folds import (
    Fold,
    Windows,
    known_number,
    neutral_number,
    numbering,
)
from shlo_tools.codegen.stages.nodes import Node, NodeKind
from shlo_tools.codegen.stages.reductions.selections import Selection
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg import window_attributes
from shlo_tools.passes.stages.op_nodes import converted, typed
from shlo_tools.passes.stages.regions import fold, keeps, region, regroups, repeated_op


def reduce(op: Operation, operands: tuple[Node, ...]) -> Node:
    count = len(op.results)
    operands = _promoted(op, operands)
    dimensions = ir.integers_of(op, "dimensions")
    if is_rounded_sum(op):
        return _summed_wide(op, operands, dimensions)
    is_numbered = count == 2 and numbering(operands[1], dimensions) is not None
    repeated = fold(op, list(map(known_number, operands[count:])), is_numbered=is_numbered)
    return typed(op, NodeKind.REDUCE, operands, dimensions=dimensions, attributes=repeated)


def is_rounded_sum(op: Operation) -> bool:
    """Whether a sum has few digits: rounded at every step, it would stand still."""
    element = dtypes.tensor_type(op.results[0].type).element_type
    return element.name in ("f16", "bf16") and repeated_op(op) == "add"


def _summed_wide(op: Operation, operands: Sequence[Node], dimensions: Sequence[int]) -> Node:
    """A sum in f32 that is rounded once, as the reference has it.

    1024 numbers of bf16 between 0 and 1 would make 256 at most: 256 + 1 is 256 there.
    """
    return _rounded_once(op, NodeKind.REDUCE, operands, _WIDE_SUM, dimensions=tuple(dimensions))


_WIDE = ELEMENT_TYPES["f32"]
_WIDE_SUM = Fold(lambda _, values: [values[0] + values[1]], neutral=neutral_number("add", _WIDE))


def _rounded_once(
    op: Operation, kind: NodeKind, operands: Sequence[Node], repeated: Fold, **fields: Any
) -> Node:
    """What an op makes of wider operands, as its own type has it."""
    type = named_sizes.type_of(op.results[0])
    inputs = tuple(_widened(op, node) for node in operands)
    node = Node(kind, type.shape, _WIDE, inputs, attributes=repeated, **fields)
    return converted(op, node, type.element_type)


def _widened(op: Operation, node: Node) -> Node:
    """A node in f32; a number stays one that is known."""
    number = known_number(node)
    if number is None or node.count != 1:
        return converted(op, node, _WIDE)
    return Node(NodeKind.CONSTANT, node.shape, _WIDE, value=number)


def reduce_window(op: Operation, operands: tuple[Node, ...]) -> Node:
    operands = _promoted(op, operands)
    if is_rounded_sum(op):
        summed = replace(_WIDE_SUM, windows=_windows(op))
        return _rounded_once(op, NodeKind.REDUCE_WINDOW, operands, summed)
    repeated = fold(op, [None] * len(op.results), is_numbered=False)
    start = known_number(operands[-1]) if repeated.neutral is None else None
    windows = _windows(op)
    repeated = replace(repeated, windows=windows, keeps_start=keeps(op, start))
    if repeated.keeps_start and not any(windows.low):
        repeated = replace(repeated, regroups=regroups(op, start))
    return typed(op, NodeKind.REDUCE_WINDOW, operands, attributes=repeated)


def select_and_scatter(op: Operation, operands: tuple[Node, ...]) -> Node:
    operand, source, start = operands
    element = dtypes.tensor_type(op.results[0].type).element_type
    inputs = (operand, *(converted(op, node, element) for node in (source, start)))
    attributes = Selection(_windows(op), region(op, 0), region(op, 1))
    return typed(op, NodeKind.SELECT_AND_SCATTER, inputs, attributes=attributes)


def _windows(op: Operation) -> Windows:
    of = window_attributes.Windows.of(op)
    return Windows(of.size, of.stride, of.base_dilation, of.dilation, of.low)


def _promoted(op: Operation, operands: Sequence[Node]) -> tuple[Node, ...]:
    """Tensors, and then what a reduction starts from, as its computation takes them."""
    types = [dtypes.tensor_type(result.type).element_type for result in op.results]
    pairs = zip(operands, types * 2, strict=True)
    return tuple(converted(op, node, element) for node, element in pairs)
