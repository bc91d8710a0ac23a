"""Gathers as kernels read them: of windows as large as can be, at places that are known now."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir
from shlo_tools.mlir import Operation
from shlo_tools.passes.normalize.canonicalize_gathers.windows import rule
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class CanonicalizeGathers(Pass):
    """Have gathers take windows instead of elements, and compute places that constants say."""

    name = "shlo-canonicalize-gathers"
    anchor = "any"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op("stablehlo.gather")

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"stablehlo.gather": rule()})
