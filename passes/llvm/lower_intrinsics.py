"""Math functions that the processor computes exactly become LLVM intrinsics.

Before:
    %0 = math.copysign %a, %b : f32
After:
    %0 = llvm.intr.copysign(%a, %b) : (f32, f32) -> f32

What is left is for libm. In the other order log1p would become log(1 + x); and
``convert-math-to-libm`` refuses those that libm does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.pipeline.registry import Pass

INTRINSICS = {
    "math.absf": "fabs",
    "math.ceil": "ceil",
    "math.copysign": "copysign",
    "math.ctlz": "ctlz",
    "math.ctpop": "ctpop",
    "math.cttz": "cttz",
    "math.floor": "floor",
    "math.fma": "fma",
    "math.round": "round",
    "math.roundeven": "roundeven",
    "math.sqrt": "sqrt",
    "math.trunc": "trunc",
}


@dataclass(frozen=True)
class LowerIntrinsics(Pass):
    """Turn exactly computed math functions into LLVM intrinsics."""

    name = "shlo-lower-intrinsics"
    anchor = "any"

    def run(self, op: Operation) -> None:
        rules = {math: partial(_lower, name) for math, name in INTRINSICS.items()}
        ir.rewrite(op, {**rules, "math.rsqrt": _reciprocal_root})


def _lower(name: str, op: Operation, build: Build) -> Sequence[Value]:
    attributes: dict[str, Attribute] = {}
    if name in ("ctlz", "cttz"):
        attributes["is_zero_poison"] = mlir.bool_attr(False)
    operands = list(op.operands)
    return [build.value(f"llvm.intr.{name}", operands, op.results[0].type, attributes)]


def _reciprocal_root(op: Operation, build: Build) -> Sequence[Value]:
    """Neither libm nor the processor has an exact one."""
    type = op.results[0].type
    one = build.value("arith.constant", (), type, {"value": mlir.float_attr(1.0, type)})
    root = build.value("llvm.intr.sqrt", list(op.operands), type)
    return [build.value("arith.divf", (one, root), type)]
