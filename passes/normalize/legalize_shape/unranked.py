"""Shapes whose rank only run time knows: vectors of unknown length."""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Value
from shlo_tools.passes.normalize.legalize_shape import integers, vectors
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, require
from shlo_tools.passes.normalize.legalize_shape.integers import I1, I64, constant, emit


def with_length(build: Lowering, vector: Value, length: int | None, name: str) -> Value:
    """A vector of the length that a type says; another length is an error."""
    have = vectors.length_of(vector)
    if length is None or have == length:
        return vector
    rank, expected = vectors.dimension_size(build, vector, 0), constant(build, length)
    holds = integers.compare(build, "EQ", rank, expected)
    message = f"{name}: a shape of rank {{0}}, not of {length}"
    require(build, demand(build, holds, message, (rank,)))
    attributes = {
        "start_indices": mlir.i64_array_attr([0]),
        "limit_indices": mlir.i64_array_attr([length]),
        "strides": mlir.i64_array_attr([1]),
    }
    return emit(build, "stablehlo.slice", (vector,), vectors.vector_type(length), attributes)


def of_any_length(build: Lowering, vector: Value) -> Value:
    """A vector as a ``tensor<?xi64>``."""
    type = vectors.vector_type(None)
    return vector if vector.type == type else emit(build, "stablehlo.convert", (vector,), type)


def padded(build: Lowering, vector: Value, low: Value, high: Value, value: int) -> Value:
    """A vector with ``low`` elements of a value before it, and ``high`` behind."""
    none = vectors.vector(build, [constant(build, 0)])
    edges = [vectors.vector(build, [amount]) for amount in (low, high)]
    operands = (vector, constant(build, value), *edges, none)
    return emit(build, "stablehlo.dynamic_pad", operands, vectors.vector_type(None))


def aligned(build: Lowering, a: Value, b: Value, fill: int, *, right: bool) -> tuple[Value, Value]:
    """Two vectors as long as the longer one, aligned at their ends (or at their starts)."""
    lengths = [vectors.dimension_size(build, vector, 0) for vector in (a, b)]
    longest = integers.binary(build, "maximum", *lengths)
    none = constant(build, 0)
    vectors_of_length = []
    for vector, length in zip((a, b), lengths, strict=True):
        missing = integers.binary(build, "subtract", longest, length)
        low, high = (missing, none) if right else (none, missing)
        vectors_of_length.append(padded(build, vector, low, high, fill))
    return vectors_of_length[0], vectors_of_length[1]


def broadcast(build: Lowering, a: Value, b: Value) -> tuple[Value, Value]:
    """The shape that two stretch to, and whether there is one."""
    a, b = aligned(build, a, b, 1, right=True)
    ones = filled(build, a, 1)
    of_one = [integers.compare(build, "EQ", vector, ones) for vector in (a, b)]
    same = integers.compare(build, "EQ", a, b)
    fits = integers.binary(build, "or", same, integers.binary(build, "or", *of_one))
    return integers.select(build, of_one[0], b, a), every(build, fits)


def equal(build: Lowering, a: Value, b: Value) -> Value:
    """Whether two shapes are equal."""
    ranks = [vectors.dimension_size(build, vector, 0) for vector in (a, b)]
    one_rank = integers.compare(build, "EQ", ranks[0], ranks[1])
    a, b = aligned(build, a, b, 0, right=False)
    alike = every(build, integers.compare(build, "EQ", a, b))
    return integers.binary(build, "and", one_rank, alike)


def filled(build: Lowering, vector: Value, value: int) -> Value:
    """A vector as long as another, of one value."""
    length = vectors.vector(build, [vectors.dimension_size(build, vector, 0)])
    attributes = {"broadcast_dimensions": mlir.i64_array_attr([])}
    operands = constant(build, value), length
    return emit(build, "stablehlo.dynamic_broadcast_in_dim", operands, vector.type, attributes)


def every(build: Lowering, conditions: Value) -> Value:
    return folded(build, conditions, "and", constant(build, 1, I1))


def product(build: Lowering, vector: Value) -> Value:
    return folded(build, vector, "multiply", constant(build, 1, I64))


def folded(build: Lowering, vector: Value, name: str, start: Value) -> Value:
    """All elements of a vector combined by an op."""
    attributes = {"dimensions": mlir.i64_array_attr([0])}
    reduction = build.op("stablehlo.reduce", (vector, start), (start.type,), attributes, regions=1)
    block, inner = build.block(reduction.regions[0], (start.type, start.type))
    total = inner.value(f"stablehlo.{name}", tuple(block.arguments), start.type)
    inner.op("stablehlo.return", (total,))
    return reduction.results[0]


def part(build: Lowering, vector: Value, start: Value, limit: Value) -> Value:
    """The elements from one position up to another."""
    one = vectors.vector(build, [constant(build, 1)])
    bounds = [vectors.vector(build, [position]) for position in (start, limit)]
    operands = (vector, *bounds, one)
    return emit(build, "stablehlo.real_dynamic_slice", operands, vectors.vector_type(None))


def at(build: Lowering, vector: Value, position: Value) -> Value:
    """The element at a position; any number where there is none."""
    none, one = constant(build, 0), constant(build, 1)
    # One more element: a vector without any has none to be read.
    longer = padded(build, vector, none, one, 1)
    attributes = {"slice_sizes": mlir.i64_array_attr([1])}
    single = vectors.vector_type(1)
    slice_ = emit(build, "stablehlo.dynamic_slice", (longer, position), single, attributes)
    return emit(build, "stablehlo.reshape", (slice_,), I64)


def joined(build: Lowering, a: Value, b: Value) -> Value:
    """One vector after the other."""
    attributes = {"dimension": mlir.i64_attr(0)}
    return emit(build, "stablehlo.concatenate", (a, b), vectors.vector_type(None), attributes)


def chosen(build: Lowering, condition: Value, on_true: Value, on_false: Value) -> Value:
    """One of two vectors, whose lengths may differ."""
    type = vectors.vector_type(None)
    choice = build.op("stablehlo.if", (condition,), (type,), regions=2)
    for region, vector in zip(choice.regions, (on_true, on_false), strict=True):
        _, inner = build.block(region, ())
        inner.op("stablehlo.return", (of_any_length(inner, vector),))
    return choice.results[0]
