"""MLIR's greedy rewrite driver, as passes under upstream names run it around their rewrites."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.errors import PassError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass


def clean_up(op: Operation) -> None:
    """Unify constants at the start of functions, let ops fold themselves, drop what is dead.

    Ops held from before may be gone.

    Raises:
        PassError: the driver does not come to an end.
    """
    try:
        mlir.run_greedily(op)
    except mlir.MLIRError as error:
        raise PassError(mlir.diagnostics_of(error)) from error


@dataclass(frozen=True)
class PrepareForTosa(Pass):
    """What StableHLO's pass of this name does, which has no patterns: clean up."""

    name = "stablehlo-prepare-for-tosa"
    anchor = "func.func"

    def run(self, op: Operation) -> None:
        clean_up(op)
