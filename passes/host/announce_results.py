"""Results of unknown size are announced to the host instead of being returned.

Before:
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) { ... return %a, %b }
After:
    func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> { ... call @shlo.result.0(%a); return %b }

Other results are written where the host wants them. The host cannot give a place to what has no
size yet: it is told an address and the sizes, in the table that it passes to the entry point,
and copies. The table holds an address per argument and per result, then the unknown sizes of the
arguments, then those of the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import ANNOUNCED, SLOTS, is_public, note_signature
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class AnnounceResults(Pass):
    """Tell the host of results whose size is known at run time only."""

    name = "shlo-announce-results"

    def run(self, op: Operation) -> None:
        for func in ir.functions(op):
            if is_public(func) and not ir.is_declaration(func):
                _announce(func)


def _announce(func: Operation) -> None:
    inputs, results = ir.signature(func)
    numbers = [i for i, type in enumerate(results) if mlir.is_dynamic(type)]
    if not numbers:
        return
    note_signature(func)
    end = ir.terminator(list(func.regions[0].blocks)[-1])
    size_slot = len(inputs) + len(results) + sum(map(_unknown_sizes, inputs))
    build = Build(mlir.before(end), end.location)
    for number in numbers:
        _call(func, build, end.operands[number], (len(inputs) + number, size_slot))
        size_slot += _unknown_sizes(results[number])
    kept = [i for i in range(len(results)) if i not in numbers]
    build.op("func.return", [end.operands[i] for i in kept])
    end.erase()
    type = mlir.function_type(inputs, [results[i] for i in kept])
    func.attributes["function_type"] = mlir.type_attr(type)
    func.attributes[ANNOUNCED] = mlir.i64_array_attr([len(results), *numbers])
    if "res_attrs" in func.attributes:
        dictionaries = ir.items_of(func, "res_attrs")
        func.attributes["res_attrs"] = mlir.array_attr(dictionaries[i] for i in kept)


def _unknown_sizes(type: Type) -> int:
    return len(mlir.unknown_dimensions(type))


def _call(func: Operation, build: Build, value: Value, slots: Sequence[int]) -> None:
    name = f"shlo.result.{ir.symbol_name(func)}.{slots[0]}"
    access = mlir.dict_attr({"bufferization.access": mlir.string_attr("read")})
    attributes = {"arg_attrs": mlir.array_attr([access]), SLOTS: mlir.i64_array_attr(slots)}
    Build(mlir.before(func), func.location).function(name, [value.type], (), attributes)
    build.call(name, [value])
