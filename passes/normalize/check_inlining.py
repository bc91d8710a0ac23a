"""Programs that calls make too large are refused before they are inlined.

Before:
    @main calls @f1 twice, @f1 calls @f2 twice, ...: 2^20 copies of @f20
After:
    error: inlined, the calls of @main make 4194303 ops of 62, more than 65536
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.contents import Contents, Function
from shlo_tools.pipeline.registry import Pass

MOST = 1 << 16  # ops that calls may make of fewer; code for as many takes minutes
_LEVELS = 8  # of calls in calls that are looked at before ops are


@dataclass(frozen=True)
class CheckInlining(Pass):
    """Refuse calls of calls that make very many ops of few."""

    name = "shlo-check-inlining"

    def concerns(self, contents: Contents) -> bool:
        return _may_be_large(contents.functions)

    def run(self, op: Operation) -> None:
        if len(ir.functions(op)) > 1:
            _check(op)


def _may_be_large(functions: Mapping[str, Function]) -> bool:
    """Whether calls may make many ops, or never end: what calls of few calls make is soon known."""
    counts: dict[str, int] = {}
    for _ in range(_LEVELS):
        for name, function in functions.items():
            if name not in counts and counts.keys() >= functions.keys() & function.callees:
                counts[name] = function.ops + sum(counts.get(c, 0) for c in function.callees)
    return len(counts) < len(functions) or max(counts.values(), default=0) > MOST


def _check(module: Operation) -> None:
    written, inlined = 0, dict[str, int]()
    for func in ir.call_order(module):
        ops = mlir.walk(func)
        callees = [ir.callee_of(op) for op in ops if op.name == "func.call"]
        name, count = ir.symbol_name(func), len(ops) + sum(inlined.get(c, 0) for c in callees)
        inlined[name] = count
        written += len(ops)
        if count > max(MOST, 2 * written):
            raise UnsupportedError(
                f"inlined, the calls of @{name} make {count} ops of {written}, more than {MOST}",
                place=mlir.place_of(func.location),
                hint="repeat with stablehlo.while what calls of calls repeat",
            )
