"""Shapes and their parts: made of tensors, constants and sizes, taken apart, put together."""

from __future__ import annotations

from typing import Any

import numpy as np

from shlo_tools import dtypes
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes, unranked, vectors
from shlo_tools.passes.normalize.legalize_shape.assertions import demand
from shlo_tools.passes.normalize.legalize_shape.integers import binary, compare, constant
from shlo_tools.passes.normalize.legalize_shape.rules import SHAPE, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Shape, Size, ValueShape, merged


@lowers("shape.shape_of")
def shape_of(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Sizes of a tensor: constants where its type says them."""
    operand = operands[0]
    if isinstance(operand, ValueShape):
        return [shapes.as_shape(build, op, shapes.shape(build, operand))]
    return [shapes.as_shape(build, op, shapes.of_tensor(build, operand))]


@lowers("shape.const_shape")
def const_shape(op: Operation, operands: list[Any], build: Lowering) -> Any:
    numbers = dtypes.from_attribute(op.attributes["shape"])
    sizes = tuple(constant(build, int(size)) for size in np.atleast_1d(numbers))
    if str(op.results[0].type) == SHAPE:
        return [Shape(sizes)]
    return [vectors.vector(build, sizes)]


@lowers("shape.from_extents")
def from_extents(op: Operation, operands: list[Any], build: Lowering) -> Any:
    sizes = [shapes.size(operand) for operand in operands]
    guards = merged(*(size.guards for size in sizes))
    return [shapes.as_shape(build, op, Shape(tuple(s.value for s in sizes), guards))]


@lowers("shape.from_extent_tensor", "shape.to_extent_tensor")
def to_extent_tensor(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The extents stay; an extent tensor must come from a valid shape."""
    return [shapes.as_shape(build, op, shapes.shape(build, operands[0]))]


@lowers("shape.rank")
def rank(op: Operation, operands: list[Any], build: Lowering) -> Any:
    shape = shapes.shape(build, operands[0])
    return [shapes.as_size(build, op, Size(shapes.rank(build, shape), shape.guards))]


@lowers("shape.num_elements")
def num_elements(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The product of the extents."""
    shape = shapes.shape(build, operands[0])
    if isinstance(shape.extents, tuple):
        count = integers.chain(build, "multiply", shape.extents, 1, integers.I64)
    else:
        count = unranked.product(build, shape.extents)
    return [shapes.as_size(build, op, Size(count, shape.guards))]


@lowers("shape.get_extent")
def get_extent(op: Operation, operands: list[Any], build: Lowering) -> Any:
    size = extent(build, op.name, shapes.shape(build, operands[0]), shapes.size(operands[1]))
    return [shapes.as_size(build, op, size)]


@lowers("shape.dim")
def dim(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """An extent of a tensor's shape."""
    operand = operands[0]
    shape = operand.shape if isinstance(operand, ValueShape) else shapes.of_tensor(build, operand)
    size = extent(build, op.name, shapes.shape(build, shape), shapes.size(operands[1]))
    return [shapes.as_size(build, op, size)]


def extent(build: Lowering, name: str, shape: Shape, index: Size) -> Size:
    """One extent; outside of the shape there is none."""
    rank = shapes.rank(build, shape)
    above = compare(build, "LE", constant(build, 0), index.value)
    inside = binary(build, "and", above, compare(build, "LT", index.value, rank))
    message = f"{name}: index {{0}} is outside of a shape of rank {{1}}"
    guard = demand(build, inside, message, (index.value, rank))
    guards = merged(shape.guards, index.guards, (guard,))
    at = integers.number(index.value)
    if at is not None and isinstance(shape.extents, tuple):
        known = 0 <= at < len(shape.extents)
        return Size(shape.extents[at] if known else constant(build, 1), guards)
    return Size(unranked.at(build, shapes.vector(build, shape), index.value), guards)


@lowers("shape.concat")
def concat(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """One shape after the other."""
    a, b = shapes.shapes(build, operands)
    guards = merged(a.guards, b.guards)
    if isinstance(a.extents, tuple) and isinstance(b.extents, tuple):
        return [shapes.as_shape(build, op, Shape(a.extents + b.extents, guards))]
    both = [shapes.vector(build, shape) for shape in (a, b)]
    return [shapes.as_shape(build, op, Shape(unranked.joined(build, *both), guards))]


@lowers("shape.split_at")
def split_at(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The extents before an index and those behind; below 0 it counts from the end."""
    shape, index = shapes.shape(build, operands[0]), shapes.size(operands[1])
    rank = shapes.rank(build, shape)
    lowest = binary(build, "subtract", constant(build, 0), rank)
    holds = binary(
        build,
        "and",
        compare(build, "LE", lowest, index.value),
        compare(build, "LE", index.value, rank),
    )
    message = "shape.split_at: index {0} is outside of [-{1}, {1}]"
    guard = demand(build, holds, message, (index.value, rank))
    guards = merged(shape.guards, index.guards, (guard,))
    parts = _parts(build, shape, rank, index.value)
    return [shapes.as_shape(build, op, Shape(part, guards), n) for n, part in enumerate(parts)]


def _parts(
    build: Lowering, shape: Shape, rank: Value, index: Value
) -> tuple[tuple[Value, ...] | Value, ...]:
    known = integers.number(index)
    if known is not None and isinstance(shape.extents, tuple):
        at = max(0, min(known + len(shape.extents) * (known < 0), len(shape.extents)))
        return shape.extents[:at], shape.extents[at:]
    none = constant(build, 0)
    from_end = compare(build, "LT", index, none)
    counted = integers.select(build, from_end, binary(build, "add", index, rank), index)
    at_index = binary(build, "minimum", binary(build, "maximum", counted, none), rank)
    vector = shapes.vector(build, shape)
    bounds = ((none, at_index), (at_index, rank))
    return tuple(unranked.part(build, vector, *pair) for pair in bounds)
