"""Windows: reductions of them as loops of a ``linalg.generic``, scans, and select_and_scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shlo_tools import mlir
from shlo_tools.dtypes import Array, ElementType, TensorType, from_attribute, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import padded
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, inline
from shlo_tools.passes.legalize_to_linalg.kernels import (
    arithmetic,
    choose,
    kernel_call,
    load,
    loop,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@dataclass(frozen=True)
class Windows:
    """The attributes of an op with windows, one entry per dimension."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    base_dilation: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @classmethod
    def of(cls, op: Operation) -> Windows:
        """Read from an op; what it leaves out is 1, or 0 for the padding."""
        size = tuple(op.attributes["window_dimensions"])
        padding = np.zeros((len(size), 2), np.int64)
        if "padding" in op.attributes:
            padding = from_attribute(op.attributes["padding"])

        def given(name: str) -> tuple[int, ...]:
            return tuple(op.attributes[name]) if name in op.attributes else (1,) * len(size)

        lists = (given(n) for n in ("window_strides", "base_dilations", "window_dilations"))
        return cls(size, *lists, tuple(padding[:, 0].tolist()), tuple(padding[:, 1].tolist()))

    @property
    def moving(self) -> list[int]:
        """The dimensions along which a window has more than one element."""
        return [d for d, size in enumerate(self.size) if size > 1]


def window_loops(result: Sequence[int], window_rank: int) -> tuple[list[int], list[int], list[str]]:
    """Loop numbers of the result's dimensions and of a window's, and the kinds of the loops.

    The loop over the result's last dimension is the innermost one, over neighbours in memory
    that do not depend on each other, and a window's loops stand just around it.
    """
    last = max((d for d, size in enumerate(result) if size > 1), default=len(result) - 1)
    outside = [d for d in range(len(result)) if d != last]
    count = len(outside) + window_rank + (len(result) > 0)
    numbers = {d: n for n, d in enumerate(outside)} | {last: count - 1}
    inner = list(range(len(outside), len(outside) + window_rank))
    kinds = ["reduction" if n in inner else "parallel" for n in range(count)]
    return [numbers[d] for d in range(len(result))], inner, kinds


