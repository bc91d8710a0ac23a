"""Concatenations, slices, padding, and what reads or writes at given positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod

from shlo_tools import dtypes, ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import (
    has_one_use,
    held_integers,
    rebuilt,
    source,
    static,
)

Bounds = tuple[list[int], list[int], list[int]]  # starts, limits, strides


def bounds_of(op: Operation) -> Bounds:
    """Where a slice begins and ends, and its strides."""
    names = ("start_indices", "limit_indices", "strides")
    starts, limits, strides = (ir.integers_of(op, name) for name in names)
    return starts, limits, strides


def sliced(build: Build, value: Value, bounds: Bounds) -> Value:
    """A slice of a static tensor."""
    type = static(value)
    if type is None:
        raise ValueError(f"{value.type} is not static")
    starts, limits, strides = bounds
    rows = zip(starts, limits, strides, strict=True)
    shape = [len(range(*row)) for row in rows]
    names = ("start_indices", "limit_indices", "strides")
    attributes = dict(zip(names, map(mlir.i64_array_attr, bounds), strict=True))
    return build.value("stablehlo.slice", [value], type.with_shape(shape).mlir(), attributes)


def at_places(build: Build, value: Value, places: Mapping[int, int]) -> Value:
    """What a static tensor has at given places of some dimensions, without these."""
    type = dtypes.tensor_type(value.type)
    shape = type.static_shape
    starts = [places.get(d, 0) for d in range(type.rank)]
    limits = [places[d] + 1 if d in places else size for d, size in enumerate(shape)]
    if any(shape[d] != 1 for d in places):
        value = sliced(build, value, (starts, limits, [1] * type.rank))
    if not places:
        return value
    kept = type.with_shape(size for d, size in enumerate(shape) if d not in places)
    return build.value("stablehlo.reshape", (value,), kept.mlir())


# --- concatenate ----------------------------------------------------------------------------------
def concatenated(build: Rewriter, op: Operation, values: Sequence[Value]) -> Replacement:
    """The op with other operands; one operand is the result."""
    if len(values) == 1:
        return [values[0]]
    return rebuilt(op, build, values)


def of_nothing(op: Operation, build: Rewriter) -> Replacement | None:
    """concatenate(x, empty, y) -> concatenate(x, y); concatenate(x) -> x"""
    dimension = ir.integer_of(op, "dimension")
    types = [static(value) for value in op.operands]
    kept = [
        value
        for value, type in zip(op.operands, types, strict=True)
        if type is None or type.shape[dimension] != 0
    ]
    if not kept or (len(kept) == len(types) and len(kept) > 1):
        return None
    if len(kept) == 1 and kept[0].type != op.results[0].type:
        return None
    return concatenated(build, op, kept)


def flattened(op: Operation, build: Rewriter) -> Replacement | None:
    """concatenate(concatenate(x, y), z) -> concatenate(x, y, z)"""
    dimension, values = ir.integer_of(op, "dimension"), []
    for value in op.operands:
        inner = source(value, "concatenate")
        nested = (
            inner is not None
            and ir.integer_of(inner, "dimension") == dimension
            and has_one_use(inner)
        )
        values += list(inner.operands) if inner is not None and nested else [value]
    return rebuilt(op, build, values) if len(values) > len(op.operands) else None


def neighbours(op: Operation, build: Rewriter) -> Replacement | None:
    """concatenate(x[a:b], x[b:c]) -> x[a:c]"""
    dimension, values = ir.integer_of(op, "dimension"), list(op.operands)
    for index in range(len(values) - 1):
        bounds = _both(values[index], values[index + 1], dimension)
        if bounds is not None:
            whole = source(values[index], "slice")
            joined = sliced(build, whole.operands[0], bounds) if whole else values[index]
            kept = [*values[:index], joined, *values[index + 2 :]]
            return concatenated(build, op, kept)
    return None


def _both(left: Value, right: Value, dimension: int) -> Bounds | None:
    """The bounds of two slices together, if the second one goes on where the first one ends."""
    one, other = source(left, "slice"), source(right, "slice")
    if one is None or other is None or one.operands[0] != other.operands[0]:
        return None
    if static(one.operands[0]) is None:
        return None
    first, second = bounds_of(one), bounds_of(other)
    rows = zip(*first, *second, strict=True)
    for d, (start, limit, stride, next_start, next_limit, next_stride) in enumerate(rows):
        if d == dimension:
            if (stride, next_stride, limit) != (1, 1, next_start):
                return None
        elif (start, limit, stride) != (next_start, next_limit, next_stride):
            return None
    limits = [*first[1][:dimension], second[1][dimension], *first[1][dimension + 1 :]]
    return first[0], limits, first[2]


# --- slice ----------------------------------------------------------------------------------------
def whole(op: Operation, build: Build) -> list[Value] | None:
    """x[0:n] -> x"""
    return [op.operands[0]] if static(op.operands[0]) else None


def slice_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """x[a:b:s][c:d:t] -> x[a + c * s : ... : s * t]"""
    inner = source(op.operands[0], "slice")
    if inner is None or static(inner.operands[0]) is None:
        return None
    rows = zip(*bounds_of(inner)[::2], *bounds_of(op), strict=True)
    bounds = [_composed(*row) for row in rows]
    starts, limits, strides = ([row[i] for row in bounds] for i in range(3))
    return [sliced(build, inner.operands[0], (starts, limits, strides))]


def _composed(first: int, step: int, start: int, limit: int, stride: int) -> tuple[int, int, int]:
    begin = first + start * step
    end = first + (limit - 1) * step + 1 if limit > start else begin
    return begin, end, step * stride


def slice_of_concatenate(op: Operation, build: Rewriter) -> Replacement | None:
    """concatenate(x, y, z)[in y] -> y[...]"""
    inner = source(op.operands[0], "concatenate")
    if inner is None or static(op.results[0]) is None:
        return None
    types = [static(value) for value in inner.operands]
    dimension = ir.integer_of(inner, "dimension")
    starts, limits, strides = bounds_of(op)
    sizes = [type.static_shape[dimension] for type in types if type is not None]
    if len(sizes) < len(types) or starts[dimension] >= limits[dimension]:
        return None
    begins = [0, *accumulate(sizes)]
    start, limit = starts[dimension], limits[dimension]
    touched = [
        index
        for index, size in enumerate(sizes)
        if begins[index] < limit and begins[index] + size > start
    ]
    if len(touched) == len(sizes) or (len(touched) > 1 and not has_one_use(inner)):
        return None
    values = [inner.operands[index] for index in touched]
    part = values[0] if len(values) == 1 else _part(inner, build, values, dimension)
    moved = begins[touched[0]]
    starts[dimension], limits[dimension] = start - moved, limit - moved
    return [sliced(build, part, (starts, limits, strides))]


def _part(op: Operation, build: Rewriter, values: Sequence[Value], dimension: int) -> Value:
    types = [type for value in values if (type := static(value)) is not None]
    shape = list(types[0].static_shape)
    shape[dimension] = sum(type.static_shape[dimension] for type in types)
    attributes = {"dimension": op.attributes["dimension"]}
    return build.value(op.name, values, types[0].with_shape(shape).mlir(), attributes)


def slice_of_broadcast(op: Operation, build: Rewriter) -> Replacement | None:
    """broadcast_in_dim(x)[...] -> broadcast_in_dim(x), where only repetitions are cut off"""
    inner = source(op.operands[0], "broadcast_in_dim")
    small = static(inner.operands[0]) if inner is not None else None
    result = static(op.results[0])
    if inner is None or small is None or result is None:
        return None
    wide = static(op.operands[0])
    for size, dim in zip(small.shape, ir.integers_of(inner, "broadcast_dimensions"), strict=True):
        if wide is None or (size != 1 and result.shape[dim] != wide.shape[dim]):
            return None
    dims = {"broadcast_dimensions": inner.attributes["broadcast_dimensions"]}
    replacement = build.value(inner.name, [inner.operands[0]], op.results[0].type, dims)
    return [replacement]


# --- pad ------------------------------------------------------------------------------------------
def pad_nothing(op: Operation, build: Build) -> list[Value] | None:
    """pad(x, low = 0, high = 0, interior = 0) -> x"""
    every = [ir.integers_of(op, name) for name in _PADDING]
    return None if any(n for row in every for n in row) else [op.operands[0]]


_PADDING = ("edge_padding_low", "edge_padding_high", "interior_padding")


def pad_of_nothing(op: Operation, build: Rewriter) -> Replacement | None:
    """pad(empty, c) -> broadcast_in_dim(c)"""
    type = static(op.operands[0])
    if type is None or type.size or static(op.results[0]) is None:
        return None
    none = {"broadcast_dimensions": mlir.i64_array_attr([])}
    return [build.value("stablehlo.broadcast_in_dim", [op.operands[1]], op.results[0].type, none)]


def pad_less(op: Operation, build: Rewriter) -> Replacement | None:
    """pad(x, low < 0, high < 0) -> x[-low : n + high]"""
    type = static(op.operands[0])
    low, high, interior = (ir.integers_of(op, name) for name in _PADDING)
    if type is None or any(interior) or any(n > 0 for n in (*low, *high)):
        return None
    starts = [-n for n in low]
    limits = [size + n for size, n in zip(type.static_shape, high, strict=True)]
    if any(start > limit for start, limit in zip(starts, limits, strict=True)):
        return None
    return [sliced(build, op.operands[0], (starts, limits, [1] * type.rank))]


# --- at positions ---------------------------------------------------------------------------------
def _clamped(starts: Sequence[int], shape: Sequence[int], sizes: Sequence[int]) -> list[int]:
    rows = zip(starts, shape, sizes, strict=True)
    return [min(max(start, 0), dim - size) for start, dim, size in rows]


def dynamic_slice_of_all(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_slice(x, i, sizes of x) -> x"""
    return [op.operands[0]] if static(op.operands[0]) else None


