"""``stablehlo.dynamic_reduce_window``: windows whose sizes are operands of a custom call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.dims import Dim, maximum
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    EQ,
    ULT,
    arithmetic,
    choose,
    compare,
    index_of,
    kernel_call,
    load,
    loop,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.emit.regions import inline
from shlo_tools.passes.legalize_to_linalg.scans import init_is_identity


@dataclass(frozen=True)
class _Windows:
    """One entry per dimension."""

    size: Sequence[Dim]
    stride: Sequence[Dim]
    base_dilation: Sequence[Dim]
    dilation: Sequence[Dim]
    low: Sequence[Dim]
    high: Sequence[Dim]


def dynamic_reduce_window(
    op: Operation, operands: Sequence[Value], build: Lowering, computation: Operation
) -> list[Value]:
    """Reduce windows of the first operands, which their init values and five shapes follow.

    Args:
        computation: the called function.
    """
    count = len(op.results)
    size, stride, base, apart, padding = (
        build.contents(value) for value in list(op.operands)[2 * count :]
    )
    windows = _Windows(size, stride, base, apart, padding[::2], padding[1::2])
    results = [build.type(result) for result in op.results]
    shape = build.type(op.operands[0]).shape
    scanned = _scanned_dimension(windows, shape)
    if scanned is not None and not init_is_identity(computation, list(op.operands)[count], count):
        scanned = None

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        state, tensors = arguments[:count], arguments[count : 2 * count]
        inits = [load(inner, scalar, []) for scalar in arguments[2 * count :]]
        if scanned is not None:
            forward = windows.low[scanned] != 0
            return _scan(computation, inner, (scanned, forward), shape, state, tensors, inits)
        return _reduce(
            computation, inner, windows, (shape, results[0].shape), state, tensors, inits
        )

    destinations = [structured.empty(build, type) for type in results]
    serial = len(build.conversion.kernels)  # the computation is no part of what makes it unique
    described = {"serial": mlir.i64_attr(serial)}
    return kernel_call(
        op, build, "reduce_window", destinations, operands[: 2 * count], body, described
    )


def _reduce(
    computation: Operation,
    build: Lowering,
    windows: _Windows,
    shapes: tuple[Sequence[Dim], Sequence[Dim]],
    state: Sequence[Value],
    tensors: Sequence[Value],
    inits: list[Value],
) -> Sequence[Value]:
    """Each window by itself; init values stand in the padding and between elements."""
    shape, counts = shapes
    ends = [  # of the operand with what stands between its elements
        structured.index(build, maximum(0, (size - 1) * base + 1) if base != 1 else size)
        for size, base in zip(shape, windows.base_dilation, strict=True)
    ]

    def window(b: Lowering, at: list[Value], carried: list[Value]) -> Sequence[Value]:
        def cell(c: Lowering, offsets: list[Value], values: list[Value]) -> Sequence[Value]:
            place, inside = _place(c, windows, at, offsets, ends)
            types = [init.type for init in inits]
            elements = choose(
                c, inside, types, lambda t: [load(t, x, place) for x in tensors], lambda _: inits
            )
            return inline(computation.regions[0], [*values, *elements], c)

        return _stored(b, nest(b, windows.size, inits, cell), carried, at)

    return nest(build, counts, state, window)


def _place(
    build: Lowering,
    windows: _Windows,
    at: Sequence[Value],
    offsets: Sequence[Value],
    ends: Sequence[Value],
) -> tuple[list[Value], Value]:
    """Where a cell of a window is in the operand, and whether it is there."""
    place: list[Value] = []
    inside = structured.scalar(build, True, ELEMENT_TYPES["i1"])
    for d, end in enumerate(ends):
        moved = arithmetic(build, "muli", at[d], index_of(build, windows.stride[d]))
        within = arithmetic(build, "muli", offsets[d], index_of(build, windows.dilation[d]))
        cell = arithmetic(build, "addi", moved, within)
        cell = arithmetic(build, "subi", cell, index_of(build, windows.low[d]))
        inside = arithmetic(build, "andi", inside, compare(build, ULT, cell, end))
        if windows.base_dilation[d] != 1:
            base = index_of(build, windows.base_dilation[d])
            rest = arithmetic(build, "remui", cell, base)
            whole = compare(build, EQ, rest, structured.index(build, 0))
            inside = arithmetic(build, "andi", inside, whole)
            cell = arithmetic(build, "divui", cell, base)
        place.append(cell)
    return place, inside


# --- scans ----------------------------------------------------------------------------------------
def _scanned_dimension(windows: _Windows, shape: Sequence[Dim]) -> int | None:
    """The dimension whose every prefix, or every suffix, is one window; see ``scans``."""
    moving = [d for d, size in enumerate(windows.size) if size != 1]
    if len(moving) != 1 or {*windows.stride, *windows.base_dilation, *windows.dilation} != {1}:
        return None
    (d,) = moving
    edges = list(zip(windows.low, windows.high, strict=True))
    here, rest = edges.pop(d), shape[d] - 1
    is_whole = windows.size[d] == shape[d] and here in ((rest, 0), (0, rest))
    return d if is_whole and set(edges) <= {(0, 0)} else None


def _scan(
    computation: Operation,
    build: Lowering,
    along: tuple[int, bool],
    shape: Sequence[Dim],
    state: Sequence[Value],
    tensors: Sequence[Value],
    inits: list[Value],
) -> Sequence[Value]:
    """Each result is the one before it combined with one more element."""
    d, forward = along
    zero, one = structured.index(build, 0), structured.index(build, 1)
    last = structured.index(build, shape[d] - 1)

    def step(b: Lowering, number: Value, outer: list[Value], rows: list[Value]) -> Sequence[Value]:
        before = arithmetic(b, "maxsi", arithmetic(b, "subi", number, one), zero)
        is_first = compare(b, EQ, number, zero)
        here = number
        if not forward:
            before, here = (arithmetic(b, "subi", last, place) for place in (before, number))

        def each(e: Lowering, inner: list[Value], carried: list[Value]) -> Sequence[Value]:
            where = [*outer, here, *inner]
            earlier = [load(e, x, [*outer, before, *inner]) for x in carried]
            kept = [
                e.value("arith.select", (is_first, *pair), pair[0].type)
                for pair in zip(inits, earlier, strict=True)
            ]
            elements = [load(e, x, where) for x in tensors]
            order = [*kept, *elements] if forward else [*elements, *kept]
            return _stored(e, inline(computation.regions[0], order, e), carried, where)

        return nest(b, shape[d + 1 :], rows, each)

    def row(b: Lowering, outer: list[Value], rows: list[Value]) -> Sequence[Value]:
        return loop(b, shape[d], rows, lambda c, number, carried: step(c, number, outer, carried))

    return nest(build, shape[:d], state, row)


def _stored(
    build: Lowering, values: Sequence[Value], tensors: Sequence[Value], where: Sequence[Value]
) -> list[Value]:
    pairs = zip(values, tensors, strict=True)
    return [store(build, value, tensor, where) for value, tensor in pairs]
