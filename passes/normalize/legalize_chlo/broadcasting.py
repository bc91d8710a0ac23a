"""Broadcasting forms: ``broadcast_in_dim`` stretches the operands, then the op itself applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from shlo_tools import ops
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.ops import Tensor
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.chlo.broadcasting import ComparisonDirection, ComparisonType, aligned
from shlo_tools.passes.normalize.legalize_chlo.elementary import next_after
from shlo_tools.passes.normalize.legalize_chlo.rules import applied, attribute, rewrites
from shlo_tools.passes.normalize.shape_operands import by_element, common_shape

Rule = Callable[..., Sequence[Tensor]]


def _together(
    op: Operation, operands: Sequence[Tensor], axes: Sequence[Sequence[int]]
) -> list[Tensor]:
    """The operands, stretched to the shape of the result."""
    shape = tensor_type(op.results[0].type).shape
    types = [TensorType(tuple(shape), operand.element_type) for operand in operands]
    rows = list(zip(operands, axes, types, strict=True))
    if all(operand.type == type and type.is_static for operand, _, type in rows):
        return list(operands)
    if types[0].is_static:
        return [
            operand if operand.type == type else ops.broadcast_in_dim(operand, at, type)
            for operand, at, type in rows
        ]
    sizes = common_shape(operands, axes, len(shape))
    return [
        ops.dynamic_broadcast_in_dim(operand, sizes, at, result_type=type)
        for operand, at, type in rows
    ]


def _both(op: Operation, lhs: Tensor, rhs: Tensor) -> list[Tensor]:
    dimensions = attribute(op, "broadcast_dimensions")
    return _together(
        op, (lhs, rhs), aligned(lhs, rhs, None if dimensions is None else list(dimensions))
    )


def _form(build: Callable[[Tensor, Tensor], Tensor]) -> Rule:
    """Register the broadcasting form of a StableHLO op of two operands."""

    def rule(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
        return [build(*_both(op, lhs, rhs))]

    return _registered(build.__name__.rstrip("_"), rule)


def _registered(name: str, rule: Rule) -> Rule:
    rule.__name__ = rule.__qualname__ = f"broadcast_{name}"
    return rewrites(rule)


broadcast_add = _form(ops.add)
broadcast_and = _form(ops.and_)
broadcast_atan2 = _form(ops.atan2)
broadcast_complex = _form(ops.complex)
broadcast_divide = _form(ops.divide)
broadcast_maximum = _form(ops.maximum)
broadcast_minimum = _form(ops.minimum)
broadcast_multiply = _form(ops.multiply)
broadcast_or = _form(ops.or_)
broadcast_power = _form(ops.power)
broadcast_remainder = _form(ops.remainder)
broadcast_shift_left = _form(ops.shift_left)
broadcast_shift_right_arithmetic = _form(ops.shift_right_arithmetic)
broadcast_shift_right_logical = _form(ops.shift_right_logical)
broadcast_subtract = _form(ops.subtract)
broadcast_xor = _form(ops.xor)


@rewrites
def broadcast_compare(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    direction = codec(ComparisonDirection).decode(op.attributes["comparison_direction"])
    compare_type = attribute(op, "compare_type")
    order = None if compare_type is None else codec(ComparisonType).decode(compare_type)
    left, right = _both(op, lhs, rhs)
    return [ops.compare(left, right, direction, order)]


def _function_form(name: str) -> Rule:
    """Register the broadcasting form of a mathematical function of CHLO."""

    def rule(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
        return [by_element(partial(applied, op, name), *_both(op, lhs, rhs))]

    return _registered(name, rule)


broadcast_polygamma = _function_form("polygamma")
broadcast_zeta = _function_form("zeta")


@rewrites
def broadcast_next_after(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    return [by_element(partial(next_after, op), *_both(op, lhs, rhs))]


@rewrites
def broadcast_select(
    op: Operation, pred: Tensor, on_true: Tensor, on_false: Tensor
) -> Sequence[Tensor]:
    operands = (pred, on_true, on_false)
    rank = max(operand.rank for operand in operands)
    axes = [range(rank - operand.rank, rank) for operand in operands]
    return [ops.select(*_together(op, operands, axes))]
