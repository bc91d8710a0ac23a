"""Simplification: the same results, bit for bit, from less.

Before:
    %zero = stablehlo.constant dense<0> : tensor<4xi32>
    %0 = stablehlo.add %x, %zero : tensor<4xi32>
    %1 = stablehlo.transpose %0, dims = [0] : (tensor<4xi32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
After:
    return %x : tensor<4xi32>

Rules are small functions in family files, each with its algebra in one line; ``driver`` applies
them to a fixpoint. None changes a zero's sign, a NaN or how anything is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class Simplify(Pass):
    """Simplify StableHLO without changing a bit of its results; erase what nobody uses."""

    name = "shlo-simplify"
    anchor = "any"

    def run(self, op: Operation) -> None:
        from shlo_tools.passes.simplify import driver, families  # only if needed

        driver.apply(op, families.RULES)
