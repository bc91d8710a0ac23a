"""Elementwise ops are fused in groups of limited size.

Before:
    %1 = linalg.generic ... ins(%0 : tensor<4xf32>)      // the last of some hundred ops in a chain
    %2 = linalg.generic ... ins(%1 : tensor<4xf32>)
After:
    %1 = linalg.generic ... ins(%0 : tensor<4xf32>)
    %b = scf.execute_region -> tensor<4xf32> { scf.yield %1 } {shlo.fusion_limit}
    %2 = linalg.generic ... ins(%b : tensor<4xf32>)

``linalg-fuse-elementwise-ops`` copies a group for each op that joins it, and LLVM's vectorizer
takes long for long bodies. It does not see through regions; ``shlo-lift-fusion-limits`` removes
them afterwards. What is stored and loaded once more is little beside some hundred ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass

LIMIT = "shlo.fusion_limit"


@dataclass(frozen=True)
class LimitFusion(Pass):
    """Keep groups of elementwise ops from growing without bounds.

    Attributes:
        most: scalar ops in the body of a group.
    """

    name = "shlo-limit-fusion"
    anchor = "any"
    most: int = 256

    def run(self, op: Operation) -> None:
        sizes: dict[Value, int] = {}  # of what a value that may be fused is made of
        for nest in mlir.walk(op):
            if nest.name == "linalg.generic" and len(nest.results) == 1:
                sizes[nest.results[0]] = _limited(nest, sizes, self.most)


def _limited(nest: Operation, sizes: dict[Value, int], most: int) -> int:
    """The size of the group that an op ends, after the largest ones before it are cut off."""
    own = len(list(nest.regions[0].blocks[0].operations))
    before = {v: sizes[v] for v in dict.fromkeys(nest.operands) if v in sizes and _is_used_once(v)}
    while own + sum(before.values()) > most and before:
        largest = max(before, key=lambda value: before[value])
        del before[largest]
        cut = cut_off(Build(mlir.before(nest), nest.location), largest)
        nest.replace_uses_of_with(largest, cut)
    return own + sum(before.values())


def _is_used_once(value: Value) -> bool:
    uses = iter(value.uses)
    return next(uses, None) is not None and next(uses, None) is None


def cut_off(build: Build, value: Value) -> Value:
    """The same value, which is not fused into what uses it."""
    mark = {LIMIT: mlir.unit_attr()}
    region_op = build.op("scf.execute_region", (), (value.type,), mark, regions=1)
    _, inside = build.block(region_op.regions[0], ())
    inside.op("scf.yield", (value,))
    return region_op.results[0]


@dataclass(frozen=True)
class LiftFusionLimits(Pass):
    """Remove what ``cut_off`` put between groups."""

    name = "shlo-lift-fusion-limits"
    anchor = "any"

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"scf.execute_region": _lifted})


def _lifted(op: Operation, build: Build) -> Sequence[Value] | None:
    if LIMIT not in op.attributes:
        return None
    return list(ir.terminator(op.regions[0].blocks[0]).operands)
