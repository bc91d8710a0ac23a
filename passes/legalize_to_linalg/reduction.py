"""Reductions: a ``linalg.generic`` whose body is the op's computation on scalars."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir
from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
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
    outputs = [
        structured.filled(build, _initial(op, build, init, element, type.element_type), type)
        for init, element, type in zip(init_values, own, results, strict=True)
    ]

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        elements, accumulators = scalars[:count], scalars[count:]
        promoted = [
            cast_scalar(Emit(op, inner), value, element, type.element_type)
            for value, element, type in zip(elements, old, results, strict=True)
        ]
        return inline(op.regions[0], [*accumulators, *promoted], inner)

    shape = build.type(op.operands[0]).shape
    return computed(
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
        in_loops=any(not isinstance(shape[d], int) for d in reduced) and _forgets(op),
    )


def _forgets(op: Operation) -> bool:
    """Whether a computation does not read what it accumulates.

    MLIR takes the outputs of such a ``linalg.generic`` for written, though there may be nothing to
    reduce, and the results are what the reduction starts with.
    """
    accumulators = list(op.regions[0].blocks[0].arguments)[: len(op.results)]
    return not all(list(accumulator.uses) for accumulator in accumulators)


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
