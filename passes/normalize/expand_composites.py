"""Composites become calls of their decompositions.

Before:
    %0 = stablehlo.composite "my.op" %a {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
After:
    %0 = func.call @impl(%a) : (tensor<f32>) -> tensor<f32>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class ExpandComposites(Pass):
    """Replace composites by calls of their decompositions."""

    name = "shlo-expand-composites"
    anchor = "any"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(*RULES)

    def run(self, op: Operation) -> None:
        ir.rewrite(op, RULES)


def _call(op: Operation, build: Build) -> Sequence[Value]:
    types = [result.type for result in op.results]
    return list(build.call(ir.called_name(op), list(op.operands), types))


RULES: dict[str, ir.Rewrite] = {"stablehlo.composite": _call}
