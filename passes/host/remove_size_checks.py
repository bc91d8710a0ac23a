"""Programs whose sizes are known to fit go without the checks of them.

Before:
    %holds = arith.cmpi eq, %n, %m : index
    func.call @shlo.check(%holds, %n, %m) {shlo.message = "... {0} is not {1}"}
After: nothing.

Runs between ``shlo-legalize-to-linalg``, which emits the checks, and the rest of the way down. A
program that computes sizes which do not fit is then free to read and write anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import CHECK, MESSAGE
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class RemoveSizeChecks(Pass):
    """Drop what is checked of sizes at run time."""

    name = "shlo-remove-size-checks"

    def run(self, op: Operation) -> None:
        for inner in mlir.walk(op):
            if inner.name == "func.call" and MESSAGE in inner.attributes:
                inner.erase()
        for func in ir.functions(op):
            if ir.symbol_name(func) == CHECK:
                func.erase()