def dynamic_slice_at_constant(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_slice(x, c) -> x[c : c + sizes], c clamped"""
    type = static(op.operands[0])
    rows = [held_integers(value) for value in list(op.operands)[1:]]
    if type is None or any(row is None for row in rows):
        return None
    sizes = ir.integers_of(op, "slice_sizes")
    starts = _clamped([row[0] for row in rows if row], type.static_shape, sizes)
    limits = [start + size for start, size in zip(starts, sizes, strict=True)]
    return [sliced(build, op.operands[0], (starts, limits, [1] * len(sizes)))]


def update_all(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_update_slice(x, y, i) -> y, where y has the size of x; x, where y has no elements"""
    update = static(op.operands[1])
    if update is None or static(op.operands[0]) is None:
        return None
    return [op.operands[0] if not update.size else op.operands[1]]


def gather_one(op: Operation, build: Rewriter) -> Replacement | None:
    """gather(x, c) -> reshape(x[c : c + sizes]), where c is one index"""
    operand, indices = static(op.operands[0]), static(op.operands[1])
    positions, result = held_integers(op.operands[1]), static(op.results[0])
    if operand is None or indices is None or positions is None or result is None:
        return None
    fields = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    index_map = fields.get("start_index_map", ())
    if len(positions) != len(index_map) or fields.get("operand_batching_dims"):
        return None
    starts = [0] * operand.rank
    for d, start in zip(index_map, positions, strict=True):
        starts[d] = start
    sizes = ir.integers_of(op, "slice_sizes")
    if prod(sizes) != result.size:  # slices of nothing along a dimension that is left out
        return None
    starts = _clamped(starts, operand.static_shape, sizes)
    limits = [start + size for start, size in zip(starts, sizes, strict=True)]
    part = sliced(build, op.operands[0], (starts, limits, [1] * len(sizes)))
    return [build.value("stablehlo.reshape", [part], op.results[0].type)]


RULES: Rules = {
    "stablehlo.concatenate": (of_nothing, flattened, neighbours),
    "stablehlo.dynamic_slice": (dynamic_slice_of_all, dynamic_slice_at_constant),
    "stablehlo.dynamic_update_slice": (update_all,),
    "stablehlo.gather": (gather_one,),
    "stablehlo.pad": (pad_nothing, pad_of_nothing, pad_less),
    "stablehlo.slice": (whole, slice_twice, slice_of_concatenate, slice_of_broadcast),
}
