"""Windows: reductions of them as loops of a ``linalg.generic``, and choosing from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from shlo_tools import mlir
from shlo_tools.dims import Dim, at_most, maximum, minimum
from shlo_tools.dtypes import ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.windows import dilated
from shlo_tools.passes.legalize_to_linalg import scans
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import padded
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    SLT,
    arithmetic,
    choose,
    compare,
    kernel_call,
    load,
    loop,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.emit.regions import computed, inline
from shlo_tools.passes.legalize_to_linalg.rules import lowers
from shlo_tools.passes.legalize_to_linalg.window_attributes import Windows
from shlo_tools.passes.llvm.limit_fusion import cut_off

_LONG = 1 << 16  # elements along a window that take a while


def window_loops(result: Sequence[Dim], window_rank: int) -> tuple[list[int], list[int], list[str]]:
    """Loop numbers of the result's dimensions and of a window's, and the kinds of the loops.

    The loop over the result's last dimension is the innermost one, over neighbours in memory
    that do not depend on each other, and a window's loops stand just around it.
    """
    last = max((d for d, size in enumerate(result) if size != 1), default=len(result) - 1)
    outside = [d for d in range(len(result)) if d != last]
    count = len(outside) + window_rank + (len(result) > 0)
    numbers = {d: n for n, d in enumerate(outside)} | {last: count - 1}
    inner = list(range(len(outside), len(outside) + window_rank))
    kinds = ["reduction" if n in inner else "parallel" for n in range(count)]
    return [numbers[d] for d in range(len(result))], inner, kinds


def once(build: Lowering, value: Value) -> Value:
    """``value``, of which windows read elements several times.

    Cut off, so that fusion does not compute an element each time it is read.
    """
    return cut_off(build, value) if mlir.is_result_of(value, ("linalg.generic",)) else value


# --- reduce_window --------------------------------------------------------------------------------
@lowers
def reduce_window(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    count = len(op.results)
    windows = Windows.of(op)
    results = [build.type(result) for result in op.results]
    inputs = [build.type(operand) for operand in list(op.operands)[:count]]
    init_values = [
        structured.extract(build, init, tensor_type(old.type).element_type)
        for init, old in zip(operands[count:], list(op.operands)[count:], strict=True)
    ]
    promoted = [
        cast_scalar(Emit(op, build), value, tensor_type(old.type).element_type, type.element_type)
        for value, old, type in zip(init_values, list(op.operands)[count:], results, strict=True)
    ]
    if 0 in results[0].shape:
        return [structured.empty(build, type) for type in results]
    pattern = scans.find(windows, inputs[0].shape)
    if pattern is not None:
        return scans.scan(op, build, operands[:count], promoted, pattern)
    tensors = [
        _padded(build, value, type, init, windows)
        for value, type, init in zip(operands, inputs, init_values, strict=False)
    ]
    return _reduced(op, build, tensors, promoted, windows)


def _padded(
    build: Lowering, value: Value, type: TensorType, init: Value, windows: Windows
) -> Value:
    if not any((*windows.low, *windows.high)) and set(windows.base_dilation) <= {1}:
        reach = [(n - 1) * apart for n, apart in zip(windows.size, windows.dilation, strict=True)]
        overlap = any(windows.stride[d] <= reach[d] for d in windows.moving)
        return once(build, value) if overlap else value
    interior = [dilation - 1 for dilation in windows.base_dilation]
    shape = type.with_shape(_padded_shape(type, windows))
    return padded(build, value, type, init, shape, windows.low, interior)


def _padded_shape(type: TensorType, windows: Windows) -> list[Dim]:
    rows = zip(type.shape, windows.low, windows.high, windows.base_dilation, strict=True)
    return [maximum(0, low + dilated(n, apart) + high) for n, low, high, apart in rows]


def _window_shape(type: TensorType, windows: Windows) -> list[Dim]:
    """Sizes of the loops over a window. One that is larger than the tensor is nowhere, and must not
    take long to be so."""
    rows = zip(windows.size, _padded_shape(type, windows), strict=True)
    sizes: list[Dim] = [n if n < _LONG else minimum(n, whole) for n, whole in rows]
    return [sizes[d] for d in windows.moving]


def _reduced(
    op: Operation, build: Lowering, inputs: list[Value], init_values: list[Value], windows: Windows
) -> Sequence[Value]:
    """One loop per dimension of the result and of the window.

    A tensor of the window's shape, never read, tells the window loops' sizes.
    """
    count = len(inputs)
    results = [build.type(result) for result in op.results]
    elements = [tensor_type(value.type).element_type for value in list(op.operands)[:count]]
    outer, inner, kinds = window_loops(results[0].shape, len(windows.moving))
    places: list[str | int] = []
    for d, stride in enumerate(windows.stride):
        place = f"d{outer[d]} * {stride}"
        if d in windows.moving:
            place += f" + d{inner[windows.moving.index(d)]} * {windows.dilation[d]}"
        places.append(place)
    source_map = structured.affine_map(len(kinds), places)
    shape = _window_shape(build.type(op.operands[0]), windows)
    window = TensorType(tuple(shape), elements[0])

    def body(into: Lowering, scalars: list[Value]) -> Sequence[Value]:
        accumulators = scalars[count + 1 :]
        values = _promoted(op, into, scalars[:count], elements, results)
        return inline(op.regions[0], [*accumulators, *values], into)

    return computed(
        op,
        build,
        _extents(results[0].shape, window.shape, outer, inner),
        [*inputs, structured.empty(build, window)],
        [source_map] * count + [structured.affine_map(len(kinds), inner)],
        [structured.filled(build, *pair) for pair in zip(init_values, results, strict=True)],
        results,
        body,
        [structured.affine_map(len(kinds), outer)] * count,
        kinds,
    )


def _extents(
    result: Sequence[Dim], window: Sequence[Dim], outer: Sequence[int], inner: Sequence[int]
) -> list[Dim]:
    """How far each loop counts, whichever order the loops have."""
    sizes = dict(zip((*outer, *inner), (*result, *window), strict=True))
    return [sizes[loop] for loop in range(len(sizes))]


def _promoted(
    op: Operation,
    build: Lowering,
    values: Sequence[Value],
    elements: Sequence[ElementType],
    results: Sequence[TensorType],
) -> list[Value]:
    """Elements as the body takes them."""
    rows = zip(values, elements, results, strict=True)
    return [
        cast_scalar(Emit(op, build), value, element, type.element_type)
        for value, element, type in rows
    ]


# --- select_and_scatter ---------------------------------------------------------------------------
@lowers
def select_and_scatter(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Loops over the windows in order; each finds its element, then adds the source's there."""
    windows = Windows.of(op)
    operand, source, init = (build.type(value) for value in op.operands)
    result = build.type(op.results[0])
    value = structured.extract(build, operands[2], init.element_type)
    promoted = _promoted(op, build, [value], [init.element_type], [result])
    filled = structured.filled(build, promoted[0], result)

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        target, elements, sources = arguments

        def one(b: Lowering, positions: list[Value], state: list[Value]) -> Sequence[Value]:
            bounds = [
                _bounds(b, windows, d, position, operand.shape[d])
                for d, position in enumerate(positions)
            ]

            def apply(then: Lowering) -> Sequence[Value]:
                where = _selected(op, then, elements, windows, bounds)
                element = load(then, sources, positions)
                values = _promoted(op, then, [element], [source.element_type], [result])
                old = load(then, state[0], where)
                combined = inline(op.regions[1], [old, *values], then)[0]
                return [store(then, combined, state[0], where)]

            if not _may_be_empty(windows, operand.shape, source.shape):
                return apply(b)
            types = [tensor.type for tensor in state]
            return choose(b, _any_inside(b, bounds), types, apply, lambda _: state)

        return nest(inner, source.shape, [target], one)

    described = {name: op.attributes[name] for name in _NAMES if name in op.attributes}
    return kernel_call(op, build, "select_and_scatter", [filled], operands[:2], body, described)


