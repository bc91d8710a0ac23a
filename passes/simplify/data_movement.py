"""Reshapes, transposes, broadcasts, reversals and counting."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, names_with
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import (
    filled,
    rebuilt,
    source,
    static,
    typed,
)


def _reshaped(op: Operation, build: Rewriter, value: Value) -> Replacement:
    return [build.value("stablehlo.reshape", [value], op.results[0].type)]


def _broadcast(op: Operation, build: Rewriter, value: Value, dims: Sequence[int]) -> Replacement:
    attributes = {"broadcast_dimensions": mlir.i64_array_attr(dims)}
    return [build.value("stablehlo.broadcast_in_dim", [value], op.results[0].type, attributes)]


# --- reshape --------------------------------------------------------------------------------------
def same_shape(op: Operation, build: Rewriter) -> Replacement | None:
    """reshape(x) -> x, to the shape that x has"""
    return [op.operands[0]] if static(op.operands[0]) else None


def reshape_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """reshape(reshape(x)) -> reshape(x)"""
    inner = source(op.operands[0], "reshape")
    return None if inner is None else _reshaped(op, build, inner.operands[0])


def reshape_of_one_element(op: Operation, build: Rewriter) -> Replacement | None:
    """reshape(broadcast_in_dim(x)) -> broadcast_in_dim(x), of a scalar"""
    inner = source(op.operands[0], "broadcast_in_dim")
    type = typed(inner.operands[0]) if inner is not None else None
    if inner is None or type is None or type.rank:
        return None
    return _broadcast(op, build, inner.operands[0], [])


# --- transpose ------------------------------------------------------------------------------------
def in_order(op: Operation, build: Rewriter) -> Replacement | None:
    """transpose(x, [0, 1, ...]) -> x"""
    permutation = ir.integers_of(op, "permutation")
    return [op.operands[0]] if permutation == sorted(permutation) else None


def transpose_twice(op: Operation, build: Build) -> list[Value] | None:
    """transpose(transpose(x, p), q) -> transpose(x, p[q]), or x"""
    inner = source(op.operands[0], "transpose")
    if inner is None:
        return None
    first = ir.integers_of(inner, "permutation")
    order = [first[d] for d in ir.integers_of(op, "permutation")]
    if order == sorted(order):
        return [inner.operands[0]]
    return rebuilt(op, build, [inner.operands[0]], permutation=mlir.i64_array_attr(order))


def transpose_of_broadcast(op: Operation, build: Rewriter) -> Replacement | None:
    """transpose(broadcast_in_dim(x, dims), p) -> broadcast_in_dim(x, [where p has them])"""
    inner = source(op.operands[0], "broadcast_in_dim")
    if inner is None:
        return None
    permutation = ir.integers_of(op, "permutation")
    dims = [permutation.index(d) for d in ir.integers_of(inner, "broadcast_dimensions")]
    return _broadcast(op, build, inner.operands[0], dims)


def transpose_of_units(op: Operation, build: Rewriter) -> Replacement | None:
    """transpose(x, p) -> reshape(x), where only dimensions of size 1 change places"""
    type = static(op.operands[0])
    if type is None or static(op.results[0]) is None:
        return None
    moved = [d for d in ir.integers_of(op, "permutation") if type.shape[d] != 1]
    return _reshaped(op, build, op.operands[0]) if moved == sorted(moved) else None


# --- broadcast_in_dim -----------------------------------------------------------------------------
def broadcast_to_itself(op: Operation, build: Build) -> list[Value] | None:
    """broadcast_in_dim(x, [0, 1, ...]) -> x, where nothing is stretched"""
    dims = ir.integers_of(op, "broadcast_dimensions")
    return [op.operands[0]] if dims == sorted(dims) and static(op.results[0]) else None


def broadcast_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """broadcast_in_dim(broadcast_in_dim(x, a), b) -> broadcast_in_dim(x, b[a])"""
    inner = source(op.operands[0], "broadcast_in_dim")
    if inner is None:
        return None
    outer = ir.integers_of(op, "broadcast_dimensions")
    dims = [outer[d] for d in ir.integers_of(inner, "broadcast_dimensions")]
    return _broadcast(op, build, inner.operands[0], dims)


def broadcast_without_copies(op: Operation, build: Rewriter) -> Replacement | None:
    """broadcast_in_dim(x, dims) -> reshape(x) or transpose(x), where x has as many elements"""
    operand, result = static(op.operands[0]), static(op.results[0])
    if operand is None or result is None or operand.size != result.size:
        return None
    dims = ir.integers_of(op, "broadcast_dimensions")
    if dims == sorted(dims):
        return _reshaped(op, build, op.operands[0])
    permutation = sorted(range(len(dims)), key=lambda d: dims[d])
    if [operand.shape[d] for d in permutation] != list(result.shape):
        return None
    attributes = {"permutation": mlir.i64_array_attr(permutation)}
    return [build.value("stablehlo.transpose", [op.operands[0]], op.results[0].type, attributes)]


def broadcast_of_transpose(op: Operation, build: Rewriter) -> Replacement | None:
    """broadcast_in_dim(transpose(x, p), dims) -> broadcast_in_dim(x, [dims of p's inverse])"""
    inner = source(op.operands[0], "transpose")
    if inner is None or static(inner.operands[0]) is None:
        return None
    outer, permutation = (
        ir.integers_of(op, "broadcast_dimensions"),
        ir.integers_of(inner, "permutation"),
    )
    dims = [outer[permutation.index(d)] for d in range(len(permutation))]
    return _broadcast(op, build, inner.operands[0], dims)


def broadcast_of_units(op: Operation, build: Rewriter) -> Replacement | None:
    """broadcast_in_dim(reshape(x), dims) -> broadcast_in_dim(x, dims), where dimensions of size 1
    are put into x"""
    inner = source(op.operands[0], "reshape")
    small = static(inner.operands[0]) if inner is not None else None
    middle = static(op.operands[0])
    if inner is None or small is None or middle is None or 1 in small.shape:
        return None
    if small.shape != tuple(size for size in middle.shape if size != 1):
        return None
    dims = ir.integers_of(op, "broadcast_dimensions")
    kept = [dim for dim, size in zip(dims, middle.shape, strict=True) if size != 1]
    return _broadcast(op, build, inner.operands[0], kept)


# --- reverse, iota --------------------------------------------------------------------------------
def reverse_of_units(op: Operation, build: Rewriter) -> Replacement | None:
    """reverse(x, dims) -> reverse(x, dims of more than one element); reverse(x, []) -> x"""
    type, dims = typed(op.operands[0]), ir.integers_of(op, "dimensions")
    if type is None:
        return [op.operands[0]] if not dims else None
    kept = [d for d in dims if type.shape[d] not in (0, 1)]
    if not kept:
        return [op.operands[0]]
    if kept == dims:
        return None
    return rebuilt(op, build, [op.operands[0]], dimensions=mlir.i64_array_attr(kept))


def reverse_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """reverse(reverse(x, a), b) -> reverse(x, those in one of a and b)"""
    inner = source(op.operands[0], "reverse")
    if inner is None or inner.operands[0].type != op.results[0].type:
        return None
    dims = {*ir.integers_of(inner, "dimensions")} ^ {*ir.integers_of(op, "dimensions")}
    if not dims:
        return [inner.operands[0]]
    return rebuilt(op, build, [inner.operands[0]], dimensions=mlir.i64_array_attr(sorted(dims)))


def count_one(op: Operation, build: Rewriter) -> Replacement | None:
    """iota -> 0, along a dimension of size 1"""
    type = static(op.results[0])
    if type is None or type.shape[ir.integer_of(op, "iota_dimension")] != 1:
        return None
    if type.element_type.name == "f8E8M0FNU":  # has no zero
        return None
    zero = filled(build, op.results[0], 0)
    return None if zero is None else [zero]


def count_once(op: Operation, build: Rewriter) -> Replacement | None:
    """iota(d) of several dimensions -> broadcast_in_dim(iota(0) of one, [d])"""
    type = static(op.results[0])
    if type is None or type.rank < 2:
        return None
    dimension = ir.integer_of(op, "iota_dimension")
    row = type.with_shape([type.shape[dimension]]).mlir()
    zero = {"iota_dimension": mlir.i64_attr(0)}
    return _broadcast(op, build, build.value("stablehlo.iota", (), row, zero), [dimension])


# --- elementwise ops of broadcasts ----------------------------------------------------------------
def before_broadcast(op: Operation, build: Rewriter) -> Replacement | None:
    """op(broadcast_in_dim(x), broadcast_in_dim(y)) -> broadcast_in_dim(op(x, y))"""
    inner = [source(value, "broadcast_in_dim") for value in op.operands]
    first = inner[0]
    result = typed(op.results[0])
    if first is None or result is None:
        return None
    dims = ir.integers_of(first, "broadcast_dimensions")
    small = static(first.operands[0])
    if small is None:
        return None
    for other in inner[1:]:
        if other is None or ir.integers_of(other, "broadcast_dimensions") != dims:
            return None
        type = static(other.operands[0])
        if type is None or type.shape != small.shape:
            return None
    few = small.with_element(result.element_type).mlir()
    operands = [one.operands[0] for one in inner if one is not None]
    attributes = {named: op.attributes[named] for named in _own(op)}
    return _broadcast(op, build, build.value(op.name, operands, few, attributes), dims)


def _own(op: Operation) -> list[str]:
    """Names of the attributes that are the op's, not those of other dialects."""
    return [name for name in op.attributes if "." not in name]


RULES: Rules = {
    "stablehlo.broadcast_in_dim": (
        broadcast_to_itself,
        broadcast_twice,
        broadcast_of_units,
        broadcast_without_copies,
        broadcast_of_transpose,
    ),
    "stablehlo.iota": (count_one, count_once),
    "stablehlo.reshape": (same_shape, reshape_twice, reshape_of_one_element),
    "stablehlo.reverse": (reverse_of_units, reverse_twice),
    "stablehlo.transpose": (
        in_order,
        transpose_twice,
        transpose_of_broadcast,
        transpose_of_units,
    ),
    **{
        name: (before_broadcast,)
        for name in names_with(Trait.ELEMENTWISE)
        if name.startswith("stablehlo.")
    },
}
