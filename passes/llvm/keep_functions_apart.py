"""Functions stay functions in LLVM, and only entry points are visible.

Before:
    llvm.func @main(...) attributes {sym_visibility = "private"}
After:
    llvm.func internal @main(...) attributes {no_inline, ...}

The engine wraps every function, and LLVM would inline each into its wrapper and its callers:
all code would be generated twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import ENTRY
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class KeepFunctionsApart(Pass):
    """Have no function inlined, and all but entry points internal."""

    name = "shlo-keep-functions-apart"

    def run(self, op: Operation) -> None:
        for func in ir.children(op):
            defined = func.name == "llvm.func" and not ir.is_declaration(func)
            if not defined:
                continue
            func.attributes["no_inline"] = mlir.unit_attr()
            if ENTRY not in func.attributes:
                func.attributes["linkage"] = mlir.parse_attribute("#llvm.linkage<internal>")
