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
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
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
    if not any("strided" in str(value.type) for value in (source, target)):
        return None
    rank = len(source.type.shape)
    dims = ", ".join(f"d{i}" for i in range(rank))
    same = mlir.affine_map_attr(f"({dims}) -> ({dims})")
    loop = build.op(
        "linalg.generic",
        (source, target),
        (),
        {
            "indexing_maps": mlir.array_attr([same, same]),
            "iterator_types": mlir.array_attr(
                [mlir.parse_attribute("#linalg.iterator_type<parallel>")] * rank
            ),
            "operandSegmentSizes": mlir.i32_array_attr([1, 1]),
        },
        regions=1,
    )
    element = source.type.element_type
    block, inner = build.block(loop.regions[0], [element, element])
    inner.op("linalg.yield", [block.arguments[0]])
    return ()
