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
    given, shape = operands[0], shapes.shape(build, operands[1])
    own = _value_shape(build, given)
    text, words = told((own.shape, shape))
    same = all_equal(build, [Shape(own.shape.extents), Shape(shape.extents)])
    guard = demand(build, same, f"shape.with_shape: the value has another shape{text}", words)
    guards = merged(own.shape.guards, shape.guards, (guard,))
    return [ValueShape(own.value, Shape(shape.extents, guards))]


@lowers("shape.value_of")
def value_of(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The value alone; its shape must be valid."""
    given = _value_shape(build, operands[0])
    leave(build, shapes.shape(build, given))
    declared = converted_type(op.results[0].type)
    if given.value.type == declared:
        return [given.value]
    return [build.value("stablehlo.convert", (given.value,), declared)]


@lowers("shape.value_as_shape")
def value_as_shape(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The elements of a vector of integers as extents; another value is no shape."""
    given = _value_shape(build, operands[0])
    type = tensor_type(given.value.type)
    if type.rank != 1 or not type.element_type.is_integer:
        no = integers.constant(build, 0, integers.I1)
        guard = demand(build, no, f"shape.value_as_shape: {type} holds no shape")
        found = Shape((), merged(given.shape.guards, (guard,)))
    else:
        vector = integers.converted(build, given.value, "i64")
        extents = shapes.open_shape(build, vector).extents
        found = Shape(extents, given.shape.guards)
    return [shapes.as_shape(build, op, found)]


def _value_shape(build: Lowering, given: Any) -> ValueShape:
    if isinstance(given, ValueShape):
        return given
    return ValueShape(given, shapes.of_tensor(build, given))


@lowers("shape.debug_print")
def debug_print(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Prints the extents, or the size, and passes its operand on."""
    given = operands[0]
    printed: Value = given.value if isinstance(given, Size) else shapes.vector(build, given)
    build.op("interpreter.print", (printed,))
    return [given]


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
    given = [value.type for value in operands if not isinstance(value, Shape | Size)]
    if given != results:
        ir.raise_unsupported([op])
    return operands
