"""The largest elements by sorting, and scans by a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import TensorType, element_type, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.ops import ComparisonDirection, ComparisonType, Tensor
from shlo_tools.ops._value import of_value
from shlo_tools.passes.legalize_chlo.formula import Term, constant
from shlo_tools.passes.legalize_chlo.rules import attribute, require_static, rewrites
from shlo_tools.passes.shape_operands import shape_of, size_of

I32 = element_type("i32")


@rewrites
def top_k(op: Operation, operand: Tensor) -> Sequence[Tensor]:
    """A stable sort, and its first k.

    Floats are in total order, as in XLA: +NaN before infinity, +0 before -0, -NaN at the end.
    """
    k = op.attributes["k"].value
    last = operand.rank - 1
    positions = positions_along_last(operand)
    order = ComparisonType.TOTALORDER if operand.element_type.is_float else None

    def comes_first(left: Tensor, right: Tensor, *_: Tensor) -> Tensor:
        return ops.compare(left, right, ComparisonDirection.GT, order)

    ordered = ops.sort([operand, positions], last, True, comparator=comes_first)
    return [first_along_last(t, k) for t in ordered]


def positions_along_last(tensor: Tensor) -> Tensor:
    """Numbers that count along the last dimension."""
    type = tensor.type.with_element(I32)
    if type.is_static:
        return ops.iota(tensor.rank - 1, type)
    return ops.dynamic_iota(shape_of(tensor), tensor.rank - 1, type)


def first_along_last(tensor: Tensor, count: int) -> Tensor:
    """The first elements along the last dimension."""
    none, ones = [0] * tensor.rank, [1] * tensor.rank
    type = tensor.type.with_shape([*tensor.shape[:-1], count])
    if type.is_static and tensor.type.is_static:
        return ops.slice(tensor, none, type.static_shape, ones)
    outer = [size_of(tensor, d) for d in range(tensor.rank - 1)]
    limits = ops.concatenate([*outer, ops.constant(np.asarray([count], np.int32))], 0)
    start, step = (ops.constant(np.asarray(row, np.int32)) for row in (none, ones))
    return ops.real_dynamic_slice(tensor, start, limits, step, type)


@rewrites
def scan(op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """A loop over positions: slices go in, slices of the outputs are put in their places."""
    axis = op.attributes["dimension"].value
    count = op.attributes["operandSegmentSizes"][0]
    inputs, inits = operands[:count], operands[count:]
    require_static(op, *operands)
    types = [tensor_type(result.type) for result in op.results][
        : op.attributes["resultSegmentSizes"][0]
    ]
    sizes = [tensor.type.static_shape[axis] for tensor in inputs]
    steps = sizes[0] if sizes else attribute(op, "scan_dim_size").value
    backwards = attribute(op, "is_reverse")

    def body(step: Tensor, *carried: Tensor) -> list[Tensor]:
        at = steps - 1 - Term(step) if backwards and backwards.value else Term(step)
        slices = [_slice_at(tensor, axis, at) for tensor in inputs]
        results = _inlined(op, [*slices, *carried[len(types) :]])
        pairs = zip(carried, results[: len(types)], strict=False)  # carries follow the outputs
        written = [_put_at(output, slice, axis, at) for output, slice in pairs]
        return [(Term(step) + 1).tensor, *written, *results[len(types) :]]

    start = constant(0, TensorType((), I32)).tensor
    empty = [constant(0, type).tensor for type in types]
    if steps == 0:
        return [*empty, *inits]
    looped = ops.while_([start, *empty, *inits], lambda step, *_: (Term(step) < steps).tensor, body)
    return cast(Sequence[Tensor], looped[1:])


def _slice_at(tensor: Tensor, axis: int, at: Term) -> Tensor:
    """The slice at one position of a dimension, without that dimension."""
    shape = list(tensor.type.static_shape)
    sizes = [1 if d == axis else size for d, size in enumerate(shape)]
    slice = ops.dynamic_slice(tensor, _starts(tensor, axis, at), sizes)
    return ops.reshape(slice, tensor.type.with_shape(shape[:axis] + shape[axis + 1 :]))


def _put_at(tensor: Tensor, slice: Tensor, axis: int, at: Term) -> Tensor:
    """``tensor`` with a slice put in its place."""
    shape = list(slice.type.static_shape)
    update = ops.reshape(slice, slice.type.with_shape([*shape[:axis], 1, *shape[axis:]]))
    return ops.dynamic_update_slice(tensor, update, _starts(tensor, axis, at))


def _starts(tensor: Tensor, axis: int, at: Term) -> list[Tensor]:
    return [(at if d == axis else at.constant(0)).tensor for d in range(tensor.rank)]


def _inlined(op: Operation, arguments: Sequence[Tensor]) -> list[Tensor]:
    """Move the body of an op that is about to go to where ops are inserted; what it returns."""
    block = op.regions[0].blocks[0]
    for old, new in zip(block.arguments, arguments, strict=True):
        if new.value is not None:
            old.replace_all_uses_with(new.value)
    *moved, end = [mlir.inner_operation(view) for view in block.operations]
    for inner in moved:
        ir.insertion().at.block.append(inner)
    return [cast(Tensor, of_value(value)) for value in end.operands]
