"""What rules ask of values: their types, what made them, which numbers they hold."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.types import value_type

LIMIT = 65536  # elements of a constant that rules compute with


# --- types ----------------------------------------------------------------------------------------
def typed(value: Value) -> TensorType | None:
    """The type of a tensor of plain numbers; None for anything else."""
    return _tensor(value.type)


@functools.lru_cache(maxsize=4096)
def _tensor(type: Any) -> TensorType | None:
    tensor = value_type(type)
    if not isinstance(tensor, TensorType) or tensor.element_type.is_quantized:
        return None
    return tensor


def static(value: Value) -> TensorType | None:
    """The type of a tensor of plain numbers and known sizes; None for anything else."""
    type = typed(value)
    return type if type is not None and type.is_static else None


# --- what made a value ----------------------------------------------------------------------------
def source(value: Value, *names: str) -> Operation | None:
    """The op that a value comes from, if it is of one of these names (without dialect)."""
    op = mlir.defining_op(value)
    return op if op is not None and op.name.removeprefix("stablehlo.") in names else None


def origin(value: Value) -> tuple[Value, list[int]]:
    """The tensor that a value repeats, and where its dimensions of more than one element lie."""
    dims = long_dims(value)
    while (op := source(value, "reshape", "broadcast_in_dim")) is not None:
        places = moved_dims(op)
        if places is None:
            break
        repeated = dict(zip(long_dims(value), dims, strict=True))
        value = op.operands[0]
        dims = [repeated[places[d]] for d in long_dims(value)]
    return value, dims


def moved_dims(op: Operation) -> dict[int, int] | None:
    """Where a reshape or broadcast has its operand's dimensions of more than one element.

    None for a reshape that joins or splits them.
    """
    (operand,), (result,) = op.operands, op.results
    before = long_dims(operand)
    if op.name == "stablehlo.broadcast_in_dim":
        places = ir.integers_of(op, "broadcast_dimensions")
        return {d: places[d] for d in before}
    after = long_dims(result)
    old, new = (dtypes.tensor_type(v.type).static_shape for v in (operand, result))
    if [old[d] for d in before] != [new[d] for d in after]:
        return None
    return dict(zip(before, after, strict=True))


def long_dims(value: Value) -> list[int]:
    """The dimensions of more than one element, of a static type."""
    return [d for d, size in enumerate(dtypes.tensor_type(value.type).static_shape) if size != 1]


def without_dims(
    build: Build, value: Value, kept: Sequence[int], part: Value, dims: Sequence[int]
) -> Value:
    """A value in some of its dimensions, where it is the same along all others.

    Args:
        part, dims: what the value repeats, as ``origin`` says it; ``dims`` are kept.
    """
    type = dtypes.tensor_type(value.type)
    shapes = [[type.static_shape[d] for d in places] for places in (dims, kept)]
    own, whole = (type.with_shape(shape).mlir() for shape in shapes)
    part = build.value("stablehlo.reshape", (part,), own)
    places = {"broadcast_dimensions": mlir.i64_array_attr([kept.index(d) for d in dims])}
    return build.value("stablehlo.broadcast_in_dim", (part,), whole, places)


def has_one_use(op: Operation) -> bool:
    """Whether an op of one result is used in one place only."""
    uses = op.results[0].uses
    return next(uses, None) is not None and next(uses, None) is None


def with_attributes(op: Operation, **changed: Attribute) -> dict[str, Attribute]:
    """All attributes of an op, some of them changed."""
    return {**dict(op.attributes.items()), **changed}


def rebuilt(
    op: Operation, build: Build, operands: Sequence[Value], **changed: Attribute
) -> list[Value]:
    """An op like one of one result and no regions, with other operands and attributes."""
    attributes = with_attributes(op, **changed)
    return [build.value(op.name, operands, op.results[0].type, attributes)]


# --- numbers --------------------------------------------------------------------------------------
_SPREADING = ("broadcast", "broadcast_in_dim", "reshape", "transpose")
_CONSTANTS = ("constant", "arith.constant")  # exporters of PyTorch write both
_STEPS = 4  # how far a constant is looked for


def constant_behind(value: Value) -> Operation | None:
    """The constant whose elements a value repeats or reorders."""
    for _ in range(_STEPS):
        op = mlir.defining_op(value)
        if op is None:
            return None
        name = op.name.removeprefix("stablehlo.")
        if name in _CONSTANTS:
            return op
        if name not in _SPREADING:
            return None
        value = op.operands[0]
    return None


def alike(one: Value, other: Value) -> bool:
    """Whether two values are the same, or constants of the same elements."""
    if one == other:
        return True
    first, second = source(one, *_CONSTANTS), source(other, *_CONSTANTS)
    if first is None or second is None:
        return False
    return bool(first.attributes["value"] == second.attributes["value"])


def splat(value: Value) -> Array | None:
    """The one number that all elements of a constant are, as a 0-dimensional array."""
    op = constant_behind(value)
    return None if op is None else _splat(op.attributes["value"])


@functools.lru_cache(maxsize=1024)
def _splat(attribute: Any) -> Array | None:
    type = _tensor(attribute.type)
    if type is None or not mlir.is_splat(attribute):
        return None
    return dtypes.splat_element(attribute)


def held(value: Value, limit: int = LIMIT) -> Array | None:
    """The elements of a constant, read-only; a splat takes the memory of one element."""
    op = source(value, *_CONSTANTS)
    if op is None:
        return None
    type, attribute = static(value), op.attributes["value"]
    if type is None or not mlir.is_dense(attribute):
        return None
    one = _splat(attribute)
    if one is not None:
        return np.broadcast_to(one, type.static_shape)
    return dtypes.from_attribute(attribute) if type.size <= limit else None


def held_integers(value: Value) -> list[int] | None:
    """The elements of a constant of integers, in row-major order."""
    array = held(value)
    type = typed(value)
    if array is None or type is None or type.element_type.is_float or type.element_type.is_complex:
        return None
    return [int(x) for x in array.reshape(-1)]


def is_splat(array: Array) -> bool:
    """Whether an array repeats one element in memory."""
    steps = zip(array.shape, array.strides, strict=True)
    return array.size > 0 and all(size == 1 or not stride for size, stride in steps)


def constant(build: Build, type: Type, array: Array) -> Value:
    """A constant of a static type; an array that repeats one element becomes a splat."""
    if is_splat(array):
        attribute = splat_attribute(array.reshape(-1)[0], type)
    else:
        attribute = dtypes.to_attribute(array, dtypes.tensor_type(type).element_type)
    return build.value("stablehlo.constant", (), type, {"value": attribute})


def splat_attribute(number: Any, type: Type) -> Attribute:
    """A dense attribute with one number everywhere."""
    element = dtypes.tensor_type(type).element_type
    raw = np.asarray(number, element.dtype).reshape(1).view(np.uint8)
    if element.bits < 8:
        raw = raw & np.uint8((1 << element.bits) - 1)
    return mlir.dense_from_bytes(raw, type)


def spread(build: Build, number: Value, type: Type) -> Value:
    """A tensor all of whose elements are the one of another."""
    none = {"broadcast_dimensions": mlir.i64_array_attr([])}
    return build.value("stablehlo.broadcast_in_dim", (number,), type, none)


def compared(build: Build, direction: str, one: Value, other: Value) -> Value:
    """Whether elements of values of one static type are EQ, NE, GE, GT, LE or LT."""
    type = mlir.tensor_type(one.type.shape, mlir.integer_type(1))
    attribute = mlir.parse_attribute(f"#stablehlo<comparison_direction {direction}>")
    return build.value("stablehlo.compare", (one, other), type, {"comparison_direction": attribute})


def filled(build: Build, like: Value, number: Any) -> Value | None:
    """A constant of the type of a value; None where that type has unknown sizes."""
    type = static(like)
    if type is None:
        return None
    one = np.asarray(number).astype(type.element_type.dtype)
    return constant(build, like.type, np.broadcast_to(one, type.static_shape))
