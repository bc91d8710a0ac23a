"""Convolutions: opaque kernels, as dot products are (``contraction``)."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit.kernels import opaque_call, statement_of
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def convolution(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return opaque_call(op, build, operands, "convolution", statement_of(op))
