"""Factorization and triangular systems: kernels that call LAPACK on the host."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.ir import Lowered, Lowering
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.custom_calls import host_call
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def cholesky(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return host_call(op, operands, build)


@lowers
def triangular_solve(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    return host_call(op, operands, build)
