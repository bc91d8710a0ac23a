"""Reading and writing at computed positions: gather, scatter, dynamic slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.constraints import Fact
from shlo_tools.dims import Dim, at_most, maximum, minimum, product
from shlo_tools.dtypes import ElementType, Kind, TensorType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS, SCATTER_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.data_movement import extracted, inserted
from shlo_tools.passes.legalize_to_linalg.emit import size_checks, structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    ULT,
    arithmetic,
    choose,
    compare,
    kernel_call,
    load,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.emit.regions import inline
from shlo_tools.passes.legalize_to_linalg.rules import lowers
from shlo_tools.passes.memory.buffers import copied


def as_index(build: Lowering, value: Value, type: ElementType) -> Value:
    """An integer as an index; an unsigned one keeps its value."""
    name = "arith.index_cast" if type.kind is Kind.SIGNED else "arith.index_castui"
    return build.value(name, (value,), mlir.index_type())


def clamped(build: Lowering, value: Value, most: Value, type: ElementType) -> Value:
    """An integer of element type ``type`` as an index within [0, most].

    A large unsigned number stays large: 255 of ui8 is not -1, nor is 2^63 of ui64.
    """
    index = as_index(build, value, type)
    if type.kind is not Kind.SIGNED:
        return arithmetic(build, "minui", index, most)
    return arithmetic(build, "maxsi", arithmetic(build, "minsi", index, most), _zero(build))


def _zero(build: Lowering) -> Value:
    return structured.index(build, 0)


# --- dynamic slices -------------------------------------------------------------------------------
def _starts(
    op: Operation, scalars: Sequence[Value], build: Lowering, first: int, window: TensorType
) -> list[Value]:
    """Clamped start indices from 0-dimensional operands ``first`` and on."""
    operand = build.type(op.operands[0])
    starts = []
    for d, scalar in enumerate(scalars):
        type = tensor_type(op.operands[first + d].type).element_type
        value = structured.extract(build, scalar, type)
        most = structured.index(build, operand.shape[d] - window.shape[d])
        starts.append(clamped(build, value, most, type))
    return starts


@lowers
def dynamic_slice(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])
    if 0 in result.shape:
        return [structured.empty(build, result)]
    starts = _starts(op, operands[1:], build, 1, result)
    return [extracted(build, operands[0], result, starts, [1] * result.rank)]


@lowers
def dynamic_update_slice(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, update, *starts = operands
    window = build.type(op.operands[1])
    if 0 in window.shape:
        return [operand]
    offsets = _starts(op, starts, build, 2, window)
    if not window.is_static:  # or it would be computed in there before it is checked to fit
        update = copied(build, update)
    return [inserted(build, update, operand, offsets, window.shape, [1] * window.rank)]


# --- gather ---------------------------------------------------------------------------------------
@lowers
def gather(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return gathered(op, operands, build, ir.integers_of(op, "slice_sizes"))


def gathered(
    op: Operation, operands: list[Value], build: Lowering, slice_sizes: Sequence[Dim]
) -> Sequence[Value]:
    """Per result element: clamp its slice's start into bounds, add its place in the slice.

    A slice of size 0 along a dimension that is dropped reads one element all the same.
    """
    numbers = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    operand, indices = (build.type(value) for value in list(op.operands)[:2])
    result = build.type(op.results[0])
    if 0 in result.shape:
        return [structured.empty(build, result)]
    offset_dims = numbers.get("offset_dims", ())
    dropped = {
        *numbers.get("collapsed_slice_dims", ()),
        *numbers.get("operand_batching_dims", ()),
    }
    for d in dropped:
        if not at_most(1, slice_sizes[d]):
            something = Fact("<=", minimum(1, product(result.shape)), operand.shape[d])
            size_checks.check(op, something, "there is no element to take", build)
    most = [
        structured.index(build, dim - maximum(1, size))
        for dim, size in zip(operand.shape, slice_sizes, strict=True)
    ]

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        positions = [structured.position(inner, d) for d in range(result.rank)]
        batch = [p for d, p in enumerate(positions) if d not in offset_dims]
        place = _places(inner, numbers, operands[1], indices, batch, most)
        kept = [d for d in range(operand.rank) if d not in dropped]
        for d, offset in zip(kept, offset_dims, strict=True):
            place[d] = _plus(inner, place.get(d), positions[offset])
        where = [place.get(d) or _zero(inner) for d in range(operand.rank)]
        return [load(inner, operands[0], where)]

    outputs = [structured.empty(build, result)]
    return structured.generic(build, [], [], outputs, [result], body)


def _plus(build: Lowering, start: Value | None, offset: Value) -> Value:
    return offset if start is None else arithmetic(build, "addi", start, offset)


def _places(
    build: Lowering,
    numbers: Mapping[str, Any],
    start_indices: Value,
    indices: TensorType,
    batch: Sequence[Value],
    most: Sequence[Value] | None,
) -> dict[int, Value]:
    """Operand dimension -> start of a slice there, for the batch position ``batch``.

    Clamped to [0, most] where ``most`` is given; else as they are.
    """
    vector_dim = numbers.get("index_vector_dim", 0)
    operand_map = numbers.get("start_index_map", numbers.get("scatter_dims_to_operand_dims", ()))
    place: dict[int, Value] = {}
    for component, dimension in enumerate(operand_map):
        where = list(batch)
        if vector_dim < indices.rank:
            where.insert(vector_dim, structured.index(build, component))
        start = load(build, start_indices, where)
        element = indices.element_type
        place[dimension] = (
            clamped(build, start, most[dimension], element)
            if most is not None
            else _beyond_reach(build, start, element)
        )
    batching = numbers.get("operand_batching_dims", numbers.get("input_batching_dims", ()))
    in_indices = numbers.get(
        "start_indices_batching_dims", numbers.get("scatter_indices_batching_dims", ())
    )
    for dimension, at in zip(batching, in_indices, strict=True):
        place[dimension] = batch[at - (at > vector_dim)]
    return place


FAR = 1 << 62  # outside of any tensor, and no offset added to it wraps around


def _beyond_reach(build: Lowering, start: Value, type: ElementType) -> Value:
    """A start as it is, or one as far outside to which offsets can be added."""
    index = as_index(build, start, type)
    if type.kind is Kind.SIGNED:
        return index
    return arithmetic(build, "minui", index, structured.index(build, FAR))


# --- scatter --------------------------------------------------------------------------------------
@lowers
def scatter(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Loops over the updates in order; an element out of bounds is skipped, not its window."""
    count = len(op.results)
    inputs, start_indices, updates = operands[:count], operands[count], operands[count + 1 :]
    numbers = SCATTER_DIMENSION_NUMBERS.decode(op.attributes["scatter_dimension_numbers"])
    operand, indices, update = (build.type(op.operands[n]) for n in (0, count, count + 1))

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        starts, sources = arguments[count], arguments[count + 1 :]
        shape = [structured.index(inner, size) for size in operand.shape]

        def one(b: Lowering, positions: list[Value], state: list[Value]) -> Sequence[Value]:
            where = _target(b, numbers, starts, indices, positions, operand.rank)
            inside = _in_bounds(b, where, shape)
            types = [value.type for value in state]

            def apply(then: Lowering) -> Sequence[Value]:
                old = [load(then, tensor, where) for tensor in state]
                new = [load(then, tensor, positions) for tensor in sources]
                values = inline(op.regions[0], [*old, *new], then)
                pairs = zip(values, state, strict=True)
                return [store(then, value, tensor, where) for value, tensor in pairs]

            return choose(b, inside, types, apply, lambda _: state)

        return nest(inner, update.shape, arguments[:count], one)

    described = {"dimension_numbers": op.attributes["scatter_dimension_numbers"]}
    sources = [start_indices, *updates]
    return kernel_call(op, build, "scatter", inputs, sources, body, described)


def _target(
    build: Lowering,
    numbers: Mapping[str, Any],
    starts: Value,
    indices: TensorType,
    positions: Sequence[Value],
    rank: int,
) -> list[Value]:
    """Where in the operand an update's element goes; possibly out of bounds."""
    window = numbers.get("update_window_dims", ())
    batch = [p for d, p in enumerate(positions) if d not in window]
    place = _places(build, numbers, starts, indices, batch, None)
    dropped = {*numbers.get("inserted_window_dims", ()), *numbers.get("input_batching_dims", ())}
    kept = [d for d in range(rank) if d not in dropped]
    for dimension, at in zip(kept, window, strict=True):
        place[dimension] = _plus(build, place.get(dimension), positions[at])
    return [place.get(d) or _zero(build) for d in range(rank)]


def _in_bounds(build: Lowering, where: Sequence[Value], shape: Sequence[Value]) -> Value:
    """Whether every index lies inside; a negative one is large when read as unsigned."""
    inside = build.value(
        "arith.constant", (), mlir.integer_type(1), {"value": mlir.bool_attr(True)}
    )
    for index, size in zip(where, shape, strict=True):
        fits = compare(build, ULT, index, size)
        inside = arithmetic(build, "andi", inside, fits)
    return inside
