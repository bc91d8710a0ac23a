"""Dot products: matrices for a library where they are large, else a ``linalg.generic``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shlo_tools import mlir
from shlo_tools.dims import Dim, at_most, product
from shlo_tools.dtypes import ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import reshaped, transposed
from shlo_tools.passes.legalize_to_linalg.dot_algorithm import (
    Algorithm,
    algorithm_of,
    rounded_operand,
)
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import (
    Cast,
    accumulate,
    accumulation_type,
    cast_elements,
    converted,
    zero_of,
)
from shlo_tools.passes.legalize_to_linalg.emit.kernels import kernel_call

# Below this many multiplications a loop is as fast as the call of a library.
LIBRARY_THRESHOLD = 16 * 16 * 16
# The same for each matrix of any number of them, where calls follow each other.
BATCHED_THRESHOLD = 4 * 4 * 4


def multiplies_matrices(type: ElementType) -> bool:
    """Whether there is a ``gemm`` kernel for a type."""
    return type.name in ("f32", "f64") or (type.is_integer and type.bits >= 8)


def dot_general(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    lhs, rhs = (build.type(value) for value in op.operands)
    result = build.type(op.results[0])
    algorithm = algorithm_of(op)
    accumulator = accumulation_type(algorithm.accumulation if algorithm else result.element_type)
    casts = _casts(op, algorithm, accumulator)
    if multiplies_matrices(accumulator) and _is_large(op, lhs, result):
        return [_by_library(op, operands, build, accumulator, casts)]
    loops = _loops(op, lhs.rank, rhs.rank)
    wide = result.with_element(accumulator)

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        left, right = (cast(e, value) for cast, value in zip(casts, scalars[:2], strict=True))
        return [accumulate(e, accumulator, scalars[2], left, right)]

    summed = structured.generic(
        build,
        operands,
        [structured.affine_map(len(loops[2]), axes) for axes in loops[:2]],
        [structured.filled(build, zero_of(op, build, accumulator), wide)],
        [wide],
        body,
        iterators=loops[2],
        output_maps=[structured.affine_map(len(loops[2]), range(result.rank))],
    )
    return [converted(op, build, summed[0], wide, result)]


def _casts(op: Operation, algorithm: Algorithm | None, accumulator: ElementType) -> list[Cast]:
    """What makes elements of lhs and of rhs factors."""
    types = [tensor_type(value.type).element_type for value in op.operands]
    if algorithm is None:
        return [partial(cast_scalar, source=type, target=accumulator) for type in types]
    return [
        partial(rounded_operand, source=type, precision=precision, target=accumulator)
        for type, precision in zip(types, algorithm.precisions, strict=True)
    ]


def _is_large(op: Operation, lhs: TensorType, result: TensorType) -> bool:
    """Whether there are many multiplications, or may be."""
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    batching, contracting = (_pairs(numbers, kind) for kind in ("batching", "contracting"))
    summed = [lhs.shape[a] for a, _ in contracting]
    one = product((*result.shape[len(batching) :], *summed))
    work = product((*result.shape, *summed))
    if not isinstance(work, int) and isinstance(one, int):
        return one >= BATCHED_THRESHOLD
    return at_most(LIBRARY_THRESHOLD, work) is not False


# --- as matrix products ---------------------------------------------------------------------------
def _by_library(
    op: Operation,
    operands: list[Value],
    build: Lowering,
    accumulator: ElementType,
    casts: Sequence[Cast],
) -> Value:
    """Bring both operands to batches of matrices and multiply those."""
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    batching, contracting = (_pairs(numbers, kind) for kind in ("batching", "contracting"))
    result = build.type(op.results[0])
    matrices: list[Value] = []
    transposed_flags, sizes = [], []
    for side, value in enumerate(operands):
        old = build.type(op.operands[side])
        type = old.with_element(accumulator)
        if old != type or "algorithm" in op.attributes:
            value = cast_elements(op, build, value, casts[side], type)
        batch = [pair[side] for pair in batching]
        inner = [pair[side] for pair in contracting]
        matrix, flag, free = _as_matrices(build, value, type, batch, inner)
        matrices.append(matrix)
        transposed_flags.append(flag)
        sizes.append(free)
    batch_size = product(build.type(op.operands[0]).shape[a] for a, _ in batching)
    flat = result.with_shape([batch_size, *sizes]).with_element(accumulator)
    result_tensor = matrix_product(
        op, build, matrices[0], matrices[1], flat, transposed_flags[0], not transposed_flags[1]
    )
    wide = result.with_element(accumulator)
    return converted(op, build, reshaped(build, result_tensor, flat, wide), wide, result)


def _as_matrices(
    build: Lowering, value: Value, type: TensorType, batch: list[int], inner: list[int]
) -> tuple[Value, bool, Dim]:
    """A tensor as [batch, free, inner], or [batch, inner, free] where that saves a transpose.

    Returns:
        the matrices, whether ``inner`` comes before ``free``, and the size of ``free``.
    """
    free = [d for d in range(type.rank) if d not in (*batch, *inner)]
    shape = type.shape
    inner_first = [*batch, *inner, *free] == list(range(type.rank)) and bool(free and inner)
    order = [*batch, *inner, *free] if inner_first else [*batch, *free, *inner]
    moved = type.with_shape([shape[d] for d in order])
    value = transposed(build, value, order, moved)
    groups = (batch, inner, free) if inner_first else (batch, free, inner)
    flat = type.with_shape([product(shape[d] for d in group) for group in groups])
    return reshaped(build, value, moved, flat), inner_first, product(shape[d] for d in free)


def matrix_product(
    op: Operation,
    build: Lowering,
    lhs: Value,
    rhs: Value,
    result: TensorType,
    transpose_lhs: bool = False,
    transpose_rhs: bool = False,
) -> Value:
    """Batches of matrix products, by the ``gemm`` kernel.

    Args:
        lhs: [batch, M, K], or [batch, K, M] with ``transpose_lhs``.
        rhs: [batch, K, N], or [batch, N, K] with ``transpose_rhs``.
        result: [batch, M, N] of a type that ``multiplies_matrices``.
    """
    element = result.element_type

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        target, left, right = arguments
        start = structured.filled_into(inner, structured.scalar(inner, 0, element), target, result)
        return structured.generic(
            inner,
            [left, right],
            [
                structured.affine_map(4, [0, 3, 1] if transpose_lhs else [0, 1, 3]),
                structured.affine_map(4, [0, 2, 3] if transpose_rhs else [0, 3, 2]),
            ],
            [start],
            [result],
            lambda b, v: [accumulate(Emit(op, b), element, v[2], *v[:2])],
            iterators=["parallel", "parallel", "parallel", "reduction"],
            output_maps=[structured.affine_map(4, [0, 1, 2])],
        )

    attributes = {
        "transpose_lhs": mlir.bool_attr(transpose_lhs),
        "transpose_rhs": mlir.bool_attr(transpose_rhs),
    }
    target = structured.empty(build, result)
    return kernel_call(op, build, "gemm", [target], [lhs, rhs], body, attributes)[0]


# --- as loops -------------------------------------------------------------------------------------
def _loops(op: Operation, lhs_rank: int, rhs_rank: int) -> tuple[list[int], list[int], list[str]]:
    """Loop number of each lhs and rhs dimension, and the kinds of the loops.

    Loops run over batching, free lhs, free rhs, then contracting dimensions.
    """
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    lhs: list[int] = [-1] * lhs_rank
    rhs: list[int] = [-1] * rhs_rank
    count = 0
    for a, b in _pairs(numbers, "batching"):
        lhs[a] = rhs[b] = count
        count += 1
    contracting = _pairs(numbers, "contracting")
    for axes, used in ((lhs, {a for a, _ in contracting}), (rhs, {b for _, b in contracting})):
        for d in range(len(axes)):
            if axes[d] < 0 and d not in used:
                axes[d] = count
                count += 1
    for number, (a, b) in enumerate(contracting, count):
        lhs[a] = rhs[b] = number
    return lhs, rhs, ["parallel"] * count + ["reduction"] * len(contracting)


def _pairs(numbers: dict[str, Sequence[int]], kind: str) -> list[tuple[int, int]]:
    lhs = numbers.get(f"lhs_{kind}_dimensions", ())
    rhs = numbers.get(f"rhs_{kind}_dimensions", ())
    return list(zip(lhs, rhs, strict=True))
