"""Dot products: sums of products as a ``linalg.generic``, accumulated in a type wide enough."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def dot_general(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    if "algorithm" in op.attributes:
        raise_unsupported([op], "the algorithm attribute")
    lhs, rhs = (tensor_type(value.type) for value in op.operands)
    result = tensor_type(op.results[0].type)
    loops = _loops(op, lhs.rank, rhs.rank)
    accumulator = accumulation_type(result.element_type)
    wide = result.with_element(accumulator)

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        left = cast_scalar(e, scalars[0], lhs.element_type, accumulator)
        right = cast_scalar(e, scalars[1], rhs.element_type, accumulator)
        return [_accumulate(e, accumulator, scalars[2], left, right)]

    summed = structured.generic(
        build,
        operands,
        [structured.affine_map(len(loops[2]), axes) for axes in loops[:2]],
        [structured.filled(build, _zero(op, build, accumulator), wide)],
        [wide],
        body,
        iterators=loops[2],
        output_maps=[structured.affine_map(len(loops[2]), range(result.rank))],
    )
    return [converted(op, build, summed[0], wide, result)]


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


def accumulation_type(type: ElementType) -> ElementType:
    """What sums of a type are kept in: f32 for 16-bit floats, else the type itself."""
    return ELEMENT_TYPES["f32"] if type.is_float and type.bits < 32 else type


def _zero(op: Operation, build: Lowering, type: ElementType) -> Value:
    zero = structured.scalar(build, 0, ELEMENT_TYPES["i1"])
    return cast_scalar(Emit(op, build), zero, ELEMENT_TYPES["i1"], type)


def _accumulate(e: Emit, type: ElementType, total: Value, left: Value, right: Value) -> Value:
    if type.is_boolean:
        return e("arith.ori", total, e("arith.andi", left, right))
    dialect, suffix = (
        ("complex", "") if type.is_complex else ("arith", "f" if type.is_float else "i")
    )
    product = e(f"{dialect}.mul{suffix}", left, right)
    return e(f"{dialect}.add{suffix}", total, product)


def converted(
    op: Operation, build: Lowering, value: Value, source: TensorType, target: TensorType
) -> Value:
    """A tensor with its elements converted to the type of ``target``."""
    if source.element_type == target.element_type:
        return value

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        return [cast_scalar(e, scalars[0], source.element_type, target.element_type)]

    maps = [structured.identity(target.rank)]
    outputs = [structured.empty(build, target)]
    return structured.generic(build, [value], maps, outputs, [target], body)[0]
