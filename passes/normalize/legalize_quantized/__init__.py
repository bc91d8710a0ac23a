"""Quantized tensors become tensors of their storage type.

Before:
    %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
After:
    %a = stablehlo.divide %x, dense<0.5>
    %b = stablehlo.add %a, dense<3.0>
    %c = stablehlo.clamp dense<-128.0>, %b, dense<127.0>
    %d = stablehlo.round_nearest_even %c
    %0 = stablehlo.convert %d : (tensor<4xf32>) -> tensor<4xi8>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4xi8>

Ops that compute do so on the numbers that integers stand for, as the specification has it: they
dequantize, apply the op, and quantize. Ops that move elements move the integers. Functions keep
a note of the types that the host sees.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import is_public, note_signature
from shlo_tools.mlir import Operation
from shlo_tools.ops import Trait, names_with
from shlo_tools.passes.normalize.legalize_quantized import collectives
from shlo_tools.passes.normalize.legalize_quantized.rules import RULES
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.quantized_types import holds_quantized, storage_spelling, stored_type

# Values pass through them, whatever they stand for.
CARRIERS = names_with(Trait.CARRIES) | {
    *("func.call", "func.func", "func.return", "stablehlo.return"),
}


@dataclass(frozen=True)
class LegalizeQuantized(Pass):
    """Rewrite quantized tensors as integers and arithmetic."""

    name = "shlo-legalize-quantized"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_type("!quant.")

    def run(self, op: Operation) -> None:
        if not _check(op):
            return
        for func in ir.functions(op):
            if is_public(func) and holds_quantized(ir.type_of(func)):
                note_signature(func)
        ir.Conversion(RULES, stored_type, ()).module(op)


def _check(module: Operation) -> bool:
    """Whether there are quantized types; refuses ops and types that have no rule."""
    spellings: dict[mlir.Type, str] = {}
    any_quantized = False
    for op in mlir.walk(module):
        types = [value.type for value in (*op.operands, *op.results)]
        if op.name == "func.func":
            types.append(ir.type_of(op))
        for type in types:
            if type not in spellings:
                spellings[type] = str(type)
            if "!quant." in spellings[type]:
                any_quantized = True
                _refuse(op, spellings[type])
    return any_quantized


def _refuse(op: Operation, type: str) -> None:
    if "!quant." in storage_spelling(type):
        reason = "only !quant.uniform per tensor or per axis is supported"
        ir.raise_unsupported([op], f"{type}: {reason}")
    if op.name not in RULES and op.name not in CARRIERS:
        ir.raise_unsupported([op], "it is not rewritten for quantized types")
