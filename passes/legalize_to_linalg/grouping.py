"""Ops that group values or order them: a tuple is its elements, a token nothing."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.ir import Lowered, Lowering, flatten
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def optimization_barrier(
    op: Operation, operands: list[Lowered], build: Lowering
) -> Sequence[Lowered]:
    return operands


@lowers
def tuple_(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return [tuple(flatten(operands))]


@lowers
def get_tuple_element(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """A tuple is its elements, spread out."""
    elements = build.regrouped(mlir.members(op.operands[0].type), flatten(operands))
    return [elements[ir.integer_of(op, "index")]]


@lowers
def after_all(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """Ops run in program order: a token is no value."""
    return [()]


@lowers
def create_token(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return [()]
