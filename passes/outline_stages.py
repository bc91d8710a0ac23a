"""Loop nests become functions of their own, equal ones the same.

Before:
    linalg.generic {...} ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {...}
After:
    <addresses of %a and %b stored in a table on the stack>
    func.call @shlo.stage.0(%table)
    func.func private @shlo.stage.0(%table: !llvm.ptr) { linalg.generic ... }

LLVM's time grows faster than a function's size: many small functions compile sooner than one
large one, and a layer that a model repeats compiles once. Small programs stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Type, Value
from shlo_tools.pipeline.registry import Pass

STAGE = "shlo.stage"
MANY = 8  # loop nests in a function from which on they are outlined
SMALL = 32  # elements below which a loop nest is left where it is


@dataclass(frozen=True)
class OutlineStages(Pass):
    """Make functions of loop nests."""

    name = "shlo-outline-stages"

    def run(self, op: Operation) -> None:
        stages = _Stages(op)
        for func in ir.functions(op):
            if ir.is_declaration(func):
                continue
            nests = [o for o in mlir.walk(func) if o.name.startswith("linalg.") and o.regions]
            large = [(nest, _used(nest)) for nest in nests if _elements(nest) >= SMALL]
            chosen = [(nest, used) for nest, used in large if _is_movable(used)]
            if len(chosen) >= MANY:
                _outline(func, chosen, stages)


@dataclass
class _Stages:
    """Stages made so far: text -> name."""

    module: Operation
    names: dict[str, str] = field(default_factory=dict)


def _elements(nest: Operation) -> int:
    """Elements of its largest buffer."""
    return max(
        (_size(value.type) for value in nest.operands if mlir.is_memref(value.type)), default=0
    )


def _size(type: Any) -> int:
    size = 1
    for dim in type.shape:
        size *= dim
    return size


def _is_movable(used: Sequence[Value]) -> bool:
    """Whether everything used fits a table of addresses and scalars."""
    return all(_is_passable(value.type) for value in used)


def _is_passable(type: Type) -> bool:
    text = str(type)
    if mlir.is_memref(type):
        return "?" not in text.replace("offset: ?", "") and "affine_map" not in text
    return text in ("index", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")


def _used(nest: Operation) -> list[Value]:
    """Its operands and what its region captures, each once; constants go along by themselves."""
    values = dict.fromkeys([*nest.operands, *ir.captured(nest)])
    return [value for value in values if _constant(value) is None]


def _constant(value: Value) -> Operation | None:
    op = mlir.defining_op(value)
    return op if op is not None and op.name == "arith.constant" else None


def _outline(func: Operation, nests: list[tuple[Operation, list[Value]]], stages: _Stages) -> None:
    entry = func.regions[0].blocks[0]
    start = Build(mlir.at_start(entry), func.location)
    words = max(len(used) for _, used in nests)
    table = start.value(
        "llvm.alloca",
        (frames.constant(start, words),),
        frames.pointer(),
        {"elem_type": mlir.type_attr(frames.i64())},
    )
    for nest, used in nests:
        build = Build(mlir.before(nest), nest.location)
        for index, value in enumerate(used):
            frames.store_at(build, table, index, _packed(build, value))
        call = build.op("func.call", [table], (), {"callee": mlir.symbol_attr("")})
        call.attributes["callee"] = mlir.symbol_attr(_stage(nest, used, stages))


def _packed(build: Build, value: Value) -> Value:
    """What the table holds for a value: the address of a buffer's first element, or a scalar."""
    if not mlir.is_memref(value.type):
        if str(value.type) == "index":
            return build.value("arith.index_cast", (value,), frames.i64())
        return value
    return frames.address_of(build, value)


def _stage(nest: Operation, used: Sequence[Value], stages: _Stages) -> str:
    """Move a loop nest into a function; returns its name, or that of an equal one."""
    name = f"{STAGE}.{len(stages.names)}"
    block = stages.module.regions[0].blocks[0]
    outer = Build(mlir.at_end(block), nest.location)
    attributes = {
        "sym_name": mlir.string_attr(name),
        "sym_visibility": mlir.string_attr("private"),
        "function_type": mlir.type_attr(mlir.function_type([frames.pointer()], [])),
        "no_inline": mlir.unit_attr(),
        STAGE: mlir.unit_attr(),
    }
    func = outer.op("func.func", (), (), attributes, regions=1)
    body, build = outer.block(func.regions[0], [frames.pointer()])
    inside = {value: _unpacked(build, body, i, value) for i, value in enumerate(used)}
    for value in dict.fromkeys([*nest.operands, *ir.captured(nest)]):
        if (constant := _constant(value)) is not None:  # known in there, too, not loaded
            inside[value] = constant.clone(mlir.at_end(body)).results[0]
    end = build.op("func.return")
    nest.move_before(end)
    for op in mlir.walk(nest):
        for old, new in inside.items():
            op.replace_uses_of_with(old, new)
    text = func.get_asm(use_local_scope=True).replace(name, STAGE)
    known = stages.names.setdefault(text, name)
    if known != name:
        func.erase()
    return known


def _unpacked(build: Build, block: Block, index: int, value: Value) -> Value:
    table, type = block.arguments[0], value.type
    if not mlir.is_memref(type):
        if str(type) == "index":
            number = frames.load_at(build, table, index, frames.i64())
            return build.value("arith.index_cast", (number,), type)
        return frames.load_at(build, table, index, type)
    address = frames.load_at(build, table, index, frames.pointer())
    strides, _ = type.get_strides_and_offset()
    return frames.memref_at(build, address, list(type.shape), _from_zero(type), list(strides))


def _from_zero(type: Type) -> Type:
    """The same layout starting at offset 0."""
    text = str(type)
    if "offset" not in text:
        return type
    start = text.index(", offset")
    return mlir.parse_type(text[:start] + text[text.index(">", start) :])
