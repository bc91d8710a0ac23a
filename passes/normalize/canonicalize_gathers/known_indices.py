"""Gathers at places that constants determine, where each is one of many elements.

Before, as exporters of PyTorch write padding by reflection:
    %0 = stablehlo.iota dim = 0 : tensor<68x1xi64>
    %1 = stablehlo.subtract %0, %two : tensor<68x1xi64>
    %2 = stablehlo.abs %1 : tensor<68x1xi64>
    %3 = "stablehlo.gather"(%x, %2) ... : tensor<68x64xf32>
After:
    %2 = stablehlo.constant dense<[[2], [1], [0], [1], ...]> : tensor<68x1xi64>
    %3 = "stablehlo.gather"(%x, %2) ... : tensor<68x64xf32>
or, where the places are along the last dimension, and few runs:
    %0 = stablehlo.slice %x [0:64, 0:3]
    %1 = stablehlo.reverse %0, dims = [1]
    %2 = stablehlo.slice %x [0:64, 1:64]
    %3 = stablehlo.concatenate %1, %2, dim = 1

A kernel would compute the places again for every element. Those at equal distances stay ops:
kernels see that what lies there is a run of memory.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import Array
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.passes.normalize.canonicalize_gathers.counting import Counting
from shlo_tools.passes.simplify.slicing import sliced
from shlo_tools.passes.simplify.values import constant, rebuilt

if TYPE_CHECKING:
    from shlo_tools.passes.fold.sweep import Constants

_MOST = 4096  # indices
_OFTEN = 8  # elements of the result for each
_OPS = 64  # that are computed now
_RUNS = 8  # that are slices
_NEAR = 16  # adjacent elements that are as fast as a run


class Places:
    """Computes what constants determine, each value once.

    Attributes:
        counting: tells what needs no computing.
    """

    def __init__(self) -> None:
        self.counting = Counting()
        self._arrays: dict[Value, Array | None] = {}

    def gathered(self, op: Operation, build: Build) -> Value | None:
        """A gather of static types at places that are computed now; None where they are not."""
        operand, indices = op.operands
        array = self.of(indices, op.results[0])
        if array is None:
            return None
        joined = _joined(op, array, build)
        if joined is not None:
            return joined
        (gathered,) = rebuilt(op, build, (operand, constant(build, indices.type, array)))
        return gathered

    def of(self, indices: Value, result: Value) -> Array | None:
        """Indices of a gather that are computed now; None where they are not, or stay ops."""
        size = dtypes.tensor_type(indices.type).size
        if not 0 < size <= _MOST or dtypes.tensor_type(result.type).size < _OFTEN * size:
            return None
        if indices not in self._arrays:
            self._arrays[indices] = self._computed(indices)
        return self._arrays[indices]

    def _computed(self, indices: Value) -> Array | None:
        ops = _behind(indices)
        if len(ops) < 2 or self.counting.numbers(indices).start is not None:
            return None
        for op in ops:
            if op.results[0] not in self._constants.arrays:
                self._constants.evaluate(op)
        return self._constants.of(indices)

    @cached_property
    def _constants(self) -> Constants:
        """What is computed; loading that takes as long as compiling a small kernel."""
        from shlo_tools.passes.fold.evaluation import Limits
        from shlo_tools.passes.fold.sweep import Constants

        return Constants(Limits(_MOST, _MOST))


def _behind(value: Value) -> list[Operation]:
    """The ops that make a value, in order; none where it rests on an argument, or on many."""
    ops: dict[Operation, None] = {}
    stack = [value]
    while stack:
        op = mlir.defining_op(stack.pop())
        if op is None or len(op.regions) or len(ops) > _OPS:
            return []
        ops.pop(op, None)  # behind all that read it
        ops[op] = None
        stack += op.operands
    return list(reversed(ops))


def _joined(op: Operation, array: Array, build: Build) -> Value | None:
    """The parts of the operand that few runs of places are; None of another gather."""
    numbers = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    starts, sizes = numbers.get("start_index_map", ()), ir.integers_of(op, "slice_sizes")
    type, result = (dtypes.tensor_type(v.type) for v in (op.operands[0], op.results[0]))
    if len(starts) != 1 or sizes[starts[0]] != 1 or numbers.get("operand_batching_dims"):
        return None
    (dim,) = starts
    shape = [array.size if d == dim else size for d, size in enumerate(sizes)]
    if [n for n in shape if n != 1] != [n for n in result.static_shape if n != 1]:
        return None  # windows lie elsewhere in the result
    offsets = numbers.get("offset_dims", ())
    outer = [d for d in range(result.rank) if d not in offsets and result.static_shape[d] != 1]
    before = math.prod(result.static_shape[: min(outer, default=0)])
    if len(outer) != 1 or before != math.prod(shape[:dim]) or math.prod(shape[dim + 1 :]) >= _NEAR:
        return None
    runs = _runs(np.clip(array.reshape(-1).astype(np.int64), 0, type.static_shape[dim] - 1))
    if len(runs) > _RUNS:
        return None
    parts = []
    for first, step, count in runs:
        low = [min(first, first + step * (count - 1)) if d == dim else 0 for d in range(type.rank)]
        limits = [low[d] + (count if d == dim else sizes[d]) for d in range(type.rank)]
        part = sliced(build, op.operands[0], (low, limits, [1] * type.rank))
        if step < 0:
            turned = {"dimensions": mlir.i64_array_attr([dim])}
            part = build.value("stablehlo.reverse", (part,), part.type, turned)
        parts.append(part)
    attributes, whole = {"dimension": mlir.i64_attr(dim)}, type.with_shape(shape).mlir()
    joined = build.value("stablehlo.concatenate", parts, whole, attributes)
    if joined.type == op.results[0].type:
        return joined
    return build.value("stablehlo.reshape", (joined,), op.results[0].type)


def _runs(places: Array) -> list[tuple[int, int, int]]:
    """First places, steps of 1 or -1, and counts of runs that are all places, in order."""
    runs: list[tuple[int, int, int]] = []
    for place in places.tolist():
        first, step, count = runs[-1] if runs else (place, 0, 0)
        distance = place - (first + step * (count - 1))
        if count == 1 and abs(distance) == 1:
            runs[-1] = (first, distance, 2)
        elif count > 1 and distance == step:
            runs[-1] = (first, step, count + 1)
        else:
            runs.append((place, 1, 1))
    return runs
