"""StableHLO to linalg on tensors, scf and arith.

Before:
    %0 = stablehlo.add %a, %b : tensor<4xf32>
After:
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {...} ins(%a, %b) outs(%e) { arith.addf; linalg.yield }

Each family file holds one function per op; ``rules.lowers`` and ``elementwise.elementwise``
register them. What has no rule is refused with its name, types and location.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg import (
    contraction,
    control_flow,
    conversion,
    custom_calls,
    data_movement,
    elementwise,
    gather_scatter,
    reduction,
    sorting,
)
from shlo_tools.passes.legalize_to_linalg.rules import RULES, lowered_type
from shlo_tools.passes.protect_arguments import note_signature
from shlo_tools.pipeline.registry import Pass

FAMILIES = (
    contraction,
    control_flow,
    conversion,
    custom_calls,
    data_movement,
    elementwise,
    gather_scatter,
    reduction,
    sorting,
)
ILLEGAL = ("stablehlo.", "chlo.", "vhlo.", "shape.")


@dataclass(frozen=True)
class LegalizeToLinalg(Pass):
    """Lower StableHLO to linalg on tensors, scf and arith."""

    name = "shlo-legalize-to-linalg"

    def run(self, op: Operation) -> None:
        ir.call_order(op)  # refuses recursion
        for func in ir.functions(op):
            _keep_signature(func)
        for child in ir.children(op):
            if child.name == "memref.global":
                _lower_global(child)
        conversion = ir.Conversion(RULES, lowered_type, ILLEGAL)
        conversion.check(op)
        conversion.module(op)


def _lower_global(weight: Operation) -> None:
    """A global's type is an attribute, which no conversion of values reaches."""
    held: Any = weight.attributes["type"]
    lowered = lowered_type(held.value)
    if not isinstance(lowered, tuple):
        weight.attributes["type"] = mlir.type_attr(lowered)


def _keep_signature(func: Operation) -> None:
    """Note the types that the host sees, where lowering changes them."""
    inputs, results = ir.signature(func)
    if any(lowered_type(type) != type for type in (*inputs, *results)):
        note_signature(func)
