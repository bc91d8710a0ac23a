"""What functions take without gaps is given to them without gaps.

Before:
    %view = memref.subview %x[0, 0] [4, %n] [3, 1] : ... to memref<4x?xf32, strided<[?, 1]>>
    %cast = memref.cast %view : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
    call @f(%cast) : (memref<4x?xf32>) -> ()
After:
    %packed = memref.alloc(%n) : memref<4x?xf32>
    memref.copy %view, %packed
    call @f(%packed) : (memref<4x?xf32>) -> ()

Bufferization copies where strides are known to differ from those of a row-major buffer. Where they
are known at run time only, it casts, and functions would read and write elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation
from shlo_tools.passes.memory.buffers import allocated_like
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class PackOperands(Pass):
    """Copy buffers whose strides may not be those that their types claim."""

    name = "shlo-pack-operands"

    def run(self, op: Operation) -> None:
        for cast in [o for o in mlir.walk(op) if o.name == "memref.cast" and _claims(o)]:
            build = Build(mlir.before(cast), cast.location)
            packed = allocated_like(build, cast.operands[0])
            build.op("memref.copy", (cast.operands[0], packed))
            cast.operands[0] = packed


def _claims(cast: Operation) -> bool:
    """Whether a cast forgets strides that are known at run time only."""
    source, result = cast.operands[0].type, cast.results[0].type
    if not (mlir.is_memref(source) and mlir.is_memref(result)):
        return False
    strides, offset = source.get_strides_and_offset()
    return (
        mlir.is_strided(source)
        and not mlir.is_strided(result)
        and mlir.DYNAMIC in (*strides, offset)
    )
