"""Functions that a host can call with two pointers, whatever their signature.

Before:
    func.func @main(%frame: !llvm.ptr, %a: memref<4xf32>, %out: memref<4xf32>)
After:
    func.func private @main(...)
    func.func @shlo.entry.main(%frame: !llvm.ptr, %argv: !llvm.ptr) attributes {shlo.entry = {...}}

``argv`` is a table of data pointers: the arguments, then the results. ``shlo.entry`` records
what the host has to know: the signature, the size of the arena, and the messages of checks.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation
from shlo_tools.passes.plan_memory import ARENA
from shlo_tools.passes.protect_arguments import SIGNATURE, is_public
from shlo_tools.pipeline.registry import Pass

ENTRY = "shlo.entry"
PREFIX = "shlo.entry."


@dataclass(frozen=True)
class AddEntryPoints(Pass):
    """Add a two-pointer entry point for every public function."""

    name = "shlo-add-entry-points"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            if is_public(func) and not ir.is_declaration(func):
                _add_entry(func)
                func.attributes["sym_visibility"] = mlir.string_attr("private")


def _add_entry(func: Operation) -> None:
    name = ir.symbol_name(func)
    inputs, results = ir.signature(func)
    if results:
        raise UnsupportedError(f"@{name} returns {results[0]}, which is no tensor")
    types = [frames.pointer(), frames.pointer()]
    attributes = {
        "sym_name": mlir.string_attr(PREFIX + name),
        "function_type": mlir.type_attr(mlir.function_type(types, [])),
        ENTRY: mlir.dict_attr(
            {
                "arena": func.attributes[ARENA],
                "signature": func.attributes[SIGNATURE],
                "version": mlir.integer_attr(frames.VERSION, frames.i64()),
            }
        ),
    }
    outer = Build(mlir.before(func), func.location)
    entry = outer.op("func.func", (), (), attributes, regions=1)
    block, build = outer.block(entry.regions[0], types)
    frame, table = block.arguments
    arguments = [frame]
    for index, type in enumerate(inputs[1:]):
        if not mlir.is_memref(type):
            raise UnsupportedError(f"@{name} takes {type}, which is no tensor")
        address = frames.load_at(build, table, index, frames.pointer())
        arguments.append(frames.memref_at(build, address, tensor_type(type).static_shape, type))
    build.op("func.call", arguments, (), {"callee": mlir.symbol_attr(name)})
    build.op("func.return")
