"""Ops of the tensor dialect that read sizes, or put them into tensors and take them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes, unranked, vectors
from shlo_tools.passes.normalize.legalize_shape.extents import extent
from shlo_tools.passes.normalize.legalize_shape.integers import constant, emit, number
from shlo_tools.passes.normalize.legalize_shape.rules import converted_type, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Size

_MOST_GENERATED = 64


@lowers("tensor.dim")
def dim(op: Operation, operands: list[Any], build: Lowering) -> Any:
    shape = shapes.of_tensor(build, operands[0])
    return [shapes.as_size(build, op, extent(build, op.name, shape, Size(operands[1])))]


@lowers("tensor.rank")
def rank(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [shapes.rank(build, shapes.of_tensor(build, operands[0]))]


@lowers("tensor.from_elements")
def from_elements(op: Operation, operands: list[Any], build: Lowering) -> Any:
    type = dtypes.tensor_type(converted_type(op.results[0].type))
    if not operands:
        attribute = dtypes.to_attribute(np.zeros(type.static_shape), type.element_type)
        return [emit(build, "stablehlo.constant", (), type, {"value": attribute})]
    flat = vectors.vector(build, operands)
    return [flat if type.rank == 1 else emit(build, "stablehlo.reshape", (flat,), type)]


@lowers("tensor.generate")
def generate(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The region once for every element of a vector, where their number is known."""
    type = op.results[0].type
    length = number(operands[0]) if operands else vectors.length_of_type(type)
    if type.rank != 1 or length is None or not 0 <= length <= _MOST_GENERATED:
        ir.raise_unsupported([op], "all but vectors of a few elements")
    rows: list[Any] = [
        build.inline(op.regions[0], [constant(build, n)]) for n in range(length or 0)
    ]
    if not rows:
        ir.raise_unsupported([op], "a vector without elements")
    return [vectors.vector(build, [row[0] for row in rows])]


@lowers("tensor.splat")
def splat(op: Operation, operands: list[Any], build: Lowering) -> Any:
    type = dtypes.tensor_type(converted_type(op.results[0].type))
    attributes = {"broadcast_dimensions": mlir.i64_array_attr([])}
    sizes = iter(operands[1:])
    if type.is_static:
        return [emit(build, "stablehlo.broadcast_in_dim", operands[:1], type, attributes)]
    extents = [
        constant(build, size) if isinstance(size, int) else next(sizes) for size in type.shape
    ]
    operands_of_broadcast = operands[0], vectors.vector(build, extents)
    return [
        emit(build, "stablehlo.dynamic_broadcast_in_dim", operands_of_broadcast, type, attributes)
    ]


@lowers("tensor.extract")
def extract(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """One element, which must be there."""
    tensor, indices = operands[0], operands[1:]
    shape = shapes.of_tensor(build, tensor).known
    for index, size in zip(indices, shape, strict=True):
        above = integers.compare(build, "LE", constant(build, 0), index)
        inside = integers.binary(build, "and", above, integers.compare(build, "LT", index, size))
        message = "tensor.extract: index {0} is outside of a dimension of size {1}"
        shapes.required(build, inside, message, index, size)
    return [_element(build, tensor, indices)]


def _element(build: Lowering, tensor: Value, indices: list[Value]) -> Value:
    type = integers.type_of(tensor)
    known = vectors.elements(build, tensor) if type.rank == 1 else None
    at = integers.number(indices[0]) if len(indices) == 1 else None
    if known is not None and at is not None:
        return known[at]
    if not indices:
        return tensor
    attributes = {"slice_sizes": mlir.i64_array_attr([1] * type.rank)}
    one = type.with_shape((1,) * type.rank)
    slice_ = emit(build, "stablehlo.dynamic_slice", (tensor, *indices), one, attributes)
    return emit(build, "stablehlo.reshape", (slice_,), type.with_shape(()))


@lowers("tensor.cast")
def cast(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Extents keep what is known of their number; other tensors are cast as they are."""
    old, new = (value.type for value in (op.operands[0], op.results[0]))
    if "index" not in str(new):
        return [build.value("tensor.cast", operands, new)]
    if new.rank != 1 or old.rank != 1:
        ir.raise_unsupported([op])
    return [unranked.with_length(build, operands[0], vectors.length_of_type(new), op.name)]


@lowers("tensor.reshape")
def reshape(op: Operation, operands: list[Any], build: Lowering) -> Any:
    type = converted_type(op.results[0].type)
    return [emit(build, "stablehlo.dynamic_reshape", operands, type)]
