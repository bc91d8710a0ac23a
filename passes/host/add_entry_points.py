"""Functions that a host can call with two pointers, whatever their signature.

Before:
    func.func @main(%frame: !llvm.ptr, %a: memref<4xf32>, %out: memref<4xf32>) { ... }
After:
    func.func @shlo.entry.main(%frame: !llvm.ptr, %argv: !llvm.ptr) attributes {shlo.entry = ...} {
      <memrefs over the addresses in %argv>
      ... }

``argv`` is a table: addresses of the arguments, then of the results, then the unknown sizes of the
arguments (see ``announce_results`` for those of results). ``shlo.entry`` records what the host has
to know: the signature, and the size of the arena. A function that others call, too, stays, and is
called: LLVM takes long for calls with thousands of arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.codegen.lowered import (
    ANNOUNCED,
    ARENA,
    ENTRY,
    ENTRY_PREFIX,
    GROWS,
    SIGNATURE,
    is_public,
)
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class AddEntryPoints(Pass):
    """Add a two-pointer entry point for every public function."""

    name = "shlo-add-entry-points"

    def run(self, op: Operation) -> None:
        called = {ir.callee_of(o) for o in mlir.walk(op) if o.name == "func.call"}
        for func in ir.functions(op):
            if not is_public(func) or ir.is_declaration(func):
                continue
            build, arguments = _add_entry(func)
            if ir.symbol_name(func) in called or len(list(func.regions[0].blocks)) > 1:
                callee = {"callee": mlir.symbol_attr(ir.symbol_name(func))}
                build.op("func.call", arguments, (), callee)
                build.op("func.return")
                func.attributes["sym_visibility"] = mlir.string_attr("private")
            else:
                _move(func, build, arguments)


def _move(func: Operation, build: Build, arguments: Sequence[Value]) -> None:
    """Move a function's body to where its arguments are known."""
    block = func.regions[0].blocks[0]
    for old, new in zip(list(block.arguments), arguments, strict=True):
        old.replace_all_uses_with(new)
    for op in list(block.operations):
        build.at.block.append(op)
    func.erase()


def _add_entry(func: Operation) -> tuple[Build, list[Value]]:
    """Add an entry point; returns a builder in it, and the function's arguments there."""
    name = ir.symbol_name(func)
    inputs, results = ir.signature(func)
    if results:
        raise UnsupportedError(f"@{name} returns {results[0]}, which is no tensor")
    types = [frames.pointer(), frames.pointer()]
    described = {
        "arena": func.attributes[ARENA],
        "signature": func.attributes[SIGNATURE],
        "version": mlir.i64_attr(frames.VERSION),
    }
    if GROWS in func.attributes:
        described["grows"] = mlir.unit_attr()
    attributes = {
        "sym_name": mlir.string_attr(ENTRY_PREFIX + name),
        "function_type": mlir.type_attr(mlir.function_type(types, [])),
        ENTRY: mlir.dict_attr(described),
    }
    outer = Build(mlir.before(func), func.location)
    entry = outer.op("func.func", (), (), attributes, regions=1)
    block, build = outer.block(entry.regions[0], types)
    frame, table = block.arguments
    arguments = [frame]
    count, announced = 0, []
    if ANNOUNCED in func.attributes:
        count, *announced = func.attributes[ANNOUNCED]
        frames.store(build, frame, "argv", table)
    addresses = _address_slots(len(inputs) - 1, count, announced)
    size_slot = len(addresses) + len(announced)
    for slot, type in zip(addresses, inputs[1:], strict=True):
        if not mlir.is_memref(type):
            raise UnsupportedError(f"@{name} takes {type}, which is no tensor")
        address = frames.load_at(build, table, slot, frames.pointer())
        shape: list[int | Value] = []
        for dim in tensor_type(type).shape:
            if isinstance(dim, int):
                shape.append(dim)
            else:
                shape.append(frames.load_at(build, table, size_slot, frames.i64()))
                size_slot += 1
        arguments.append(frames.memref_at(build, address, shape, type))
    return build, arguments


def _address_slots(parameters: int, results: int, announced: list[int]) -> list[int]:
    """Where in the table each parameter's address is.

    Parameters are the arguments and then the ``results``, without those that are announced.
    """
    inputs = parameters + len(announced) - results
    every = range(parameters + len(announced))
    return [slot for slot in every if slot - inputs not in announced]
