"""Matrices in CSR form by ops on dense tensors.

Row ``r`` of the matrix holds ``values[ends[r]:ends[r + 1]]``, in the columns of those numbers. The
row of a value is how many rows begin before it, which a running sum counts; values before the first
row and behind the last one are of no row, and updates of no row are dropped.
"""

from __future__ import annotations

import numpy as np

from shlo_tools import ir, ops
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.extend.targets import SPARSE_TIMES_DENSE
from shlo_tools.ops import ComparisonDirection, Tensor
from shlo_tools.passes.normalize.legalize_shape.assertions import call_assertion
from shlo_tools.passes.normalize.shape_operands import size_of, spread, ssa

_I32, _I64 = element_type("i32"), element_type("i64")


def csr_times_dense(
    values: Tensor, ends: Tensor, columns: Tensor, dense: Tensor, result: TensorType
) -> Tensor:
    """A matrix times a dense vector or matrix.

    Args:
        values: n numbers.
        ends: m + 1 places among them.
        columns: n indices into the rows of ``dense``.
        result: m rows.
    """
    rows = _rows(values, ends)
    _check(_are_places(ends, values), _are_columns(columns, dense, rows, ends))
    shape = [columns.shape[0], *dense.shape[1:]]
    chosen = ops.torch_index_select(dense, columns, 0, 0, dense.type.with_shape(shape))
    products = ops.multiply(chosen, spread(values, [0], chosen))
    target = _zeros(ends, dense, result)
    return _added(target, rows, products)


def _rows(values: Tensor, ends: Tensor) -> Tensor:
    """The row of each value: -1 before the first one, m behind the last one."""
    numbers = values.type.with_element(_I32)
    zeros = _filled(0, Tensor(numbers, values.value))
    begun = _added(zeros, ends, _filled(1, ends))
    return ops.subtract(_running_sum(begun), _filled(1, begun))


def _added(tensor: Tensor, rows: Tensor, updates: Tensor) -> Tensor:
    """``updates`` are added to the rows of those numbers, if there are such."""
    window, first = range(1, tensor.rank), [0]
    (result,) = ops.scatter(
        [tensor], rows, [updates], window, first, (), (), first, 1, update_computation=ops.add
    )
    return result


def _running_sum(tensor: Tensor) -> Tensor:
    size = tensor.shape[0]
    zero = ops.constant(np.int32(0))
    if isinstance(size, int):
        padding = [[size - 1, 0]] if size else [[0, 0]]
        (sums,) = ops.reduce_window([tensor], [zero], [max(size, 1)], padding=padding, body=ops.add)
        return sums

    def step(number: Tensor, sum: Tensor) -> tuple[Tensor, Tensor]:
        added = ops.add(number, sum)
        return added, added

    (sums,), _ = ops.chlo.scan([tensor], [zero], 0, body=step)
    return sums


def _are_places(ends: Tensor, values: Tensor) -> Tensor:
    """Whether ``ends`` are places among the values, in order."""
    zero = ops.constant(np.zeros((), ends.element_type.dtype))
    before = ops.pad(ends, zero, [0], [-1], [0])
    behind = ops.pad(ends, zero, [-1], [0], [0])
    in_order = ops.compare(before, behind, ComparisonDirection.LE)
    return ops.and_(_all(in_order), _all(_within(ends, _size(values), ComparisonDirection.LE)))


def _are_columns(columns: Tensor, dense: Tensor, rows: Tensor, ends: Tensor) -> Tensor:
    """Whether the columns of all values that are in a row are rows of ``dense``."""
    count = ops.subtract(_size(ends), np.int64(1))
    unused = ops.not_(_within(rows, count, ComparisonDirection.LT))
    return _all(ops.or_(unused, _within(columns, _size(dense), ComparisonDirection.LT)))


def _size(tensor: Tensor) -> Tensor:
    """How many elements there are along the first dimension."""
    size = ops.reshape(size_of(tensor, 0), TensorType((), _I32))
    return ops.convert(size, TensorType((), _I64))


def _within(numbers: Tensor, most: Tensor, direction: ComparisonDirection) -> Tensor:
    """Which integers are 0 or more, and up to ``most``."""
    wide = ops.convert(numbers, numbers.type.with_element(_I64))
    above = ops.compare(wide, _filled(0, wide), ComparisonDirection.GE)
    return ops.and_(above, ops.compare(wide, spread(most, [], wide), direction))


def _all(conditions: Tensor) -> Tensor:
    (result,) = ops.reduce([conditions], [ops.constant(np.bool_(True))], [0], ops.and_)
    return result


def _check(*conditions: Tensor) -> None:
    """Ask the host for an error where not all of these hold."""
    holds = ops.and_(*conditions)
    build = ir.insertion()
    choice = build.op("stablehlo.if", [ssa(holds)], (), None, regions=2)
    _, fine = build.block(choice.regions[0], ())
    fine.op("stablehlo.return", ())
    _, failed = build.block(choice.regions[1], ())
    message = f"{SPARSE_TIMES_DENSE}: an index leaves the matrix"
    call_assertion(failed, [ssa(holds)], message)
    failed.op("stablehlo.return", ())


def _filled(number: int, like: Tensor) -> Tensor:
    """A number as often as there are elements in another tensor."""
    return spread(ops.constant(np.asarray(number, like.element_type.dtype)), [], like)


def _zeros(ends: Tensor, dense: Tensor, result: TensorType) -> Tensor:
    zero = ops.constant(np.zeros((), result.element_type.dtype))
    if result.is_static:
        return ops.broadcast_in_dim(zero, [], result)
    rows = ops.subtract(size_of(ends, 0), np.ones(1, np.int32))
    sizes = [rows, *(size_of(dense, d) for d in range(1, dense.rank))]
    return ops.dynamic_broadcast_in_dim(zero, ops.concatenate(sizes, 0), [], result_type=result)
