"""Ops of the ``check`` and ``interpreter`` dialects to custom calls and calls.

Before:
    check.expect_eq_const %0, dense<[3, 4]> : tensor<2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@p0, @p1]]} : ...
After:
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    stablehlo.custom_call @check.expect_eq(%0, %c) {has_side_effect = true, ...} : ...
    %r0 = call @p0(%a) : ...
    %r1 = call @p1(%b) : ...

Processes that have nothing to do with each other run one after the other; of such as communicate
the host runs a grid. Quantized values are compared by their integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.dialects import rules
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LegalizeCheck(Pass):
    """Lower checks, probes and grids of processes to calls."""

    name = "shlo-legalize-check"

    def concerns(self, contents: Contents) -> bool:
        return any(name.startswith(rules.PREFIXES) for name in contents.ops)

    def run(self, op: Operation) -> None:
        checks = [inner for inner in mlir.walk(op) if inner.name.startswith(rules.PREFIXES)]
        if not checks:
            return
        # Few programs have any: what it takes is not loaded for the others.
        from shlo_tools.passes.normalize.legalize_check import calls

        calls.legalize(op)
