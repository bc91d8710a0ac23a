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
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.codegen.lowered import CALL_HOST, CHECK, MESSAGE, PROPAGATE, SIZES, SLOTS, WEIGHT
from shlo_tools.dtypes import UNKNOWN, tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class AttachFrame(Pass):
    """Thread the call frame through all functions."""

    name = "shlo-attach-frame"

    def run(self, op: Operation) -> None:
        slots = {
            ir.symbol_name(f): list(f.attributes[SLOTS])
            for f in ir.functions(op)
            if SLOTS in f.attributes
        }
        weights = {ir.symbol_name(g): _number(g) for g in ir.children(op) if WEIGHT in g.attributes}
        for func in ir.functions(op):
            if not ir.is_declaration(func):
                _attach(func, weights, slots)
        for child in ir.children(op):
            declares = ir.symbol_name(child) in (CALL_HOST, CHECK)
            declares = declares or SLOTS in child.attributes
            if WEIGHT in child.attributes or declares:
                child.erase()


def _number(weight: Operation) -> int:
    return int(ir.text_of(weight, WEIGHT))


def _attach(func: Operation, weights: dict[str, int], slots: dict[str, list[int]]) -> None:
    frame = _add_argument(func)
    # Chosen before anything changes: the ops replaced here must not be looked at again.
    named = ("func.call", "memref.get_global")
    for op in [op for op in mlir.walk(func) if op.name in named]:
        build = Build(mlir.before(op), op.location)
        if op.name == "func.call" and ir.callee_of(op) == CALL_HOST:
            call_back(build, frame, "host", list(op.operands))
            leave_on_failure(frame, build)
            op.erase()
        elif op.name == "func.call" and MESSAGE in op.attributes:
            _check(op, frame, build)
            op.erase()
        elif op.name == "func.call" and ir.callee_of(op) in slots:
            _announce(op, frame, slots[ir.callee_of(op)], build)
            op.erase()
        elif op.name == "func.call":
            _pass_on(op, frame, build)
        elif op.name == "memref.get_global" and ir.text_of(op, "name") in weights:
            ir.replace(op, [_weight(op, frame, weights[ir.text_of(op, "name")], build)])


def _add_argument(func: Operation) -> Value:
    """Give ``func`` a new first argument, by moving its body under new block arguments."""
    inputs, results = ir.signature(func)
    types = [frames.pointer(), *inputs]
    region: Any = func.regions[0]
    old = region.blocks[0]
    block = mlir.block_at_start(region, types, func.location)
    for argument, new in zip(list(old.arguments), list(block.arguments)[1:], strict=True):
        argument.replace_all_uses_with(new)
    for op in list(old.operations):
        block.append(op)
    mlir.erase_block(old)
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(types, results))
    if "arg_attrs" in func.attributes:
        given = list(func.attributes["arg_attrs"])
        func.attributes["arg_attrs"] = mlir.array_attr([mlir.dict_attr({}), *given])
    return block.arguments[0]


def _pass_on(call: Operation, frame: Value, build: Build) -> None:
    attributes = {"callee": call.attributes["callee"]}
    types = [result.type for result in call.results]
    made = build.op("func.call", [frame, *call.operands], types, attributes)
    leave_on_failure(frame, build)
    ir.replace(call, list(made.results))


def _check(call: Operation, frame: Value, build: Build) -> None:
    """Keep the sizes for the message and leave the function if they do not fit."""
    holds, *sizes = call.operands
    for number, size in enumerate(sizes):
        word = build.value("arith.index_cast", (size,), frames.i64())
        frames.store(build, frame, f"word{number}", word)
    attributes = {"msg": call.attributes[MESSAGE], SIZES: mlir.unit_attr()}
    build.op("cf.assert", [holds], (), attributes)


def _announce(call: Operation, frame: Value, slots: list[int], build: Build) -> None:
    """Write a result's address and its unknown sizes into the entry point's table."""
    buffer = call.operands[0]
    table = frames.load(build, frame, "argv", frames.pointer())
    frames.store_at(build, table, slots[0], frames.address_of(build, buffer))
    unknown = [d for d, dim in enumerate(tensor_type(buffer.type).shape) if dim is UNKNOWN]
    for slot, d in enumerate(unknown, slots[1]):
        index = {"value": mlir.integer_attr(d, mlir.index_type())}
        number = build.value("arith.constant", (), mlir.index_type(), index)
        size = build.value("memref.dim", (buffer, number), mlir.index_type())
        frames.store_at(build, table, slot, build.value("arith.index_cast", (size,), frames.i64()))


def leave_on_failure(frame: Value, build: Build) -> None:
    """Leave the function where the status says that something failed."""
    status = frames.load(build, frame, "status", frames.i64(), volatile=True)
    fine = is_zero(build, status)
    message = {"msg": mlir.string_attr(""), PROPAGATE: mlir.unit_attr()}
    build.op("cf.assert", [fine], (), message)


def is_zero(build: Build, value: Value) -> Value:
    equal = {"predicate": mlir.i64_attr(0)}
    zero = frames.constant(build, 0)
    return build.value("llvm.icmp", (value, zero), mlir.integer_type(1), equal)


def call_back(build: Build, frame: Value, name: str, arguments: Sequence[Value] = ()) -> Value:
    """Call ``status callback(frame, ...)`` through the frame's table."""
    table = frames.load(build, frame, "callbacks", frames.pointer())
    function = frames.load_at(build, table, frames.CALLBACKS.index(name), frames.pointer())
    attributes = {
        "operandSegmentSizes": mlir.i32_array_attr([2 + len(arguments), 0]),
        "op_bundle_sizes": mlir.i32_array_attr([]),
    }
    return build.value("llvm.call", (function, frame, *arguments), frames.i64(), attributes)


def _weight(op: Operation, frame: Value, number: int, build: Build) -> Value:
    table = frames.load(build, frame, "weights", frames.pointer())
    address = frames.load_at(build, table, number, frames.pointer())
    type = op.results[0].type
    return frames.memref_at(build, address, tensor_type(type).static_shape, type)
