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
    """Make all functions but entry points internal and not inlined."""

    name = "shlo-keep-functions-apart"

    def run(self, op: Operation) -> None:
        for func in ir.children(op):
            defined = func.name == "llvm.func" and not ir.is_declaration(func)
            if defined and ENTRY not in func.attributes:
                func.attributes["linkage"] = mlir.parse_attribute("#llvm.linkage<internal>")
                func.attributes["no_inline"] = mlir.unit_attr()
