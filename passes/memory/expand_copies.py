"""Strided copies become loops.

Before:
    memref.copy %a, %b : memref<2xf32, strided<[4]>> to memref<2xf32>
After:
    linalg.generic {...} ins(%a) outs(%b) { linalg.yield %in }

A contiguous ``memref.copy`` is a memcpy; a strided one would call a runtime library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class ExpandCopies(Pass):
    """Turn copies between strided buffers into loops."""

    name = "shlo-expand-copies"
    anchor = "any"

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"memref.copy": _expand})


def _expand(op: Operation, build: Build) -> Sequence[Value] | None:
    source, target = op.operands
    if not any(mlir.is_strided(value.type) for value in (source, target)):
        return None
    type = tensor_type(target.type)
    same = structured.identity(type.rank)
    structured.generic(build, [source], [same], [target], [type], lambda b, scalars: scalars[:1])
    return ()
