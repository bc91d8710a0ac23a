"""Dot products: one loop for each dimension of the result and for each that is summed over.

The loop over the result's last dimension is the innermost one: neighbours in memory, whose sums do
not depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.dot_algorithm import (
    Algorithm,
    algorithm_of,
    rounded_operand,
)
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import (
    Cast,
    accumulation_type,
    converted,
    sums_of_products,
)
from shlo_tools.passes.legalize_to_linalg.rules import lowers
from shlo_tools.passes.legalize_to_linalg.windows import window_loops


@lowers
def dot_general(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    lhs, rhs, result = (build.type(value) for value in (*op.operands, *op.results))
    algorithm = algorithm_of(op)
    accumulator = accumulation_type(algorithm.accumulation if algorithm else result.element_type)
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    batching, contracting = (_pairs(numbers, kind) for kind in ("batching", "contracting"))
    outer, inner, kinds = window_loops(result.shape, len(contracting))
    dimensions = iter(outer)  # of the result: batching ones, then the free ones of lhs and of rhs
    places: tuple[list[int], list[int]] = [-1] * lhs.rank, [-1] * rhs.rank
    pairs = [*zip(batching, dimensions, strict=False), *zip(contracting, inner, strict=True)]
    for (a, b), loop in pairs:
        places[0][a] = places[1][b] = loop
    for side in places:
        side[:] = [next(dimensions) if loop < 0 else loop for loop in side]
    casts = _casts(op, algorithm, accumulator)
    wide = result.with_element(accumulator)
    sums = sums_of_products(op, build, operands, places, wide, (outer, kinds), casts)
    return [converted(op, build, sums, wide, result)]


def _pairs(numbers: dict[str, Sequence[int]], kind: str) -> list[tuple[int, int]]:
    lhs = numbers.get(f"lhs_{kind}_dimensions", ())
    rhs = numbers.get(f"rhs_{kind}_dimensions", ())
    return list(zip(lhs, rhs, strict=True))


def _casts(op: Operation, algorithm: Algorithm | None, accumulator: ElementType) -> list[Cast]:
    """What makes elements of lhs and of rhs factors."""
    types = [tensor_type(value.type).element_type for value in op.operands]
    if algorithm is None:
        return [partial(cast_scalar, source=type, target=accumulator) for type in types]
    return [
        partial(rounded_operand, source=type, precision=precision, target=accumulator)
        for type, precision in zip(types, algorithm.precisions, strict=True)
    ]
