"""Programs that calls make too large are refused before they are inlined.

Before:
    @main calls @f1 twice, @f1 calls @f2 twice, ...: 2^20 copies of @f20
After:
    error: inlined, the calls of @main make 4194303 ops of 62, more than 65536
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass

MOST = 1 << 16  # ops that calls may make of fewer; code for as many takes minutes


@dataclass(frozen=True)
class CheckInlining(Pass):
    """Refuse calls of calls that make very many ops of few."""

    name = "shlo-check-inlining"

    def run(self, op: Operation) -> None:
        if len(ir.functions(op)) > 1:
            _check(op)


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
