"""What LLVM shall not do to loops.

Before:
    scf.for %i = %c0 to %c32 step %c1 { memref.store %x, %a[%j, %i] : memref<?x32xf32> }
After:
    scf.for ... { ... } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}

LLVM unrolls a short loop whole before it vectorizes. Where each round writes elsewhere, the loop
is a vector by itself; unrolled, it leaves the next loop with dozens of accesses, and LLVM
compares each of them with every other. A sum over a short loop is better unrolled: only then the
loop around it becomes the innermost one, which is vectorized.

``shlo-lower-loop-annotations`` follows ``convert-scf-to-cf``, which carries the attribute on but
not under the name that LLVM's branches have for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass

ANNOTATION = "llvm.loop_annotation"
NOT_UNROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"
SHORT = 8  # rounds below which loops of known length gain from unrolling


@dataclass(frozen=True)
class AnnotateLoops(Pass):
    """Keep LLVM from unrolling loops whose rounds each write elsewhere."""

    name = "shlo-annotate-loops"
    anchor = "any"

    def run(self, op: Operation) -> None:
        for loop in mlir.walk(op):
            if loop.name != "scf.for":
                continue
            nest = _nest(loop)
            least = SHORT if all(rounds(around) for around in nest) else 2
            for around in nest:
                if rounds(around) >= least:
                    around.attributes[ANNOTATION] = mlir.parse_attribute(NOT_UNROLLED)


def _nest(loop: Operation) -> list[Operation]:
    """An innermost loop, and those around it, as long as each round writes elsewhere."""
    loops: list[Operation] = []
    stores = _stores(loop)
    while stores and loop.name == "scf.for" and _writes_elsewhere(loop, stores):
        loops.append(loop)
        loop = mlir.inner_operation(loop.parent)
    return loops


def rounds(loop: Operation) -> int:
    """How often a loop runs; 0 where that is not known."""
    start, end, step = (constant(value) for value in list(loop.operands)[:3])
    if start is None or end is None or not step:
        return 0
    return -(-(end - start) // step)


def constant(value: Value) -> int | None:
    op = mlir.defining_op(value)
    if op is None or op.name not in ("arith.constant", "llvm.mlir.constant"):
        return None
    return ir.integer_of(op, "value")


def _stores(loop: Operation) -> list[Operation]:
    """What an innermost loop writes; nothing of other loops."""
    stores = []
    for op in mlir.walk(loop)[1:]:
        if op.regions or op.name == "func.call":
            return []
        if op.name == "memref.store":
            stores.append(op)
    return stores


def _writes_elsewhere(loop: Operation, stores: Sequence[Operation]) -> bool:
    """Whether each round of a loop around stores has places of its own for them."""
    counter = loop.regions[0].blocks[0].arguments[0]
    return all(counter in list(store.operands)[2:] for store in stores)


@dataclass(frozen=True)
class LowerLoopAnnotations(Pass):
    """Give annotations of loops the name that LLVM's branches have for them."""

    name = "shlo-lower-loop-annotations"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            for block in func.regions[0]:
                branch = ir.terminator(block)
                if branch.name == "cf.br" and ANNOTATION in branch.attributes:
                    branch.attributes["loop_annotation"] = branch.attributes[ANNOTATION]
                    del branch.attributes[ANNOTATION]
