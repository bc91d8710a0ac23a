"""Loop nests become functions of their own, equal ones the same.

Before:
    linalg.generic {...} ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {...}
After:
    <addresses of %a and %b stored in a table on the stack>
    func.call @shlo.stage.0(%frame, %table)
    func.func private @shlo.stage.0(%frame: !llvm.ptr, %table: !llvm.ptr) { linalg.generic ... }

LLVM's time grows faster than a function's size: many small functions compile sooner than one
large one, and a layer that a model repeats compiles once. Small programs stay as they are.
"""

from __future__ import annotations

import math
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
SIZE, STRIDE = "size", "stride"
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
            large = [_nest(op) for op in nests if _elements(op) >= SMALL]
            chosen = [nest for nest in large if _is_movable(nest.used)]
            if len(chosen) >= MANY:
                _outline(func, chosen, stages)


@dataclass
class _Stages:
    """Stages made so far: text -> name."""

    module: Operation
    names: dict[str, str] = field(default_factory=dict)


def _elements(nest: Operation) -> int:
    """Elements of its largest buffer; one of unknown size counts as large."""
    return max(
        (_size(value.type) for value in nest.operands if mlir.is_memref(value.type)), default=0
    )


def _size(type: Any) -> int:
    shape = list(type.shape)
    return SMALL if mlir.DYNAMIC in shape else math.prod(shape)


def _is_movable(used: Sequence[Value]) -> bool:
    """Whether everything used fits a table of addresses and scalars."""
    return all(_is_passable(value.type) for value in used)


def _is_passable(type: Type) -> bool:
    text = str(type)
    if mlir.is_memref(type):
        return "affine_map" not in text
    return text in ("index", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")


@dataclass
class _Nest:
    """A loop nest and the values from outside that it needs, each once.

    Attributes:
        used: what it is passed.
        constants: what goes along by itself.
        captured: what its region uses.
    """

    op: Operation
    used: list[Value]
    constants: dict[Value, Operation]
    captured: list[Value]


def _nest(op: Operation) -> _Nest:
    captured = ir.captured(op)
    made = _Nest(op, [], {}, captured)
    for value in dict.fromkeys([*op.operands, *captured]):
        constant = _constant(value)
        if constant is None:
            made.used.append(value)
        else:
            made.constants[value] = constant
    return made


def _constant(value: Value) -> Operation | None:
    op = mlir.defining_op(value)
    return op if op is not None and op.name == "arith.constant" else None


def _outline(func: Operation, nests: Sequence[_Nest], stages: _Stages) -> None:
    entry = func.regions[0].blocks[0]
    start = Build(mlir.at_start(entry), func.location)
    words = max(sum(1 + len(_unknown(value.type)) for value in nest.used) for nest in nests)
    table = start.value(
        "llvm.alloca",
        (frames.constant(start, words),),
        frames.pointer(),
        {"elem_type": mlir.type_attr(frames.i64())},
    )
    for nest in nests:
        build = Build(mlir.before(nest.op), nest.op.location)
        packed = [word for value in nest.used for word in _packed(build, value)]
        for index, word in enumerate(packed):
            frames.store_at(build, table, index, word)
        call = build.op(
            "func.call", [entry.arguments[0], table], (), {"callee": mlir.symbol_attr("")}
        )
        call.attributes["callee"] = mlir.symbol_attr(_stage(nest, stages))


def _packed(build: Build, value: Value) -> list[Value]:
    """What the table holds for a value: a scalar, or where a buffer starts and what it measures."""
    if not mlir.is_memref(value.type):
        return [_word(build, value)]
    unknown = _unknown(value.type)
    if not unknown:
        return [frames.address_of(build, value)]
    type: Any = value.type
    index = mlir.index_type()
    rank = len(type.shape)
    start = mlir.parse_type(f"memref<{type.element_type}>")
    metadata = build.op(
        "memref.extract_strided_metadata", (value,), (start, *[index] * (1 + 2 * rank))
    ).results
    measures = {SIZE: metadata[2 : 2 + rank], STRIDE: metadata[2 + rank :]}
    words = [_word(build, measures[kind][d]) for kind, d in unknown]
    return [frames.address_of(build, value), *words]


def _word(build: Build, value: Value) -> Value:
    """A scalar as the table holds it."""
    if str(value.type) == "index":
        return build.value("arith.index_cast", (value,), frames.i64())
    return value


def _unknown(type: Type) -> list[tuple[str, int]]:
    """The sizes of a buffer that run time tells, and the strides that do not follow from sizes."""
    if not mlir.is_memref(type):
        return []
    held: Any = type
    found = [(SIZE, d) for d, size in enumerate(held.shape) if size == mlir.DYNAMIC]
    if "strided" in str(type):
        strides, _ = held.get_strides_and_offset()
        found += [(STRIDE, d) for d, step in enumerate(strides) if step == mlir.DYNAMIC]
    return found


def _stage(nest: _Nest, stages: _Stages) -> str:
    """Move a loop nest into a function; returns its name, or that of an equal one."""
    name = f"{STAGE}.{len(stages.names)}"
    block = stages.module.regions[0].blocks[0]
    outer = Build(mlir.at_end(block), nest.op.location)
    attributes = {
        "sym_name": mlir.string_attr(name),
        "sym_visibility": mlir.string_attr("private"),
        "function_type": mlir.type_attr(mlir.function_type([frames.pointer()] * 2, [])),
        "no_inline": mlir.unit_attr(),
        STAGE: mlir.unit_attr(),
    }
    func = outer.op("func.func", (), (), attributes, regions=1)
    body, build = outer.block(func.regions[0], [frames.pointer()] * 2)
    inside: dict[Value, Value] = {}
    at = 0
    for value in nest.used:
        inside[value] = _unpacked(build, body, at, value.type)
        at += 1 + len(_unknown(value.type))
    for value, constant in nest.constants.items():  # known in there, too, not loaded
        inside[value] = constant.clone(mlir.at_end(body)).results[0]
    end = build.op("func.return")
    nest.op.move_before(end)
    for old, new in inside.items():
        nest.op.replace_uses_of_with(old, new)
    for op in mlir.walk(nest.op) if nest.captured else ():
        for old in nest.captured:
            op.replace_uses_of_with(old, inside[old])
    text = func.get_asm(use_local_scope=True).replace(name, STAGE)
    known = stages.names.setdefault(text, name)
    if known != name:
        func.erase()
    return known


def _unpacked(build: Build, block: Block, at: int, type: Any) -> Value:
    table = block.arguments[1]
    if not mlir.is_memref(type):
        if str(type) == "index":
            number = frames.load_at(build, table, at, frames.i64())
            return build.value("arith.index_cast", (number,), type)
        return frames.load_at(build, table, at, type)
    address = frames.load_at(build, table, at, frames.pointer())
    measured = {
        what: frames.load_at(build, table, at + 1 + number, frames.i64())
        for number, what in enumerate(_unknown(type))
    }
    shape = [measured.get((SIZE, d), size) for d, size in enumerate(type.shape)]
    if "strided" not in str(type):
        return frames.memref_at(build, address, shape, type)
    strides, _ = type.get_strides_and_offset()
    steps = [measured.get((STRIDE, d), step) for d, step in enumerate(strides)]
    return frames.memref_at(build, address, shape, _from_zero(type), steps)


def _from_zero(type: Type) -> Type:
    """The same layout starting at offset 0."""
    text = str(type)
    if "offset" not in text:
        return type
    start = text.index(", offset")
    return mlir.parse_type(text[:start] + text[text.index(">", start) :])
