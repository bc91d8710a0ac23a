"""Shapes and element types as XLA writes them: ``f32[2,3]``, ``pred``, ``s32``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, element_type
from shlo_tools.errors import ShloError
from shlo_tools.types import OtherType, TokenType, TupleType, ValueType, coerce_type

# One array: a TensorType, StableHLO's "2x3xf32" or XLA's "f32[2,3]".
Shape: TypeAlias = TensorType | str
# Any value: an array, or a tuple of values.
AnyShape: TypeAlias = ValueType | str | Sequence[Any]
PrimitiveType: TypeAlias = ElementType | str

# XLA's names to StableHLO's; those of narrow floats differ by upper case alone.
_NAMES = {name.lower(): name for name in ELEMENT_TYPES}
_NAMES |= {"pred": "i1", "c64": "complex<f32>", "c128": "complex<f64>"}
_INTEGER = re.compile(r"([su])(\d+)")
_ARRAY = re.compile(r"(\w+)\[([\d, ]*)\]")


def primitive_type(name: PrimitiveType) -> ElementType:
    """The element type that XLA or StableHLO calls by a name, such as ``s32`` or ``i32``.

    Raises:
        ShloError: there is none of that name.
    """
    if isinstance(name, ElementType):
        return name
    if not isinstance(name, str):
        raise ShloError(f"{name!r} is no element type", hint="write it as f32, s32 or pred")
    lower = name.lower()
    integer = _INTEGER.fullmatch(lower)
    if integer is not None:
        lower = ("i" if integer[1] == "s" else "ui") + integer[2]
    return element_type(_NAMES.get(lower, name))


def array_shape(shape: Shape) -> TensorType:
    """The type of an array as StableHLO or XLA spells it.

    Raises:
        ShloError: it is no type of an array.
    """
    type = value_shape(shape)
    if not isinstance(type, TensorType):
        raise ShloError(
            f"{shape!r} is no shape of an array", hint="write it as f32[2,3] or 2x3xf32"
        )
    return type


def value_shape(shape: AnyShape) -> ValueType:
    """The type of any value; a sequence of shapes is that of a tuple.

    Raises:
        ShloError: it is no type.
    """
    if isinstance(shape, TensorType | TokenType | TupleType | OtherType):
        return shape
    if not isinstance(shape, str | list | tuple):
        raise ShloError(f"{shape!r} is no shape", hint="write it as f32[2,3] or 2x3xf32")
    if not isinstance(shape, str):
        return TupleType(tuple(value_shape(member) for member in shape))
    array = _ARRAY.fullmatch(shape.strip())
    if array is None:
        return coerce_type(shape, None)
    sizes = [int(size) for size in array[2].split(",") if size.strip()]
    return TensorType(tuple(sizes), primitive_type(array[1]))
