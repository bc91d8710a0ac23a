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


def converted(
    op: Operation, build: Lowering, value: Value, source: TensorType, target: TensorType
) -> Value:
    """A tensor with its elements converted to the type of ``target``."""
    if source.element_type == target.element_type:
        return value
    cast = partial(cast_scalar, source=source.element_type, target=target.element_type)
    return cast_elements(op, build, value, cast, target)


def cast_elements(
    op: Operation, build: Lowering, value: Value, cast: Cast, target: TensorType
) -> Value:
    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return [cast(Emit(op, inner), scalars[0])]

    maps = [structured.identity(target.rank)]
    outputs = [structured.empty(build, target)]
    return structured.generic(build, [value], maps, outputs, [target], body)[0]
