"""Reading operands as shapes and sizes, and giving results in the types that ops declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.normalize.legalize_shape import integers, unranked, vectors
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, leave, require
from shlo_tools.passes.normalize.legalize_shape.rules import SHAPE, SIZE
from shlo_tools.passes.normalize.legalize_shape.values import Shape, Size, ValueShape


def shape(build: Lowering, operand: Any) -> Shape:
    """An operand as a shape, with its unknown sizes as an error.

    ``shape.const_shape [-1, 2]`` is how unknown sizes are written: where none came in their
    place, nobody can compute with them.
    """
    result = open_shape(build, operand)
    if result.has_rank and any(is_unknown(size) for size in result.known):
        text = ", ".join("?" if is_unknown(s) else f"{{{d}}}" for d, s in enumerate(result.known))
        no = integers.constant(build, 0, integers.I1)
        return result.guarded(
            demand(build, no, f"a size of the shape [{text}] is unknown", result.known)
        )
    return result


def open_shape(build: Lowering, operand: Any) -> Shape:
    """An operand as a shape, in which constants below 0 stand for unknown sizes."""
    if isinstance(operand, Shape):
        return operand
    if isinstance(operand, ValueShape):
        return operand.shape
    known = vectors.elements(build, operand)
    return Shape(operand if known is None else tuple(known))


def is_unknown(size: Value) -> bool:
    known = integers.number(size)
    return known is not None and known < 0


def shapes(build: Lowering, operands: Sequence[Any]) -> list[Shape]:
    return [shape(build, operand) for operand in operands]


def size(operand: Any) -> Size:
    """An operand as a size."""
    return operand if isinstance(operand, Size) else Size(operand)


def vector(build: Lowering, shape: Shape) -> Value:
    """The extents of a shape as a vector."""
    if isinstance(shape.extents, tuple):
        return vectors.vector(build, shape.extents)
    return shape.extents


def rank(build: Lowering, shape: Shape) -> Value:
    """The number of extents as a ``tensor<i64>``."""
    if isinstance(shape.extents, tuple):
        return integers.constant(build, len(shape.extents))
    return vectors.dimension_size(build, shape.extents, 0)


# --- results --------------------------------------------------------------------------------------
def as_shape(build: Lowering, op: Operation, shape_value: Shape, result: int = 0) -> Any:
    """A shape in the type that an op's result has: an extent tensor must be valid."""
    type = op.results[result].type
    if str(type) == SHAPE:
        return shape_value
    known = shape(build, shape_value)
    leave(build, known)
    tensor = vector(build, known)
    return unranked.with_length(build, tensor, vectors.length_of_type(type), op.name)


def as_size(build: Lowering, op: Operation, size: Size, result: int = 0) -> Any:
    """A size in the type that an op's result has: an index must be valid."""
    if str(op.results[result].type) == SIZE:
        return size
    leave(build, size)
    return size.value


def outside(build: Lowering, value: Any) -> Value:
    """What stands for a value outside of the function: plain tensors, known to be valid."""
    if isinstance(value, Shape):
        known = shape(build, value)
        leave(build, known)
        return vector(build, known)
    if isinstance(value, Size):
        leave(build, value)
        return value.value
    number: Value = value
    return number


def declared(build: Lowering, value: Any, type: Type) -> Value:
    """What stands for a value outside, in the type that a declaration has for it."""
    plain = outside(build, value)
    if plain.type == type:
        return plain
    return build.value("stablehlo.convert", (plain,), type)


def inside(value: Value, type: Type) -> Any:
    """What a value that comes from outside stands for."""
    if str(type) == SHAPE:
        return Shape(value)
    return Size(value) if str(type) == SIZE else value


def required(build: Lowering, holds: Value, message: str, *words: Value) -> None:
    """Assert a condition that is no property of a shape."""
    require(build, demand(build, holds, message, words))


def of_tensor(build: Lowering, tensor: Value) -> Shape:
    """The shape of a tensor.

    Raises:
        UnsupportedError: its type does not even say the rank.
    """
    if not mlir.is_tensor(tensor.type):
        message = f"not supported: the shape of a {tensor.type}"
        raise UnsupportedError(message, place=mlir.place_of(build.location))
    sizes = [vectors.dimension_size(build, tensor, d) for d in range(tensor.type.rank)]
    return Shape(tuple(sizes))
