"""Reductions: a ``linalg.generic`` whose body is the op's computation on scalars."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold

from shlo_tools import ir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import NE, arithmetic, compare
from shlo_tools.passes.legalize_to_linalg.emit.regions import computed, inline
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def reduce(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    count = len(op.results)
    inputs, init_values = operands[:count], operands[count:]
    reduced = ir.integers_of(op, "dimensions")
    results = [build.type(result) for result in op.results]
    old = [tensor_type(operand.type).element_type for operand in list(op.operands)[:count]]
    rank = tensor_type(op.operands[0].type).rank
    kept = [d for d in range(rank) if d not in reduced]
    own = [tensor_type(operand.type).element_type for operand in list(op.operands)[count:]]
    starts = [
        _initial(op, build, init, element, type.element_type)
        for init, element, type in zip(init_values, own, results, strict=True)
    ]
    outputs = [structured.filled(build, *pair) for pair in zip(starts, results, strict=True)]
    shape = build.type(op.operands[0]).shape

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        elements, accumulators = scalars[:count], scalars[count:]
        promoted = [
            cast_scalar(Emit(op, inner), value, element, type.element_type)
            for value, element, type in zip(elements, old, results, strict=True)
        ]
        return inline(op.regions[0], [*accumulators, *promoted], inner)

    values = computed(
        op,
        build,
        shape,
        inputs,
        [structured.identity(rank)] * count,
        outputs,
        results,
        body,
        [structured.affine_map(rank, kept)] * count,
        ["reduction" if d in reduced else "parallel" for d in range(rank)],
    )
    unknown = [size for size in (shape[d] for d in reduced) if not isinstance(size, int)]
    if not unknown:
        return values
    some = _are_some(build, unknown)
    rows = zip(values, starts, results, strict=True)
    return [_unless(build, some, *row) for row in rows]


def _are_some(build: Lowering, sizes: Sequence[Dim]) -> Value:
    """Whether none of the sizes is 0."""
    zero = structured.index(build, 0)
    conditions = [compare(build, NE, structured.index(build, size), zero) for size in sizes]
    return fold(lambda a, b: arithmetic(build, "andi", a, b), conditions)


def _unless(build: Lowering, some: Value, value: Value, start: Value, type: TensorType) -> Value:
    """What a reduction starts with, unless there are elements to reduce.

    MLIR drops what loops write to and never read: where fusion finds out what all elements are,
    sums of them need not be read, and yet there may be no iteration.
    """

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return [inner.value("arith.select", (some, scalars[0], start), start.type)]

    same, output = structured.identity(type.rank), structured.empty(build, type)
    (result,) = structured.generic(build, [value], [same], [output], [type], body)
    return result


def _initial(
    op: Operation, build: Lowering, value: Value, element: ElementType, accumulator: ElementType
) -> Value:
    """The scalar that a reduction starts with, as its computation takes it."""
    return cast_scalar(
        Emit(op, build), structured.extract(build, value, element), element, accumulator
    )


@lowers
def map(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return inline(op.regions[0], scalars[: len(operands)], inner)

    same = structured.identity(result.rank)
    return computed(
        op,
        build,
        result.shape,
        operands,
        [same] * len(operands),
        [structured.empty(build, result)],
        [result],
        body,
        [same],
        ["parallel"] * result.rank,
    )
