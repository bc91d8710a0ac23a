"""A program becomes a list of stages: what is computed together, each distinct one once.

Before:
    func.func public @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = stablehlo.exponential %x
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
      %2 = stablehlo.broadcast_in_dim %1, dims = [0]
      %3 = stablehlo.divide %0, %2
      return %3
    }
After:
    func.func public @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = call @stage.0(%x)
      return %0
    }
    func.func private @stage.0(...) attributes {shlo.rows = array<i64: 8, 16>, shlo.stage = "row"}

A stage's kind says how a kernel walks it: ``map``, ``row`` (reduces trailing dimensions),
``column`` (leading ones), ``contraction`` (a product and what is made of its rows), ``op`` (one
that no kernel computes).
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir
from shlo_tools.mlir import Operation
from shlo_tools.passes.partition.choosing import choose
from shlo_tools.passes.partition.graph import read
from shlo_tools.passes.partition.outlining import Outlining
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class Partition(Pass):
    """Cut the public functions of a module into stages."""

    name = "shlo-partition"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            is_public = ir.text_of(func, "sym_visibility") != "private"
            if is_public and not ir.is_declaration(func) and len(func.regions[0].blocks) == 1:
                graph = read(func)
                Outlining(op, graph).run(choose(graph))
