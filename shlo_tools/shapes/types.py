"""The types of values as shapes are computed with them.

A quantized tensor is a tensor whose element type is known by its name; op functions see the type
that its elements stand for, which has the same sizes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shlo_tools import dims, dtypes, mlir
from shlo_tools.constraints import at_most, meet_dims, require, same
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import ElementType, Kind, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Type, Value
from shlo_tools.shapes import sources
from shlo_tools.types import CONTENTS_LIMIT, TupleType, ValueType, value_type

_EXPRESSED = re.compile(r":(b?f\d+)")
_STORED = re.compile(r"<([iu]\d+)")
_QUANTIZED = "!quant."
_BOUNDS = re.compile(r"#stablehlo\.bounds<([^>]*)>")


class Declared(NamedTuple):
    """What an MLIR type says.

    Attributes:
        type: the type, with ``UNKNOWN`` sizes.
        is_static: whether nothing in it is unknown.
        is_followed: whether it may be that of a small integer tensor.
    """

    type: ValueType
    is_static: bool
    is_followed: bool = False


def declared(type: Type) -> Declared:
    """Read an MLIR type."""
    text = str(type)
    is_static = "?" not in text
    if text.startswith("tensor<") and _QUANTIZED in text and mlir.is_tensor(type):
        return Declared(_quantized(type), is_static)
    if text.startswith("tuple<"):
        held: Any = type
        members = (declared(held.get_type(i)).type for i in range(held.num_types))
        return Declared(TupleType(tuple(members)), is_static)
    read = value_type(type)
    return Declared(read, is_static, _may_hold_sizes(read))


LIMIT = CONTENTS_LIMIT


def _may_hold_sizes(type: ValueType) -> bool:
    if str(type) == "index":
        return True
    if not isinstance(type, TensorType) or type.element_type.kind in (Kind.FLOAT, Kind.COMPLEX):
        return False
    return not type.is_static or type.size <= LIMIT


def _quantized(type: Any) -> TensorType:
    shape = tuple(UNKNOWN if size == mlir.DYNAMIC else int(size) for size in type.shape)
    name = str(type.element_type)
    found = _BOUNDS.search(str(type))
    given = [bound.strip() for bound in found[1].split(",")] if found else []
    bounds = tuple(None if bound == "?" else int(bound) for bound in given)
    return TensorType(shape, ElementType(name, Kind.FLOAT, 8, np.dtype("i1")), bounds)


def is_quantized(type: ValueType) -> bool:
    return isinstance(type, TensorType) and type.element_type.name.startswith(_QUANTIZED)


def expressed(type: ValueType, *, stored: bool = False) -> ValueType:
    """A quantized type's sizes with the numbers that its elements stand for, or are stored as."""
    if isinstance(type, TupleType):
        return TupleType(tuple(expressed(member, stored=stored) for member in type.members))
    if not (isinstance(type, TensorType) and is_quantized(type)):
        return type
    found = (_STORED if stored else _EXPRESSED).search(type.element_type.name)
    name = found[1] if found else "f32"
    return type.with_element(dtypes.element_type(name.replace("u", "ui")))


# --- in MLIR --------------------------------------------------------------------------------------
def without_symbols(type: ValueType) -> ValueType:
    """A type with the sizes that are numbers."""
    if isinstance(type, TupleType):
        return TupleType(tuple(without_symbols(member) for member in type.members))
    if not isinstance(type, TensorType):
        return type
    sizes = tuple(dim if isinstance(dim, int) else UNKNOWN for dim in type.shape)
    if not any(bound is not None for bound in type.bounds):
        return type if sizes == type.shape else TensorType(sizes, type.element_type)
    bounds = tuple(
        None if isinstance(dim, int) else bound
        for dim, bound in zip(sizes, type.bounds, strict=True)
    )
    return replace(type, shape=sizes, bounds=bounds)


def spelled(type: ValueType) -> Type:
    """A type in MLIR; members of tuples keep their bounds."""
    if isinstance(type, TupleType):
        members = ", ".join(str(spelled(member)) for member in type.members)
        return mlir.parse_type(f"tuple<{members}>")
    return type.mlir()


def text(type: ValueType) -> str:
    """How MLIR writes a type."""
    return str(spelled(without_symbols(type)))


# --- two types of one value -----------------------------------------------------------------------
def met(declared: TensorType, inferred: TensorType) -> TensorType:
    """Both types of one value; what is not proven to agree becomes an obligation."""
    message = f"the result is {inferred}, declared is {declared}"
    if len(declared.shape) != len(inferred.shape):
        raise ConstraintError(message)
    for have, want in zip(inferred.shape, declared.shape, strict=True):
        require("result", same(have, want), message)
    for have, bound in zip(inferred.shape, declared.bounds or (), strict=bool(declared.bounds)):
        if bound is not None:
            over = f"size {have} of the result {inferred} exceeds its bound {bound}"
            require("result", at_most(have, bound), over)
    shape = tuple(meet_dims(a, b) for a, b in zip(declared.shape, inferred.shape, strict=True))
    return TensorType(shape, declared.element_type, declared.bounds)


_LARGEST = (1 << 63) - 1


def check_sizes(type: TensorType) -> None:
    """Refuse sizes that no tensor has.

    Raises:
        ConstraintError: a size is negative or over its bound, or no memory holds the elements.
    """
    bytes_needed = 1
    for d, dim in enumerate(type.shape):
        low, high = dims.bounds(dim)
        if high is not None and high < 0:
            raise ConstraintError(f"size {dim} of dimension {d} of {type} is negative")
        bound = type.bounds[d] if type.bounds else None
        if bound is not None and low is not None and low > bound:
            raise ConstraintError(
                f"size {dim} of dimension {d} of {type} is over its bound {bound}"
            )
        if isinstance(dim, int):
            bytes_needed *= dim
            if dim > _LARGEST:
                raise ConstraintError(f"size {dim} of dimension {d} does not fit an i64")
    if bytes_needed * type.element_type.dtype.itemsize > _LARGEST:
        raise ConstraintError(f"{type} has more elements than any memory holds")


def named(type: ValueType, value: Value) -> ValueType:
    """The type with a symbol for every size of which nothing is known."""
    if not isinstance(type, TensorType) or UNKNOWN not in type.shape:
        return type
    bounds = type.bounds or (None,) * type.rank
    shape = tuple(
        sources.extent(value, d, bound) if dim is UNKNOWN else dim
        for d, (dim, bound) in enumerate(zip(type.shape, bounds, strict=True))
    )
    return replace(type, shape=shape)


def combined(a: ValueType, b: ValueType, choose: Callable[[Dim, Dim], Dim]) -> ValueType:
    """A type whose sizes are chosen from those of two, tuples member by member.

    Raises:
        ConstraintError: the types differ in more than sizes.
    """
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.members) == len(b.members):
        pairs = zip(a.members, b.members, strict=True)
        return TupleType(tuple(combined(x, y, choose) for x, y in pairs))
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
        return a
    if len(a.shape) != len(b.shape):
        raise ConstraintError(f"one value would be both {a} and {b}")
    shape = tuple(choose(x, y) for x, y in zip(a.shape, b.shape, strict=True))
    return replace(a, shape=shape)
