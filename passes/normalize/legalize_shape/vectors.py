"""Vectors of integers, and the scalars that they are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Lowering, constant_of
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.normalize.legalize_shape.integers import (
    I32,
    I64,
    constant,
    converted,
    emit,
    number,
    type_of,
)


def vector_type(length: int | None) -> Type:
    """``tensor<Nxi64>``, or ``tensor<?xi64>``."""
    size = mlir.DYNAMIC if length is None else length
    return mlir.tensor_type([size], mlir.integer_type(64))


def length_of(vector: Value) -> int | None:
    return length_of_type(vector.type)


def length_of_type(type: Any) -> int | None:
    """The length that the type of an extent tensor says."""
    return None if type.shape[0] == mlir.DYNAMIC else int(type.shape[0])


def vector(build: Lowering, elements: Sequence[Value]) -> Value:
    """A vector of scalars of one type."""
    known = [number(element) for element in elements]
    element_type = I64.element_type if not elements else type_of(elements[0]).element_type
    type = TensorType((len(elements),), element_type)
    if element_type.is_integer and None not in known:
        array = np.array(known, object).astype(element_type.dtype)
        attributes = {"value": dtypes.to_attribute(array, element_type)}
        return emit(build, "stablehlo.constant", (), type, attributes)
    whole = _taken_apart(elements)
    if whole is not None and whole.type == type.mlir():
        return whole
    single = type.with_shape((1,))
    pieces = [emit(build, "stablehlo.reshape", (element,), single) for element in elements]
    if len(pieces) == 1:
        return pieces[0]
    return emit(build, "stablehlo.concatenate", pieces, type, {"dimension": mlir.i64_attr(0)})


def elements(build: Lowering, vector: Value) -> list[Value] | None:
    """The scalars in a vector; None where its length is unknown."""
    length = length_of(vector)
    if length is None:
        return None
    scalar = type_of(vector).with_shape(())
    array = constant_of(vector)
    if array is not None and scalar.element_type.is_integer:
        return [constant(build, int(item), scalar) for item in array]
    pieces = _pieces(vector)
    if pieces is not None and len(pieces) == length:
        return pieces
    return [element(build, vector, position) for position in range(length)]


def _pieces(vector: Value) -> list[Value] | None:
    """The scalars that a vector was put together from."""
    op = mlir.defining_op(vector)
    if op is None or op.name not in ("stablehlo.concatenate", "stablehlo.reshape"):
        return None
    parts: list[Operation | None] = [op]
    if op.name == "stablehlo.concatenate":
        parts = [mlir.defining_op(operand) for operand in op.operands]
    pieces = [
        part.operands[0]
        for part in parts
        if part is not None and part.name == "stablehlo.reshape" and not part.operands[0].type.rank
    ]
    return pieces if len(pieces) == len(parts) else None


def _taken_apart(elements: Sequence[Value]) -> Value | None:
    """The vector that these are the first elements of, in order."""
    source: Value | None = None
    for position, scalar in enumerate(elements):
        slices = mlir.defining_op(scalar)
        if slices is not None and slices.name == "stablehlo.reshape":
            slices = mlir.defining_op(slices.operands[0])
        if slices is None or slices.name != "stablehlo.slice":
            return None
        if ir.integers_of(slices, "start_indices") != [position]:
            return None
        if position and slices.operands[0] != source:
            return None
        source = slices.operands[0]
    return source


def element(build: Lowering, vector: Value, position: int) -> Value:
    bounds = {"start_indices": position, "limit_indices": position + 1, "strides": 1}
    attributes = {name: mlir.i64_array_attr([at]) for name, at in bounds.items()}
    scalar = type_of(vector).with_shape(())
    one = emit(build, "stablehlo.slice", (vector,), scalar.with_shape((1,)), attributes)
    return emit(build, "stablehlo.reshape", (one,), scalar)


def dimension_size(build: Lowering, tensor: Value, dimension: int) -> Value:
    """A size of a tensor as a ``tensor<i64>``."""
    size = tensor.type.shape[dimension]
    if size != mlir.DYNAMIC:
        return constant(build, int(size))
    attributes = {"dimension": mlir.i64_attr(dimension)}
    size_ = emit(build, "stablehlo.get_dimension_size", (tensor,), I32, attributes)
    return converted(build, size_, "i64")
