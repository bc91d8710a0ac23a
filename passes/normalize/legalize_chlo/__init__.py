"""CHLO to StableHLO.

Before:
    %0 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
After:
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.atan2 %x, %one : tensor<4xf32>

Each family file holds one function per op: mathematics as a formula (``formula.Term``), other
rewrites on tensors. ``tables.py`` holds the coefficients. What has no rule is refused with its
name, types and location.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LegalizeChlo(Pass):
    """Rewrite CHLO in StableHLO."""

    name = "shlo-legalize-chlo"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_dialect("chlo")

    def run(self, op: Operation) -> None:
        from shlo_tools.passes.normalize.legalize_chlo.families import RULES  # only if needed

        ir.rewrite(op, RULES)
