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
from shlo_tools.codegen import frame as layout
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import I64, POINTER, Code, Number
from shlo_tools.codegen.lowered import (
    ANNOUNCED,
    ARENA,
    ENTRY,
    ENTRY_PREFIX,
    GROWS,
    SIGNATURE,
    is_public,
)
from shlo_tools.codegen.memrefs import memref_at
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import UnsupportedError
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
            code, arguments = _add_entry(func)
            if ir.symbol_name(func) in called or len(list(func.regions[0].blocks)) > 1:
                code.call(ir.symbol_name(func), arguments)
                code.op("func.return")
                func.attributes["sym_visibility"] = mlir.string_attr("private")
            else:
                _move(func, code, arguments)


def _move(func: Operation, code: Code, arguments: Sequence[Value]) -> None:
    """Move a function's body to where its arguments are known."""
    block = func.regions[0].blocks[0]
    for old, new in zip(list(block.arguments), arguments, strict=True):
        old.replace_all_uses_with(new)
    for op in list(block.operations):
        code.at.block.append(op)
    func.erase()


def _add_entry(func: Operation) -> tuple[Code, list[Value]]:
    """Add an entry point; returns a builder in it, and the function's arguments there."""
    name = ir.symbol_name(func)
    inputs, results = ir.signature(func)
    if results:
        raise UnsupportedError(f"@{name} returns {results[0]}, which is no tensor")
    types = [mlir.parse_type(POINTER)] * 2
    described = {
        "arena": func.attributes[ARENA],
        "signature": func.attributes[SIGNATURE],
        "version": mlir.i64_attr(layout.VERSION),
    }
    if GROWS in func.attributes:
        described["grows"] = mlir.unit_attr()
    outer = Code(mlir.before(func), func.location)
    entry_attributes = {ENTRY: mlir.dict_attr(described)}
    entry = outer.function(ENTRY_PREFIX + name, types, (), entry_attributes, private=False)
    block, code = outer.block(entry.regions[0], types)
    frame = block.arguments[0]
    table = code.word(block.arguments[1])
    arguments = [frame]
    count, announced = 0, []
    if ANNOUNCED in func.attributes:
        count, *announced = ir.integers_of(func, ANNOUNCED)
        fields.store(code, frame, "argv", table)
    addresses = _address_slots(len(inputs) - 1, count, announced)
    size_slot = len(addresses) + len(announced)
    for slot, type in zip(addresses, inputs[1:], strict=True):
        if not mlir.is_memref(type):
            raise UnsupportedError(f"@{name} takes {type}, which is no tensor")
        address = code.load(table + 8 * slot, POINTER)
        shape: list[Number] = []
        for dim in tensor_type(type).shape:
            if isinstance(dim, int):
                shape.append(dim)
            else:
                shape.append(code.load(table + 8 * size_slot, I64))
                size_slot += 1
        arguments.append(memref_at(code, address, shape, type))
    return code, arguments


def _address_slots(parameters: int, results: int, announced: list[int]) -> list[int]:
    """Where in the table each parameter's address is.

    Parameters are the arguments and then the ``results``, without those that are announced.
    """
    inputs = parameters + len(announced) - results
    every = range(parameters + len(announced))
    return [slot for slot in every if slot - inputs not in announced]