_NAMES = ("window_dimensions", "window_strides", "padding")
Bounds = tuple[Value, Value]  # the first place of a window within the operand, and past the last


def _bounds(build: Lowering, windows: Windows, d: int, position: Value, size: Dim) -> Bounds:
    """Where window ``position`` begins and ends within a dimension of ``size`` elements."""
    start = arithmetic(build, "muli", position, structured.index(build, windows.stride[d]))
    if windows.low[d]:
        start = arithmetic(build, "subi", start, structured.index(build, windows.low[d]))
    end = arithmetic(build, "addi", start, structured.index(build, windows.size[d]))
    if windows.low[d] > 0:
        start = arithmetic(build, "maxsi", start, structured.index(build, 0))
    if windows.high[d] > 0:
        end = arithmetic(build, "minsi", end, structured.index(build, size))
    return start, end


def _may_be_empty(windows: Windows, shape: Sequence[Dim], counts: Sequence[Dim]) -> bool:
    """Whether some window lies in the padding altogether, or may."""
    last = [(n - 1) * stride for n, stride in zip(counts, windows.stride, strict=True)]
    return any(
        windows.size[d] <= windows.low[d] or at_most(size, last[d] - windows.low[d]) is not False
        for d, size in enumerate(shape)
    )


def _any_inside(build: Lowering, bounds: Sequence[Bounds]) -> Value:
    inside = [compare(build, SLT, start, end) for start, end in bounds]
    return reduce(partial(arithmetic, build, "andi"), inside)


def _selected(
    op: Operation,
    build: Lowering,
    elements: Value,
    windows: Windows,
    bounds: Sequence[Bounds],
) -> list[Value]:
    """Where the selected element of a window is; the window holds at least one.

    The first element meets itself once: whichever is kept, it is the same.
    """
    starts = [start for start, _ in bounds]
    counts = [arithmetic(build, "subi", *reversed(bounds[d])) for d in windows.moving]

    def step(b: Lowering, offsets: list[Value], state: list[Value]) -> Sequence[Value]:
        best, *kept = state
        where = list(starts)
        for d, offset in zip(windows.moving, offsets, strict=True):
            where[d] = arithmetic(b, "addi", starts[d], offset)
        here = [where[d] for d in windows.moving]
        element = load(b, elements, where)
        keep = inline(op.regions[0], [best, element], b)[0]
        pairs = zip([best, *kept], [element, *here], strict=True)
        return [b.value("arith.select", (keep, *pair), pair[0].type) for pair in pairs]

    def level(b: Lowering, offsets: list[Value], state: list[Value]) -> Sequence[Value]:
        if len(offsets) == len(counts):
            return step(b, offsets, state)
        count = counts[len(offsets)]
        return loop(
            b,
            count,
            state,
            lambda inner, i, state_inside: level(inner, [*offsets, i], state_inside),
        )

    first = [load(build, elements, starts), *(starts[d] for d in windows.moving)]
    _, *position = level(build, [], first)
    where = list(starts)
    for d, place in zip(windows.moving, position, strict=True):
        where[d] = place
    return where
