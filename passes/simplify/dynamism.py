"""Ops whose sizes or positions are operands, where those are constants.

A constant that contradicts the types is left to fail at run time. ``?`` in a result stays as it
is: refining shapes is another pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.slicing import sliced
from shlo_tools.passes.simplify.values import (
    filled,
    held_integers,
    integers,
    source,
    static,
    typed,
    with_attributes,
)


def _gives_shape(op: Operation, shape: Value) -> bool:
    """Whether a constant holds the sizes that the result's type says."""
    type = static(op.results[0])
    return type is not None and held_integers(shape) == list(type.static_shape)


def _all_static(values: Sequence[Value]) -> bool:
    return all(static(value) is not None for value in values)


def broadcast(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_broadcast_in_dim(x, c) -> broadcast_in_dim(x)"""
    small, wide = static(op.operands[0]), static(op.results[0])
    if small is None or wide is None or not _gives_shape(op, op.operands[1]):
        return None
    dims = integers(op, "broadcast_dimensions")
    rows = zip(small.shape, dims, strict=True)
    if any(size not in (1, wide.shape[dim]) for size, dim in rows):
        return None
    held = {"broadcast_dimensions": op.attributes["broadcast_dimensions"]}
    result = op.results[0].type
    return [build.value("stablehlo.broadcast_in_dim", [op.operands[0]], result, held)]


def broadcast_to_own_shape(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_broadcast_in_dim(x, s) -> x, where no dimension is said to expand"""
    dims = integers(op, "broadcast_dimensions")
    kept = integers(op, "known_nonexpanding_dimensions")
    every = list(range(len(dims)))
    type = typed(op.results[0])
    if type is None or dims != every or sorted(kept) != every or type.rank != len(dims):
        return None
    return [op.operands[0]]


def reshape(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_reshape(x, c) -> reshape(x)"""
    given, result = static(op.operands[0]), static(op.results[0])
    if given is None or result is None or given.size != result.size:
        return None
    if not _gives_shape(op, op.operands[1]):
        return None
    return [build.value("stablehlo.reshape", [op.operands[0]], op.results[0].type)]


def reshape_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_reshape(reshape(x), s) -> dynamic_reshape(x, s); the same of a dynamic one"""
    inner = source(op.operands[0], "reshape", "dynamic_reshape")
    if inner is None:
        return None
    operands = [inner.operands[0], op.operands[1]]
    return [build.value(op.name, operands, op.results[0].type)]


def iota(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_iota(c) -> iota"""
    if not _gives_shape(op, op.operands[0]):
        return None
    held = {"iota_dimension": op.attributes["iota_dimension"]}
    return [build.value("stablehlo.iota", (), op.results[0].type, held)]


def pad(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_pad(x, y, c, d, e) -> pad(x, y)"""
    type, result = static(op.operands[0]), static(op.results[0])
    rows = [held_integers(value) for value in list(op.operands)[2:]]
    low, high, interior = rows
    if type is None or result is None or low is None or high is None or interior is None:
        return None
    if any(count < 0 for count in interior):
        return None
    columns = zip(type.static_shape, low, high, interior, strict=True)
    if list(result.shape) != [n + max(n - 1, 0) * i + a + b for n, a, b, i in columns]:
        return None
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    held = dict(zip(names, map(mlir.i64_array_attr, (low, high, interior)), strict=True))
    return [build.value("stablehlo.pad", list(op.operands)[:2], op.results[0].type, held)]


def gather(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_gather(x, i, c) -> gather(x, i)"""
    type, sizes = static(op.operands[0]), held_integers(op.operands[2])
    if type is None or sizes is None or not _all_static([op.operands[1], op.results[0]]):
        return None
    if any(not 0 <= n <= size for n, size in zip(sizes, type.static_shape, strict=True)):
        return None
    fields = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    names = ("collapsed_slice_dims", "operand_batching_dims")
    dropped = [d for name in names for d in fields.get(name, ())]
    result = static(op.results[0])
    kept = [n for d, n in enumerate(sizes) if d not in dropped]
    if result is None or any(sizes[d] > 1 for d in dropped):
        return None
    if kept != [result.shape[d] for d in fields.get("offset_dims", ())]:
        return None
    held = with_attributes(op, slice_sizes=mlir.i64_array_attr(sizes))
    return [build.value("stablehlo.gather", list(op.operands)[:2], op.results[0].type, held)]


def convolution(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_conv(x, y, c) -> convolution(x, y)"""
    padding = held_integers(op.operands[2])
    if padding is None or not _all_static([*op.operands, op.results[0]]):
        return None
    pairs = np.array(padding, np.int64).reshape(-1, 2)
    held = {name: held for name, held in with_attributes(op).items() if name != "padding"}
    held["padding"] = dtypes.to_attribute(pairs)
    return [build.value("stablehlo.convolution", list(op.operands)[:2], op.results[0].type, held)]


def cut(op: Operation, build: Rewriter) -> Replacement | None:
    """real_dynamic_slice(x, c, d, e) -> x[c:d:e]"""
    type, result = static(op.operands[0]), static(op.results[0])
    starts, limits, strides = (held_integers(value) for value in list(op.operands)[1:])
    if type is None or result is None or starts is None or limits is None or strides is None:
        return None
    rows = list(zip(starts, limits, strides, type.static_shape, strict=True))
    if any(not 0 <= start <= limit <= n or step <= 0 for start, limit, step, n in rows):
        return None
    if list(result.shape) != [len(range(*row[:3])) for row in rows]:
        return None
    return [sliced(build, op.operands[0], (starts, limits, strides))]


def size(op: Operation, build: Rewriter) -> Replacement | None:
    """get_dimension_size(x) -> c"""
    type = typed(op.operands[0])
    found = type.shape[_dimension(op)] if type is not None else None
    if not isinstance(found, int):
        return None
    made = filled(build, op.results[0], found)
    return None if made is None else [made]


def same_size(op: Operation, build: Rewriter) -> Replacement | None:
    """set_dimension_size(x, the size of x) -> x"""
    type, sizes = typed(op.operands[0]), held_integers(op.operands[1])
    if type is None or sizes is None or sizes[0] != type.shape[_dimension(op)]:
        return None
    return [op.operands[0]]


def _dimension(op: Operation) -> int:
    return int(op.attributes["dimension"].value)


RULES: Rules = {
    "stablehlo.dynamic_broadcast_in_dim": (broadcast, broadcast_to_own_shape),
    "stablehlo.dynamic_conv": (convolution,),
    "stablehlo.dynamic_gather": (gather,),
    "stablehlo.dynamic_iota": (iota,),
    "stablehlo.dynamic_pad": (pad,),
    "stablehlo.dynamic_reshape": (reshape, reshape_twice),
    "stablehlo.get_dimension_size": (size,),
    "stablehlo.real_dynamic_slice": (cut,),
    "stablehlo.set_dimension_size": (same_size,),
}
