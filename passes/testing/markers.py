"""Ops of no dialect that stand in test programs and ask a pass something."""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.errors import Diagnostic, emit
from shlo_tools.mlir import Location, Operation


def markers(root: Operation, *names: str) -> list[Operation]:
    """The ops of these names below an op, in program order."""
    return [op for op in mlir.walk(root)[1:] if op.name in names]


def subject(marker: Operation) -> Operation | None:
    """The op that a marker asks about: what gives its only operand."""
    operands = list(marker.operands)
    return mlir.defining_op(operands[0]) if len(operands) == 1 else None


def complain(location: Location, message: str) -> None:
    """Report an error; the pass goes on, as upstream's patterns do."""
    emit(Diagnostic("error", message, mlir.place_of(location)))
