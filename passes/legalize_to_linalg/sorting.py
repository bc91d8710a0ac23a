"""Sorting: a merge sort over rows, stable and finite whatever the comparator answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim, product
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.data_movement import reshaped, transposed
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    SGE,
    SLT,
    arithmetic,
    compare,
    kernel_call,
    load,
    loop,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.emit.regions import inline
from shlo_tools.passes.legalize_to_linalg.rules import lowers

LAST = -1  # the dimension where an op names none


@lowers
def sort(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    types = [build.type(value) for value in op.operands]
    axis = ir.integer_of(op, "dimension", LAST)
    return sorted_along(op, build, operands, types, axis)


def sorted_along(
    comparing: Operation,
    build: Lowering,
    operands: list[Value],
    types: Sequence[TensorType],
    axis: int,
) -> list[Value]:
    """Bring the dimension last, sort the rows of a matrix, and bring it back.

    Args:
        comparing: an op whose region is the comparator.
    """
    shape = types[0].shape
    if not shape or product(shape) in (0, 1):
        return operands
    axis %= len(shape)
    order = [d for d in range(len(shape)) if d != axis] + [axis]
    back = [order.index(d) for d in range(len(shape))]
    moved_shape = [shape[d] for d in order]
    matrix = [product(moved_shape[:-1]), moved_shape[-1]]
    rows = []
    for value, type in zip(operands, types, strict=True):
        moved = transposed(build, value, order, type.with_shape(moved_shape))
        rows.append(reshaped(build, moved, type.with_shape(moved_shape), type.with_shape(matrix)))
    results = _sorted_rows(comparing, build, rows, types, matrix)
    returned = []
    for value, type in zip(results, types, strict=True):
        shaped = reshaped(build, value, type.with_shape(matrix), type.with_shape(moved_shape))
        returned.append(transposed(build, shaped, back, type))
    return returned


def _sorted_rows(
    op: Operation,
    build: Lowering,
    rows: list[Value],
    types: Sequence[TensorType],
    matrix: list[Dim],
) -> list[Value]:
    """Merge neighbouring runs of 1, 2, 4, ... elements until one is left."""
    count, (lines, length) = len(rows), matrix
    scratch = [structured.empty(build, type.with_shape(matrix)) for type in types]

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        line_end = structured.index(inner, length)

        def merged(b: Lowering, number: Value, state: list[Value]) -> Sequence[Value]:
            width = arithmetic(b, "shli", structured.index(b, 1), number)
            state = loop(b, lines, state, partial(merge, width, line_end))
            return loop(b, lines, state, copy_back)

        return loop(inner, _doublings(inner, length), arguments, merged)

    def merge(
        width: Value, line_end: Value, b: Lowering, line: Value, state: list[Value]
    ) -> Sequence[Value]:
        """Merge neighbouring runs of ``width`` of one line from the rows into the scratch."""
        source = state[:count]
        pair = arithmetic(b, "addi", width, width)

        def run(r: Lowering, number: Value, target: list[Value]) -> Sequence[Value]:
            low = arithmetic(r, "muli", number, pair)
            middle, high = (
                arithmetic(r, "minsi", arithmetic(r, "addi", low, distance), line_end)
                for distance in (width, pair)
            )
            return _merge_run(op, r, line, source, target, (low, middle, high))

        runs = arithmetic(b, "ceildivsi", line_end, pair)
        return [*source, *loop(b, runs, state[count:], run)]

    def copy_back(b: Lowering, line: Value, state: list[Value]) -> Sequence[Value]:
        scratch_rows = state[count:]

        def one(inner: Lowering, position: list[Value], target: list[Value]) -> Sequence[Value]:
            where = [line, *position]
            return [
                store(inner, load(inner, s, where), t, where)
                for s, t in zip(scratch_rows, target, strict=True)
            ]

        return [*nest(b, [length], state[:count], one), *scratch_rows]

    attributes = {"is_stable": mlir.bool_attr(True)}
    return kernel_call(op, build, "sort", [*rows, *scratch], [], body, attributes)[:count]


def _doublings(build: Lowering, length: Dim) -> Dim | Value:
    """How often 1 is doubled to reach ``length``."""
    if isinstance(length, int):
        return (length - 1).bit_length()
    zero, last = structured.index(build, 0), structured.index(build, length - 1)
    type = mlir.integer_type(64)
    bits = build.value("arith.index_cast", (arithmetic(build, "maxsi", last, zero),), type)
    zeros = build.value("math.ctlz", (bits,), type)
    leading = build.value("arith.index_cast", (zeros,), mlir.index_type())
    return arithmetic(build, "subi", structured.index(build, 64), leading)


def _merge_run(
    op: Operation,
    build: Lowering,
    line: Value,
    source: Sequence[Value],
    target: Sequence[Value],
    bounds: tuple[Value, Value, Value],
) -> Sequence[Value]:
    """Merge [low, middle) and [middle, high) of a line of ``source`` into ``target``.

    Both heads are compared even where one run is used up (reading the line's last element
    then): the answer is not looked at, and the loop has no branch.
    """
    low, middle, high = bounds
    one = structured.index(build, 1)
    last = arithmetic(build, "subi", high, one)

    def step(b: Lowering, offset: Value, state: list[Value]) -> Sequence[Value]:
        left, right, *tensors = state
        heads_left = [load(b, s, [line, arithmetic(b, "minsi", left, last)]) for s in source]
        heads_right = [load(b, s, [line, arithmetic(b, "minsi", right, last)]) for s in source]
        swapped = [v for pair in zip(heads_right, heads_left, strict=True) for v in pair]
        right_first = inline(op.regions[0], swapped, b)[0]
        left_done = compare(b, SGE, left, middle)
        right_open = compare(b, SLT, right, high)
        take_right = arithmetic(b, "ori", left_done, right_first)
        take_right = arithmetic(b, "andi", take_right, right_open)
        where = [line, arithmetic(b, "addi", low, offset)]
        written = [
            store(b, _select(b, take_right, r, el), t, where)
            for r, el, t in zip(heads_right, heads_left, tensors, strict=True)
        ]
        ahead = structured.index(b, 1)
        next_left = _select(b, take_right, left, arithmetic(b, "addi", left, ahead))
        next_right = _select(b, take_right, arithmetic(b, "addi", right, ahead), right)
        return [next_left, next_right, *written]

    length = arithmetic(build, "subi", high, low)
    return loop(build, length, [low, middle, *target], step)[2:]


def _select(build: Lowering, condition: Value, on_true: Value, on_false: Value) -> Value:
    return build.value("arith.select", (condition, on_true, on_false), on_true.type)
