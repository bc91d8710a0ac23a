"""Ops whose sizes are computed at run time: the static op's lowering, with sizes as expressions.

That the sizes fit is checked before (``size_checks``), by what the op functions demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shlo_tools import ir
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.ir import Lowered, Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg import data_movement
from shlo_tools.passes.legalize_to_linalg.convolution import convolved, spatial_dimensions
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.gather_scatter import gathered
from shlo_tools.passes.legalize_to_linalg.rules import lowers


# --- a shape as operand ---------------------------------------------------------------------------
@lowers
def dynamic_broadcast_in_dim(
    op: Operation, operands: list[Value], build: Lowering
) -> Sequence[Lowered]:
    return data_movement.broadcast_in_dim(op, operands[:1], build)


@lowers
def dynamic_iota(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Lowered]:
    return data_movement.iota(op, [], build)


@lowers
def dynamic_reshape(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Lowered]:
    return data_movement.reshape(op, operands[:1], build)


# --- sizes as values ------------------------------------------------------------------------------
@lowers
def get_dimension_size(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    size = build.type(op.operands[0]).shape[ir.integer_of(op, "dimension")]
    i32 = ELEMENT_TYPES["i32"]
    if isinstance(size, int):
        scalar = structured.scalar(build, size, i32)
    else:
        number = structured.index(build, size)
        scalar = build.value("arith.index_cast", (number,), structured.element(i32))
    return [structured.filled(build, scalar, build.type(op.results[0]))]


@lowers
def set_dimension_size(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """The first elements along a dimension, as many as the result has."""
    result = build.type(op.results[0])
    none, ones = [0] * result.rank, [1] * result.rank
    return [data_movement.extracted(build, operands[0], result, none, ones)]


# --- slices ---------------------------------------------------------------------------------------
@lowers
def real_dynamic_slice(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = build.type(op.operands[0]), build.type(op.results[0])
    starts, strides = (build.contents(op.operands[number]) for number in (1, 3))
    if 0 in operand.shape:
        return [structured.empty(build, result)]
    return [data_movement.extracted(build, operands[0], result, starts, strides)]


@lowers
def dynamic_gather(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return gathered(op, operands[:2], build, build.contents(op.operands[2]))


# --- padding --------------------------------------------------------------------------------------
@lowers
def dynamic_pad(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = build.type(op.operands[0]), build.type(op.results[0])
    low, interior = (build.contents(op.operands[number]) for number in (2, 4))
    padding = structured.extract(build, operands[1], result.element_type)
    return [data_movement.padded(build, operands[0], operand, padding, result, low, interior)]


# --- convolutions ---------------------------------------------------------------------------------
@lowers
def dynamic_conv(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    lhs, rhs = (build.type(value) for value in list(op.operands)[:2])
    spatial = spatial_dimensions(op, lhs, rhs, build.type(op.results[0]))
    lows = build.contents(op.operands[2])[::2]
    moved = [replace(d, low=low) for d, low in zip(spatial, lows, strict=True)]
    return convolved(op, operands[:2], build, moved)
