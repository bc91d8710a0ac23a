"""Every returned buffer is returned once.

Before:
    return %alloc, %alloc : memref<4xf32>, memref<4xf32>
After:
    %copy = memref.alloc() : memref<4xf32>
    memref.copy %alloc, %copy
    return %alloc, %copy

``buffer-results-to-out-params`` crashes on a buffer that is returned twice; and two results of a
function are two arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.memory.buffers import allocated_like
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class SeparateResults(Pass):
    """Copy buffers that a function returns more than once."""

    name = "shlo-separate-results"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            if not ir.is_declaration(func):
                for end in [o for o in ir.children(func) if o.name == "func.return"]:
                    _separate(end)


def _separate(end: Operation) -> None:
    returned: set[Value] = set()
    build = Build(mlir.before(end), end.location)
    for index, value in enumerate(list(end.operands)):
        if mlir.is_memref(value.type) and value in returned:
            copy = allocated_like(build, value)
            build.op("memref.copy", (value, copy))
            end.operands[index] = copy
        returned.add(value)
