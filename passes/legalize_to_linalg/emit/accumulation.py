"""Sums of products: the types that they are kept in, their zeros and their terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.narrow_floats import is_narrow, wide_type
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured

# Makes another value of an element.
Cast = Callable[[Emit, Value], Value]


def accumulation_type(type: ElementType) -> ElementType:
    """What sums of a type are kept in: a wider one for floats below f32, else the type itself."""
    if is_narrow(type):
        return wide_type(type)
    return ELEMENT_TYPES["f32"] if type.is_float and type.bits < 32 else type


def zero_of(op: Operation, build: Lowering, type: ElementType) -> Value:
    zero = structured.scalar(build, 0, ELEMENT_TYPES["i1"])
    return cast_scalar(Emit(op, build), zero, ELEMENT_TYPES["i1"], type)


def accumulate(e: Emit, type: ElementType, total: Value, left: Value, right: Value) -> Value:
    """``total + left * right``; for booleans OR of ANDs."""
    if type.is_boolean:
        return e("arith.ori", total, e("arith.andi", left, right))
    dialect, suffix = (
        ("complex", "") if type.is_complex else ("arith", "f" if type.is_float else "i")
    )
    product = e(f"{dialect}.mul{suffix}", left, right)
    return e(f"{dialect}.add{suffix}", total, product)


def sums_of_products(
    op: Operation,
    build: Lowering,
    operands: Sequence[Value],
    places: Sequence[Sequence[int | str]],
    type: TensorType,
    loops: tuple[Sequence[int], Sequence[str]],
    casts: Sequence[Cast],
) -> Value:
    """A tensor of sums of products of elements of two tensors.

    Args:
        places: where each is read within loops, as the results of an affine map.
        type: of the result, whose elements sums are kept in.
        loops: those of the result's dimensions, and the kinds of all.
        casts: what makes factors of elements.
    """
    outer, kinds = loops

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        left, right = (cast(e, value) for cast, value in zip(casts, scalars[:2], strict=True))
        return [accumulate(e, type.element_type, scalars[2], left, right)]

    return structured.generic(
        build,
        operands,
        [structured.affine_map(len(kinds), side) for side in places],
        [structured.filled(build, zero_of(op, build, type.element_type), type)],
        [type],
        body,
        iterators=kinds,
        output_maps=[structured.affine_map(len(kinds), outer)],
    )[0]


def converted(
    op: Operation, build: Lowering, value: Value, source: TensorType, target: TensorType
) -> Value:
    """A tensor with its elements converted to the type of ``target``."""
    if source.element_type == target.element_type:
        return value
    cast = partial(cast_scalar, source=source.element_type, target=target.element_type)

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return [cast(Emit(op, inner), scalars[0])]

    maps = [structured.identity(target.rank)]
    outputs = [structured.empty(build, target)]
    return structured.generic(build, [value], maps, outputs, [target], body)[0]
