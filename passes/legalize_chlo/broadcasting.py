"""Broadcasting forms: ``broadcast_in_dim`` stretches the operands, then the op itself applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from shlo_tools import ops
from shlo_tools.dtypes import Dim, TensorType, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.ops import Tensor
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.chlo.broadcasting import ComparisonDirection, ComparisonType, aligned
from shlo_tools.passes.legalize_chlo.elementary import neighbour
from shlo_tools.passes.legalize_chlo.rules import applied, attribute, register, rewrites


def _stretched(operand: Tensor, axes: Sequence[int], shape: Sequence[Dim]) -> Tensor:
    type = TensorType(tuple(shape), operand.element_type)
    if operand.type == type:
        return operand
    return ops.broadcast_in_dim(operand, axes, type)


def _both(op: Operation, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """The operands, stretched to the shape of the result."""
    shape = tensor_type(op.results[0].type).shape
    given = attribute(op, "broadcast_dimensions")
    left, right = aligned(lhs, rhs, None if given is None else list(given))
    return _stretched(lhs, left, shape), _stretched(rhs, right, shape)


def _form(
    build: Callable[[Tensor, Tensor], Tensor], op: Operation, lhs: Tensor, rhs: Tensor
) -> Sequence[Tensor]:
    return [build(*_both(op, lhs, rhs))]


for _name in (
    "add",
    "and_",
    "atan2",
    "complex",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "or_",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "xor",
):
    register(f"broadcast_{_name}", partial(_form, getattr(ops, _name)))


@rewrites
def broadcast_compare(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    direction = codec(ComparisonDirection).decode(op.attributes["comparison_direction"])
    held = attribute(op, "compare_type")
    order = None if held is None else codec(ComparisonType).decode(held)
    left, right = _both(op, lhs, rhs)
    return [ops.compare(left, right, direction, order)]


@rewrites
def broadcast_next_after(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    return [neighbour(op, *_both(op, lhs, rhs))]


@rewrites
def broadcast_polygamma(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    return [applied(op, "polygamma", *_both(op, lhs, rhs))]


@rewrites
def broadcast_zeta(op: Operation, lhs: Tensor, rhs: Tensor) -> Sequence[Tensor]:
    return [applied(op, "zeta", *_both(op, lhs, rhs))]


@rewrites
def broadcast_select(
    op: Operation, pred: Tensor, on_true: Tensor, on_false: Tensor
) -> Sequence[Tensor]:
    shape = tensor_type(op.results[0].type).shape
    mask, left, right = (
        _stretched(operand, range(len(shape) - operand.rank, len(shape)), shape)
        for operand in (pred, on_true, on_false)
    )
    return [ops.select(mask, left, right)]
