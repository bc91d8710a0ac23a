"""Values with shapes of their own, calls, and printing."""

from __future__ import annotations

from typing import Any

from shlo_tools import ir
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, leave, told
from shlo_tools.passes.normalize.legalize_shape.combining import all_equal
from shlo_tools.passes.normalize.legalize_shape.rules import converted_type, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Shape, Size, ValueShape, merged


@lowers("shape.with_shape")
def with_shape(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """A value and a shape, which must be the value's."""
    operand, shape = operands[0], shapes.shape(build, operands[1])
    own = _value_shape(build, operand)
    text, words = told((own.shape, shape))
    same = all_equal(build, [Shape(own.shape.extents), Shape(shape.extents)])
    guard = demand(build, same, f"shape.with_shape: the value has another shape{text}", words)
    guards = merged(own.shape.guards, shape.guards, (guard,))
    return [ValueShape(own.value, Shape(shape.extents, guards))]


@lowers("shape.value_of")
def value_of(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The value alone; its shape must be valid."""
    pair = _value_shape(build, operands[0])
    leave(build, shapes.shape(build, pair))
    declared = converted_type(op.results[0].type)
    if pair.value.type == declared:
        return [pair.value]
    return [build.value("stablehlo.convert", (pair.value,), declared)]


@lowers("shape.value_as_shape")
def value_as_shape(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The elements of a vector of integers as extents; another value is no shape."""
    pair = _value_shape(build, operands[0])
    type = tensor_type(pair.value.type)
    if type.rank != 1 or not type.element_type.is_integer:
        no = integers.constant(build, 0, integers.I1)
        guard = demand(build, no, f"shape.value_as_shape: {type} holds no shape")
        result = Shape((), merged(pair.shape.guards, (guard,)))
    else:
        vector = integers.converted(build, pair.value, "i64")
        extents = shapes.open_shape(build, vector).extents
        result = Shape(extents, pair.shape.guards)
    return [shapes.as_shape(build, op, result)]


def _value_shape(build: Lowering, operand: Any) -> ValueShape:
    if isinstance(operand, ValueShape):
        return operand
    return ValueShape(operand, shapes.of_tensor(build, operand))


@lowers("shape.debug_print")
def debug_print(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Prints the extents, or the size, and passes its operand on."""
    operand = operands[0]
    printed: Value = operand.value if isinstance(operand, Size) else shapes.vector(build, operand)
    build.op("interpreter.print", (printed,))
    return [operand]


# --- calls ----------------------------------------------------------------------------------------
def call(func: Operation, operands: list[Any], build: Lowering) -> list[Any]:
    """The ops of a function whose signature has shapes, in place of a call."""
    region = func.regions[0]
    if len(list(region.blocks)) != 1:
        reason = "only a function of one block can be inlined"
        ir.raise_unsupported([func], reason)
    return list(build.inline(region, operands))


@lowers("func.return")
def return_(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """What a function returns cannot be invalid."""
    values = [shapes.outside(build, value) for value in operands]
    build.op("func.return", values)
    return []


@lowers("builtin.unrealized_conversion_cast")
def conversion_cast(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Casts between indices and integers."""
    results = build.types([result.type for result in op.results])
    types = [value.type for value in operands if not isinstance(value, Shape | Size)]
    if types != results:
        ir.raise_unsupported([op])
    return operands
