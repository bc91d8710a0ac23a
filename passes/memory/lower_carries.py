"""``shlo.carry``, which puts a loop's new values in place all at once, becomes copies.

Before:
    func.call @shlo.carry.0(%new_a, %new_b, %a, %b)     // %new_a is %b, %new_b is %a
After:
    memref.copy %new_a, %temporary_a
    memref.copy %new_b, %temporary_b
    memref.copy %temporary_a, %a
    memref.copy %temporary_b, %b

A value that is in its place already is not copied; one that lives in no buffer of the loop is
copied once.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import CARRY
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.memory.buffers import allocated_like
from shlo_tools.pipeline.registry import Pass

CASTS = ("memref.cast",)
VIEWS = (*CASTS, "memref.subview", "memref.expand_shape", "memref.collapse_shape")
APART = ("memref.alloc", "memref.get_global")  # what makes memory of its own


@dataclass(frozen=True)
class LowerCarries(Pass):
    """Turn the placing of carried values into copies."""

    name = "shlo-lower-carries"

    def run(self, op: Operation) -> None:
        carries = [func for func in ir.functions(op) if CARRY in func.attributes]
        names = {ir.symbol_name(func) for func in carries}
        for call in [o for o in mlir.walk(op) if o.name == "func.call"]:
            if ir.callee_of(call) in names:
                _lower(call)
        for func in carries:
            func.erase()


def _lower(call: Operation) -> None:
    operands = list(call.operands)
    count = len(operands) // 2
    build = Build(mlir.before(call), call.location)
    moves = [
        (new, place)
        for new, place in zip(operands[:count], operands[count:], strict=True)
        if _seen_through(new, CASTS) != _seen_through(place, CASTS)
    ]
    places = {_seen_through(place, VIEWS) for place in operands[count:]}
    copies = [
        (new if _is_apart(new, places) else _copied(build, new), place) for new, place in moves
    ]
    for new, place in copies:
        build.op("memref.copy", (new, place))
    call.erase()


def _seen_through(value: Value, names: tuple[str, ...]) -> Value:
    """What a value is made from by ops of these names."""
    while mlir.is_result_of(value, names):
        value = mlir.inner_operation(value.owner).operands[0]
    return value


def _is_apart(value: Value, places: set[Value]) -> bool:
    """Whether a value surely shares no memory with the loop's buffers."""
    root = _seen_through(value, VIEWS)
    return root not in places and mlir.is_result_of(root, APART)


def _copied(build: Build, value: Value) -> Value:
    copy = allocated_like(build, value)
    build.op("memref.copy", (value, copy))
    return copy
