"""Loops over what lies in one piece in memory become one loop.

Before:
    linalg.generic {(d0, d1) -> (d0, d1), ...} ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
After:
    %c = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
    %d = memref.collapse_shape %b [[0, 1]] : memref<?x4xf32> into memref<?xf32>
    linalg.generic {(d0) -> (d0), ...} ins(%c : memref<?xf32>) outs(%d : memref<?xf32>)

One long loop fills vectors where several short ones do not, and LLVM has less to read. Two
dimensions are merged where every operand has both, one after the other and without a gap, or
neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit.structured import affine_map
from shlo_tools.pipeline.registry import Pass

Map = tuple[str, ...]  # the results of an affine map, as text


@dataclass(frozen=True)
class MergeDimensions(Pass):
    """Merge loops over adjacent memory."""

    name = "shlo-merge-dimensions"
    anchor = "any"

    def run(self, op: Operation) -> None:
        for nest in mlir.walk(op):
            if nest.name == "linalg.generic" and not nest.results:
                _merge(nest)


def _merge(nest: Operation) -> None:
    kinds = list(nest.attributes["iterator_types"])
    if len(kinds) < 2:
        return
    maps = [_results(str(map)) for map in nest.attributes["indexing_maps"]]
    operands = list(nest.operands)
    positions = _positions(nest)
    dimensions = {number for number, _ in positions}
    groups = [[0]]
    for d in range(1, len(kinds)):
        alike = kinds[d - 1] == kinds[d] and not dimensions & {d - 1, d}
        if alike and all(_is_adjacent(*pair, d) for pair in zip(operands, maps, strict=True)):
            groups[-1].append(d)
        else:
            groups.append([d])
    if len(groups) == len(kinds):
        return
    build = Build(mlir.before(nest), nest.location)
    number_of = {d: number for number, group in enumerate(groups) for d in group}
    merged: list[mlir.Attribute] = []
    for index, (operand, results) in enumerate(zip(operands, maps, strict=True)):
        value, left = _collapsed(build, operand, results, groups)
        nest.operands[index] = value
        named = [_renumbered(result, number_of) for result in left]
        merged.append(mlir.affine_map_attr(affine_map(len(groups), named)))
    nest.attributes["indexing_maps"] = mlir.array_attr(merged)
    nest.attributes["iterator_types"] = mlir.array_attr([kinds[group[0]] for group in groups])
    for number, op in positions:
        new = mlir.i64_attr(number_of[number])
        op.attributes["dim"] = new


def _positions(nest: Operation) -> list[tuple[int, Operation]]:
    """The dimensions whose counters the body uses, with the ops that do."""
    ops = [op for op in mlir.walk(nest) if op.name == "linalg.index"]
    return [(int(ir.text_of(op, "dim")), op) for op in ops]


_MAP = re.compile(r"affine_map<\(.*?\) -> \((.*)\)>")
_DIMENSION = re.compile(r"\bd(\d+)\b")


def _results(map: str) -> Map:
    match = _MAP.fullmatch(map)
    return tuple(match[1].split(", ")) if match and match[1] else ()


def _renumbered(result: str, number_of: dict[int, int]) -> str:
    return _DIMENSION.sub(lambda match: f"d{number_of[int(match[1])]}", result)


def _is_adjacent(operand: Value, results: Map, d: int) -> bool:
    """Whether an operand has dimensions d - 1 and d in one piece, or neither."""
    pair = (f"d{d - 1}", f"d{d}")
    used = [at for at, r in enumerate(results) if not _numbers(r).isdisjoint({d - 1, d})]
    if not used:
        return True
    first = used[0]
    if used != [first, first + 1] or results[first : first + 2] != pair:
        return False
    return _has_no_gap(operand.type, first)


def _numbers(result: str) -> set[int]:
    return {int(number) for number in _DIMENSION.findall(result)}


def _has_no_gap(type: Any, first: int) -> bool:
    """Whether a step along a dimension of a memref is one past the end of the next dimension."""
    if mlir.is_row_major(type):
        return True
    strides, _ = type.get_strides_and_offset()
    outer, inner, size = strides[first], strides[first + 1], type.shape[first + 1]
    return mlir.DYNAMIC not in (outer, inner, size) and outer == inner * size


def _collapsed(
    build: Build, operand: Value, results: Map, groups: Sequence[Sequence[int]]
) -> tuple[Value, list[str]]:
    """An operand with merged dimensions, and the results of its map."""
    last_of = {f"d{group[0]}": f"d{group[-1]}" for group in groups if len(group) > 1}
    pieces: list[list[int]] = []
    left: list[str] = []
    end: str | None = None  # of the group that is being passed
    for at, result in enumerate(results):
        if end is not None:
            pieces[-1].append(at)
        else:
            pieces.append([at])
            left.append(result)
            end = last_of.get(result)
        if result == end:
            end = None
    if len(pieces) == len(results):
        return operand, left
    attributes = {
        "reassociation": mlir.array_attr(
            mlir.array_attr(mlir.i64_attr(at) for at in piece) for piece in pieces
        )
    }
    type = _collapsed_type(operand.type, pieces)
    return build.value("memref.collapse_shape", (operand,), type, attributes), left


def _collapsed_type(type: Any, pieces: Sequence[Sequence[int]]) -> mlir.Type:
    shape = []
    for piece in pieces:
        size = 1
        for at in piece:
            dynamic = mlir.DYNAMIC in (size, type.shape[at])
            size = mlir.DYNAMIC if dynamic else size * type.shape[at]
        shape.append(size)
    if mlir.is_row_major(type):
        return mlir.memref_type(shape, type.element_type)
    strides, offset = type.get_strides_and_offset()
    steps = ", ".join(_number(strides[piece[-1]]) for piece in pieces)
    sizes = "".join(f"{_number(size)}x" for size in shape)
    start = f", offset: {_number(offset)}" if offset else ""
    return mlir.parse_type(f"memref<{sizes}{type.element_type}, strided<[{steps}]{start}>>")


def _number(value: int) -> str:
    return "?" if value == mlir.DYNAMIC else str(value)
