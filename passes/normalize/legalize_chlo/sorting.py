"""The largest elements, by sorting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import ir, ops
from shlo_tools.dtypes import element_type
from shlo_tools.mlir import Operation
from shlo_tools.ops import ComparisonDirection, ComparisonType, Tensor
from shlo_tools.passes.normalize.legalize_chlo.rules import rewrites
from shlo_tools.passes.normalize.shape_operands import shape_of, size_of

I32 = element_type("i32")


@rewrites
def top_k(op: Operation, operand: Tensor) -> Sequence[Tensor]:
    """A stable sort, and its first k.

    Floats are in total order, as in XLA: +NaN before infinity, +0 before -0, -NaN at the end.
    """
    k = ir.integer_of(op, "k")
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
