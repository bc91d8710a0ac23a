"""Witnesses: what they witness is asserted at their place, and what they guard stands behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import ConstraintError
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation
from shlo_tools.passes.normalize.legalize_shape import shapes
from shlo_tools.passes.normalize.legalize_shape.assertions import (
    demand,
    leave,
    plain,
    require,
    told,
)
from shlo_tools.passes.normalize.legalize_shape.combining import all_equal, stretched
from shlo_tools.passes.normalize.legalize_shape.integers import binary
from shlo_tools.passes.normalize.legalize_shape.rules import lowers
from shlo_tools.passes.normalize.legalize_shape.values import Witness


@lowers("shape.cstr_broadcastable")
def cstr_broadcastable(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Assert that shapes are valid and stretch to one."""
    operand_shapes = shapes.shapes(build, operands)
    for shape in operand_shapes:
        leave(build, shape)
    text, words = told(operand_shapes)
    _, fits = stretched(build, operand_shapes)
    require(build, demand(build, fits, f"required broadcastable shapes{text}", words))
    return [Witness()]


@lowers("shape.cstr_eq")
def cstr_eq(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Assert that shapes are equal, as ``shape.shape_eq`` has it."""
    operand_shapes = shapes.shapes(build, operands)
    equal = all_equal(build, operand_shapes)
    for shape in operand_shapes:
        for guard in shape.guards:  # says more than that an invalid shape differs
            either = binary(build, "or", guard.holds, equal)
            require(build, replace(guard, holds=either))
    text, words = told(operand_shapes)
    require(build, demand(build, equal, f"required equal shapes{text}", words))
    return [Witness()]


@lowers("shape.cstr_require")
def cstr_require(op: Operation, operands: list[Any], build: Lowering) -> Any:
    message = plain(ir.text_of(op, "msg")) or "shape.cstr_require: the condition does not hold"
    shapes.required(build, operands[0], message)
    return [Witness()]


@lowers("cf.assert")
def cf_assert(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """What other passes make of ``shape.cstr_require``."""
    message = plain(ir.text_of(op, "msg")) or "an assertion failed"
    shapes.required(build, operands[0], message)
    return []


@lowers("shape.const_witness")
def const_witness(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [Witness("" if ir.flag_of(op, "passing") else "shape.const_witness is false")]


@lowers("shape.assuming_all")
def assuming_all(op: Operation, operands: list[Any], build: Lowering) -> Any:
    refusals = [witness.refusal for witness in operands if witness.refusal]
    return [Witness(refusals[0] if refusals else "")]


@lowers("shape.assuming")
def assuming(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The ops of the region; the assertions stand before them already."""
    witness: Witness = operands[0]
    if witness.refusal:
        message = f"shape.assuming: {witness.refusal}: its region must never run"
        raise ConstraintError(message, place=mlir.place_of(op.location))
    return build.inline(op.regions[0], [])
