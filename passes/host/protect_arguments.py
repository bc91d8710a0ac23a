"""Arguments of public functions are never written.

Before:
    func.func @main(%a: tensor<4xf32>)
After:
    func.func @main(%a: tensor<4xf32> {bufferization.writable = false})

Without it bufferization updates the caller's arrays in place.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import DONATED, is_public, note_signature
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass

WRITABLE = "bufferization.writable"


@dataclass(frozen=True)
class ProtectArguments(Pass):
    """Mark the arguments of public functions read-only, except donated ones."""

    name = "shlo-protect-arguments"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            if not ir.is_declaration(func) and is_public(func):
                note_signature(func)
                _protect(func)


def _protect(func: Operation) -> None:
    inputs, _ = ir.signature(func)
    marked = []
    for attributes in ir.items_of(func, "arg_attrs") or [mlir.dict_attr({})] * len(inputs):
        named = {item.name: item.attr for item in attributes}
        named[WRITABLE] = mlir.bool_attr(DONATED in named)
        marked.append(mlir.dict_attr(named))
    func.attributes["arg_attrs"] = mlir.array_attr(marked)
