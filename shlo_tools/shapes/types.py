"""The types of values as shapes are computed with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from shlo_tools import dims, mlir
from shlo_tools.constraints import at_most, meet_dims, require, same
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import Kind, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Type, Value
from shlo_tools.shapes import sources
from shlo_tools.types import CONTENTS_LIMIT, TupleType, ValueType, value_type


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
    is_static = not mlir.is_dynamic(type)
    if mlir.is_tuple(type):
        members = (declared(member).type for member in mlir.members(type))
        return Declared(TupleType(tuple(members)), is_static)
    known = value_type(type)
    return Declared(known, is_static, _may_hold_sizes(known))


LIMIT = CONTENTS_LIMIT
NO_SIZES = (Kind.FLOAT, Kind.COMPLEX, Kind.QUANTIZED)


def _may_hold_sizes(type: ValueType) -> bool:
    if str(type) == "index":
        return True
    if not isinstance(type, TensorType) or type.element_type.kind in NO_SIZES:
        return False
    return not type.is_static or type.size <= LIMIT


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
