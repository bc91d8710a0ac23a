"""Functions that a host can call with two pointers, whatever their signature.

Before:
    func.func @main(%frame: !llvm.ptr, %a: memref<4xf32>, %out: memref<4xf32>)
After:
    func.func private @main(...)
    func.func @shlo.entry.main(%frame: !llvm.ptr, %argv: !llvm.ptr) attributes {shlo.entry = {...}}

``argv`` is a table: addresses of the arguments, then of the results, then the unknown sizes of the
arguments (see ``announce_results`` for those of results). ``shlo.entry`` records what the host has
to know: the signature, and the size of the arena.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as layout
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import I64, POINTER, Code, Number
from shlo_tools.codegen.memrefs import memref_at
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.passes.host.announce_results import ANNOUNCED
from shlo_tools.passes.host.protect_arguments import SIGNATURE, is_public
from shlo_tools.passes.memory.plan_memory import ARENA, GROWS
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
    entry = outer.function(PREFIX + name, types, (), entry_attributes, private=False)
    block, code = outer.block(entry.regions[0], types)
    frame = block.arguments[0]
    table = code.word(block.arguments[1])
    arguments = [frame]
    count, announced = 0, []
    if ANNOUNCED in func.attributes:
        count, *announced = func.attributes[ANNOUNCED]
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
    code.call(name, arguments)
    code.op("func.return")


def _address_slots(parameters: int, results: int, announced: list[int]) -> list[int]:
    """Where in the table each parameter's address is.

    Parameters are the arguments and then the ``results``, without those that are announced.
    """
    inputs = parameters + len(announced) - results
    every = range(parameters + len(announced))
    return [slot for slot in every if slot - inputs not in announced]
