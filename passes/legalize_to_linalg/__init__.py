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

import re
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Type
from shlo_tools.passes.legalize_to_linalg import (
    batch_normalization,
    contraction,
    control_flow,
    conversion,
    convolution,
    custom_calls,
    data_movement,
    elementwise,
    functions,
    gather_scatter,
    linear_algebra,
    random,
    reduction,
    signal,
    sorting,
    windows,
)
from shlo_tools.passes.legalize_to_linalg.kernels import KERNEL
from shlo_tools.passes.legalize_to_linalg.rules import RULES, lowered_type
from shlo_tools.passes.protect_arguments import note_signature
from shlo_tools.pipeline.registry import Pass

FAMILIES = (
    batch_normalization,
    contraction,
    control_flow,
    conversion,
    convolution,
    custom_calls,
    data_movement,
    elementwise,
    functions,
    gather_scatter,
    linear_algebra,
    random,
    reduction,
    signal,
    sorting,
    windows,
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
        _check_types(op)
        _check_calls(op)
        conversion.module(op)


# Upstream dialects that the way from linalg to LLVM knows.
LOWERED = "affine arith bufferization builtin cf complex func index linalg llvm math memref scf"
LOWERED_DIALECTS = (*LOWERED.split(), "tensor", "ub", "vector")


def _check_types(module: Operation) -> None:
    """Refuse ops of dialects, and on types, that are not lowered here or later."""
    reasons: dict[Type, str] = {}
    for op in mlir.walk(module):
        dialect = op.name.partition(".")[0]
        if dialect in LOWERED_DIALECTS:
            continue
        if dialect not in ("stablehlo", "chlo"):
            ir.raise_unsupported([op], f"dialect {dialect!r}")
        for value in (*op.operands, *op.results):
            type = value.type
            if type not in reasons:
                reasons[type] = _refusal(str(type))
            if reasons[type]:
                ir.raise_unsupported([op], reasons[type])


def _refusal(type: str) -> str:
    """Why a type is not lowered; '' if it is."""
    if "!quant" in type:
        return "quantized types"
    if "?" in type:
        return "dynamic shapes"
    narrow = re.search(r"[x<](f[468]E\w+)", type)
    return f"element type {narrow[1]}" if narrow else ""


def _check_calls(module: Operation) -> None:
    """Refuse calls of functions that have no body; kernels get theirs later."""
    declared = {
        ir.symbol_name(func)
        for func in ir.functions(module)
        if ir.is_declaration(func) and KERNEL not in func.attributes
    }
    for op in mlir.walk(module) if declared else ():
        if op.name == "func.call" and ir.callee_of(op) in declared:
            reason = f"@{ir.callee_of(op)} is declared without a body"
            ir.raise_unsupported([op], reason)


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
