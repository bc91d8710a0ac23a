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
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.llvm import I64, POINTER, Code, Word
from shlo_tools.codegen.memrefs import address_of, memref_at, strided_metadata
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.pipeline.registry import Pass
from shlo_tools.structural_key import structural_key

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
    """Stages made so far: what they do -> name."""

    module: Operation
    names: dict[Hashable, str] = field(default_factory=dict)


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
    if mlir.is_memref(type):
        return mlir.is_strided(type) or mlir.is_row_major(type)
    return str(type) in ("index", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")


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
    nest = _Nest(op, [], {}, captured)
    for value in dict.fromkeys([*op.operands, *captured]):
        constant = _constant(value)
        if constant is None:
            nest.used.append(value)
        else:
            nest.constants[value] = constant
    return nest


def _constant(value: Value) -> Operation | None:
    op = mlir.defining_op(value)
    return op if op is not None and op.name == "arith.constant" else None


def _outline(func: Operation, nests: Sequence[_Nest], stages: _Stages) -> None:
    entry = func.regions[0].blocks[0]
    start = Code(mlir.at_start(entry), func.location)
    words = max(sum(1 + len(_unknown(value.type)) for value in nest.used) for nest in nests)
    table = start.table(words).value
    for nest in nests:
        code = Code(mlir.before(nest.op), nest.op.location)
        packed = [word for value in nest.used for word in _packed(code, value)]
        for position, word in enumerate(packed):
            code.store(word, code.word(table) + 8 * position)
        operands = [entry.arguments[0], table]
        call = code.op("func.call", operands, (), {"callee": mlir.symbol_attr("")})  # stands first
        call.attributes["callee"] = mlir.symbol_attr(_stage(nest, stages))


def _packed(code: Code, value: Value) -> list[Word]:
    """What the table holds for a value: a scalar, or where a buffer starts and what it measures."""
    if not mlir.is_memref(value.type):
        return [code.word(value)]
    unknown = _unknown(value.type)
    address = address_of(code, value)
    if not unknown:
        return [address]
    _, _, sizes, strides = strided_metadata(code, value)
    measures = {SIZE: sizes, STRIDE: strides}
    return [address, *(code.word(measures[kind][d]) for kind, d in unknown)]


def _unknown(type: Any) -> list[tuple[str, int]]:
    """The sizes of a buffer that run time tells, and the strides that do not follow from sizes."""
    measures = [(SIZE, d) for d in mlir.unknown_dimensions(type)]
    if mlir.is_strided(type):
        strides, _ = type.get_strides_and_offset()
        measures += [(STRIDE, d) for d, step in enumerate(strides) if step == mlir.DYNAMIC]
    return measures


def _stage(nest: _Nest, stages: _Stages) -> str:
    """Make a function of a loop nest, unless an equal one is one; returns its name."""
    inputs = [*nest.used, *nest.constants]
    types = tuple(value.type for value in inputs)
    constants = tuple(constant.attributes["value"] for constant in nest.constants.values())
    key = types, constants, structural_key(nest.op, inputs)
    if key in stages.names:
        nest.op.erase()
        return stages.names[key]
    name = stages.names[key] = f"{STAGE}.{len(stages.names)}"
    block = stages.module.regions[0].blocks[0]
    outer = Code(mlir.at_end(block), nest.op.location)
    attributes = {"no_inline": mlir.unit_attr(), STAGE: mlir.unit_attr()}
    pointers = [mlir.parse_type(POINTER)] * 2
    func = outer.function(name, pointers, (), attributes)
    body, code = outer.block(func.regions[0], pointers)
    table = code.word(body.arguments[1])
    inside: dict[Value, Value] = {}
    at = 0
    for value in nest.used:
        inside[value] = _unpacked(code, table, at, value.type)
        at += 1 + len(_unknown(value.type))
    for value, constant in nest.constants.items():  # known in there, too, not loaded
        inside[value] = constant.clone(mlir.at_end(body)).results[0]
    nest.op.move_before(code.op("func.return"))
    for old, new in inside.items():
        nest.op.replace_uses_of_with(old, new)
    for op in mlir.walk(nest.op) if nest.captured else ():
        for old in nest.captured:
            op.replace_uses_of_with(old, inside[old])
    return name


def _unpacked(code: Code, table: Word, at: int, type: Any) -> Value:
    """What the table holds from a word on, as what it was packed from."""
    if not mlir.is_memref(type):
        is_index = mlir.is_index(type)
        number = code.load(table + 8 * at, I64 if is_index else str(type)).value
        return code.value("arith.index_cast", (number,), type) if is_index else number
    address = code.load(table + 8 * at, POINTER)
    measured = {
        what: code.load(table + 8 * number, I64)
        for number, what in enumerate(_unknown(type), at + 1)
    }
    shape = [measured.get((SIZE, d), size) for d, size in enumerate(type.shape)]
    if not mlir.is_strided(type):
        return memref_at(code, address, shape, type)
    strides, _ = type.get_strides_and_offset()
    steps = [measured.get((STRIDE, d), step) for d, step in enumerate(strides)]
    return memref_at(code, address, shape, _from_zero(type), steps)


def _from_zero(type: Type) -> Type:
    """The same layout starting at offset 0."""
    text = str(type)
    if "offset" not in text:
        return type
    start = text.index(", offset")
    return mlir.parse_type(text[:start] + text[text.index(">", start) :])