# --- reduce_window --------------------------------------------------------------------------------
@lowers
def reduce_window(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    count = len(op.results)
    windows = Windows.of(op)
    results = [tensor_type(result.type) for result in op.results]
    inputs = [tensor_type(operand.type) for operand in list(op.operands)[:count]]
    init_values = [
        structured.extract(build, init, tensor_type(old.type).element_type)
        for init, old in zip(operands[count:], list(op.operands)[count:], strict=True)
    ]
    promoted = [
        cast_scalar(Emit(op, build), value, tensor_type(old.type).element_type, type.element_type)
        for value, old, type in zip(init_values, list(op.operands)[count:], results, strict=True)
    ]
    if results[0].size == 0:
        return [structured.empty(build, type) for type in results]
    scanned = _scanned_dimension(windows, inputs[0].static_shape)
    if scanned is not None:
        return _scan(op, build, operands[:count], promoted, windows, scanned)
    tensors = [
        _padded(build, value, type, init, windows)
        for value, type, init in zip(operands, inputs, init_values, strict=False)
    ]
    return _reduced(op, build, tensors, promoted, windows)


def _padded(
    build: Lowering, value: Value, type: TensorType, init: Value, windows: Windows
) -> Value:
    if not any((*windows.low, *windows.high)) and set(windows.base_dilation) <= {1}:
        return value
    interior = [dilation - 1 for dilation in windows.base_dilation]
    rows = zip(type.static_shape, windows.low, windows.high, interior, strict=True)
    shape = [low + n + max(0, n - 1) * gap + high for n, low, high, gap in rows]
    return padded(build, value, type, init, type.with_shape(shape), windows.low, interior)


def _reduced(
    op: Operation, build: Lowering, inputs: list[Value], init_values: list[Value], windows: Windows
) -> Sequence[Value]:
    """One loop per dimension of the result and of the window.

    A tensor of the window's shape, never read, tells the window loops' sizes.
    """
    count = len(inputs)
    results = [tensor_type(result.type) for result in op.results]
    elements = [tensor_type(value.type).element_type for value in list(op.operands)[:count]]
    outer, inner, kinds = window_loops(results[0].static_shape, len(windows.moving))
    places: list[str | int] = []
    for d, stride in enumerate(windows.stride):
        place = f"d{outer[d]} * {stride}"
        if d in windows.moving:
            place += f" + d{inner[windows.moving.index(d)]} * {windows.dilation[d]}"
        places.append(place)
    read = structured.affine_map(len(kinds), places)
    window = TensorType(tuple(windows.size[d] for d in windows.moving), elements[0])

    def body(into: Lowering, scalars: list[Value]) -> Sequence[Value]:
        accumulators = scalars[count + 1 :]
        values = _promoted(op, into, scalars[:count], elements, results)
        return inline(op.regions[0], [*accumulators, *values], into)

    return structured.generic(
        build,
        [*inputs, structured.empty(build, window)],
        [read] * count + [structured.affine_map(len(kinds), inner)],
        [structured.filled(build, *pair) for pair in zip(init_values, results, strict=True)],
        results,
        body,
        iterators=kinds,
        output_maps=[structured.affine_map(len(kinds), outer)] * count,
    )


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


# --- cumulative reductions ------------------------------------------------------------------------
def _scanned_dimension(windows: Windows, shape: Sequence[int]) -> int | None:
    """The dimension whose every prefix (or suffix) is one window, if there is one."""
    if len(windows.moving) != 1 or {*windows.stride, *windows.base_dilation} != {1}:
        return None
    d = windows.moving[0]
    rest = windows.size[d] - 1
    elsewhere = [e for axis in range(len(shape)) if axis != d for e in _edges(windows, axis)]
    if any(elsewhere) or windows.size[d] != shape[d] or windows.dilation[d] != 1:
        return None
    return d if _edges(windows, d) in ((rest, 0), (0, rest)) else None


def _edges(windows: Windows, dimension: int) -> tuple[int, int]:
    return windows.low[dimension], windows.high[dimension]


def _scan(
    op: Operation,
    build: Lowering,
    inputs: list[Value],
    init_values: list[Value],
    windows: Windows,
    dimension: int,
) -> Sequence[Value]:
    """Each window is its neighbour's and one element more: a loop that carries results along.

    A window of n elements and n - 1 - i cells of padding also folds n - i init values. Where
    those are not known to change nothing a second, one-dimensional scan provides them.
    """
    results = [tensor_type(result.type) for result in op.results]
    count, length = len(results), windows.size[dimension]
    forward = windows.low[dimension] > 0
    neutral = _is_identity(op)
    made = [structured.empty(build, type) for type in results]
    folded = [structured.empty(build, type.with_shape([length])) for type in results]
    inits = [
        structured.filled(build, value, type.with_shape(()))
        for value, type in zip(init_values, results, strict=True)
    ]
    attributes = {
        "dimension": mlir.integer_attr(dimension, mlir.integer_type(64)),
        "reverse": mlir.bool_attr(not forward),
        "neutral": mlir.bool_attr(neutral),
    }
    destinations = made if neutral else [*made, *folded]

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        state, given = arguments[: len(destinations)], arguments[len(destinations) :]
        emitter = _Scan(op, dimension, forward, results, given[:count], given[count:])
        if neutral:
            return emitter.rows(inner, state)
        folds = emitter.folded_inits(inner, state[count:])
        scanned = emitter.rows(inner, state[:count])
        return [*emitter.with_inits(inner, scanned, folds), *folds]

    called = kernel_call(op, build, "scan", destinations, [*inputs, *inits], body, attributes)
    return called[:count]


# The scalar that changes nothing under a body of one op; booleans and integers by their range.
_IDENTITIES = {
    "stablehlo.add": lambda low, high: (0,),
    "stablehlo.multiply": lambda low, high: (1,),
    "stablehlo.maximum": lambda low, high: (low,),
    "stablehlo.minimum": lambda low, high: (high,),
    "stablehlo.and": lambda low, high: (-1, high) if low else (high,),
    "stablehlo.or": lambda low, high: (0,),
    "stablehlo.xor": lambda low, high: (0,),
}
