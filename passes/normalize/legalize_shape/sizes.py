"""Arithmetic on sizes and indices."""

from __future__ import annotations

from typing import Any

from shlo_tools import ir
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation
from shlo_tools.passes.normalize.legalize_shape import integers, shapes
from shlo_tools.passes.normalize.legalize_shape.assertions import demand
from shlo_tools.passes.normalize.legalize_shape.integers import binary, compare, constant
from shlo_tools.passes.normalize.legalize_shape.rules import lowers
from shlo_tools.passes.normalize.legalize_shape.values import Size, merged


@lowers("shape.add", "shape.mul")
def add_mul(op: Operation, operands: list[Any], build: Lowering) -> Any:
    a, b = (shapes.size(operand) for operand in operands)
    name = "add" if op.name == "shape.add" else "multiply"
    size = Size(binary(build, name, a.value, b.value), merged(a.guards, b.guards))
    return [shapes.as_size(build, op, size)]


@lowers("shape.div")
def div(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Rounded down: ``div(a, b) * b + mod(a, b) = a`` with a remainder of the divisor's sign."""
    a, b = (shapes.size(operand) for operand in operands)
    defined = compare(build, "NE", b.value, constant(build, 0))
    guard = demand(build, defined, "shape.div: {0} is divided by 0", (a.value,))
    quotient = integers.floor_divided(build, a.value, b.value)
    return [shapes.as_size(build, op, Size(quotient, merged(a.guards, b.guards, (guard,))))]


@lowers("shape.const_size")
def const_size(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [Size(constant(build, ir.integer_of(op, "value")))]


@lowers("shape.index_to_size", "shape.size_to_index")
def cast(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """An index must come from a valid size."""
    return [shapes.as_size(build, op, shapes.size(operands[0]))]
