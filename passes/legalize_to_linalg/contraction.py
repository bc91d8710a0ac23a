"""Dot products and convolutions: opaque kernels, whose algorithms ``shlo-choose-kernels`` chooses.

%r = func.call @shlo.dot_general.0(%destination, %lhs, %rhs)
func.func private @shlo.dot_general.0(...) attributes {shlo.kernel = {kind = "dot_general",
  op = {<the op's attributes>}, types = <the op's types>}}
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.dot_algorithm import algorithm_of
from shlo_tools.passes.legalize_to_linalg.emit.kernels import opaque_call, statement_of
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def dot_general(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    algorithm_of(op)  # refuses what is not supported
    return opaque_call(op, build, operands, "dot_general", statement_of(op))
