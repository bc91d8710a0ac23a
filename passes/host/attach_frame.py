"""Every function gets the call frame as its first argument.

Before:
    func.func @f(%a: memref<4xf32>) { scf.while ...; call @g(%a) }
After:
    func.func @f(%frame: !llvm.ptr, %a: memref<4xf32>) { ...; call @g(%frame, %a); cf.assert ... }

Through it callers hear of a callee's failure, and constants kept by the host are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as layout
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import I64, POINTER, Code, Word
from shlo_tools.codegen.lowered import CALL_HOST, CHECK, MESSAGE, PROPAGATE, SIZES, SLOTS, WEIGHT
from shlo_tools.codegen.memrefs import address_of, extent, memref_at
from shlo_tools.dtypes import tensor_type
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class AttachFrame(Pass):
    """Thread the call frame through all functions."""

    name = "shlo-attach-frame"

    def run(self, op: Operation) -> None:
        slots = {
            ir.symbol_name(f): ir.integers_of(f, SLOTS)
            for f in ir.functions(op)
            if SLOTS in f.attributes
        }
        weights = {
            ir.symbol_name(g): ir.integer_of(g, WEIGHT)
            for g in ir.children(op)
            if WEIGHT in g.attributes
        }
        for func in ir.functions(op):
            if not ir.is_declaration(func):
                _attach(func, weights, slots)
        for child in ir.children(op):
            declares = ir.symbol_name(child) in (CALL_HOST, CHECK)
            declares = declares or SLOTS in child.attributes
            if WEIGHT in child.attributes or declares:
                child.erase()


def _attach(func: Operation, weights: dict[str, int], slots: dict[str, list[int]]) -> None:
    frame = _add_argument(func)
    # Chosen before anything changes: the ops replaced here must not be looked at again.
    named = ("func.call", "memref.get_global")
    for op in [op for op in mlir.walk(func) if op.name in named]:
        code = Code(mlir.before(op), op.location)
        if op.name == "func.call" and ir.callee_of(op) == CALL_HOST:
            call_back(code, frame, "host", [code.word(value) for value in op.operands])
            leave_on_failure(code, frame)
            op.erase()
        elif op.name == "func.call" and MESSAGE in op.attributes:
            _check(op, frame, code)
            op.erase()
        elif op.name == "func.call" and ir.callee_of(op) in slots:
            _announce(op, frame, slots[ir.callee_of(op)], code)
            op.erase()
        elif op.name == "func.call":
            _pass_on(op, frame, code)
        elif op.name == "memref.get_global" and ir.text_of(op, "name") in weights:
            ir.replace(op, [_weight(op, frame, weights[ir.text_of(op, "name")], code)])


def _add_argument(func: Operation) -> Value:
    """Give ``func`` a new first argument, by moving its body under new block arguments."""
    inputs, results = ir.signature(func)
    types = [mlir.parse_type(POINTER), *inputs]
    region = func.regions[0]
    old = region.blocks[0]
    block = mlir.block_at_start(region, types, func.location)
    for argument, new in zip(list(old.arguments), list(block.arguments)[1:], strict=True):
        argument.replace_all_uses_with(new)
    for op in list(old.operations):
        block.append(op)
    mlir.erase_block(old)
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(types, results))
    if "arg_attrs" in func.attributes:
        dictionaries = [mlir.dict_attr({}), *ir.items_of(func, "arg_attrs")]
        func.attributes["arg_attrs"] = mlir.array_attr(dictionaries)
    return block.arguments[0]


def _pass_on(call: Operation, frame: Value, code: Code) -> None:
    types = [result.type for result in call.results]
    results = code.call(ir.callee_of(call), [frame, *call.operands], types)
    leave_on_failure(code, frame)
    ir.replace(call, list(results))


def _check(call: Operation, frame: Value, code: Code) -> None:
    """Keep the sizes for the message and leave the function if they do not fit."""
    holds, *sizes = call.operands
    for number, size in enumerate(sizes):
        fields.store(code, frame, f"word{number}", code.word(size))
    attributes = {"msg": call.attributes[MESSAGE], SIZES: mlir.unit_attr()}
    code.op("cf.assert", [holds], (), attributes)


def _announce(call: Operation, frame: Value, slots: list[int], code: Code) -> None:
    """Write a result's address and its unknown sizes into the entry point's table."""
    buffer = call.operands[0]
    table = fields.load(code, frame, "argv")
    code.store(address_of(code, buffer), table + 8 * slots[0])
    sizes = [extent(code, buffer, d) for d in range(tensor_type(buffer.type).rank)]
    unknown = [size for size in sizes if isinstance(size, Word)]
    for slot, size in enumerate(unknown, slots[1]):
        code.store(size, table + 8 * slot)


def leave_on_failure(code: Code, frame: Value) -> None:
    """Leave the function where the status says that something failed."""
    fine = fields.load(code, frame, "status", I64, volatile=True).compared("eq", 0)
    message = {"msg": mlir.string_attr(""), PROPAGATE: mlir.unit_attr()}
    code.op("cf.assert", [fine], (), message)


def call_back(code: Code, frame: Value, name: str, arguments: Sequence[Word] = ()) -> Word:
    """Call ``status callback(frame, ...)`` through the frame's table."""
    place = fields.load(code, frame, "callbacks") + 8 * layout.CALLBACKS.index(name)
    return code.result_of(code.load(place, POINTER), [code.word(frame), *arguments], I64)


def _weight(op: Operation, frame: Value, number: int, code: Code) -> Value:
    address = code.load(fields.load(code, frame, "weights") + 8 * number, POINTER)
    type = op.results[0].type
    return memref_at(code, address, tensor_type(type).static_shape, type)
