"""Scans: cumulative sums and the like, which StableHLO writes as windows over whole dimensions.

Each window is its neighbour's and one element more, so a loop carries the results along, where
the windows themselves would take quadratic time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import ElementType, Kind, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    arithmetic,
    kernel_call,
    load,
    loop,
    nest,
    store,
)
from shlo_tools.passes.legalize_to_linalg.emit.regions import inline
from shlo_tools.passes.legalize_to_linalg.window_attributes import Windows


@dataclass(frozen=True)
class Scan:
    """A dimension whose every prefix (or suffix, where not ``forward``) is one window."""

    dimension: int
    forward: bool


def find(windows: Windows, shape: Sequence[Dim]) -> Scan | None:
    """The scan that an op's windows over a tensor of ``shape`` are, if they are one."""
    if len(windows.moving) != 1 or {*windows.stride, *windows.base_dilation} != {1}:
        return None
    d = windows.moving[0]
    rest = shape[d] - 1
    elsewhere = [*windows.low, *windows.high]
    low, high = elsewhere[d], elsewhere[d + len(shape)]
    elsewhere[d] = elsewhere[d + len(shape)] = 0
    whole = windows.size[d] == shape[d] and windows.dilation[d] == 1
    if any(elsewhere) or not whole or (low, high) not in ((rest, 0), (0, rest)):
        return None
    return Scan(d, forward=low > 0)


def scan(
    op: Operation,
    build: Lowering,
    inputs: Sequence[Value],
    init_values: Sequence[Value],
    pattern: Scan,
) -> Sequence[Value]:
    """A kernel call that writes one result after the other.

    A window of i + 1 elements also folds n - i init values: the cells of padding, and the one to
    begin with. Unless they are known to change nothing, a scan of them alone provides them.
    """
    results = [build.type(result) for result in op.results]
    count, length = len(results), results[0].shape[pattern.dimension]
    neutral = init_is_identity(op, op.operands[count], count)
    destinations = [structured.empty(build, type) for type in results]
    if not neutral:
        destinations += [structured.empty(build, type.with_shape([length])) for type in results]
    inits = [
        structured.filled(build, value, type.with_shape(()))
        for value, type in zip(init_values, results, strict=True)
    ]

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        state, elements = arguments[: len(destinations)], arguments[len(destinations) :]
        init = [load(inner, tensor, []) for tensor in elements[count:]]
        if neutral:
            return _scanned(op, inner, pattern, state, elements[:count], init)
        scanned = _scanned(op, inner, pattern, state[:count], elements[:count], None)
        folded = _folded(op, inner, state[count:], init, length)
        return [*_with_inits(op, inner, pattern, scanned, folded), *folded]

    attributes = {
        "dimension": mlir.i64_attr(pattern.dimension),
        "reverse": mlir.bool_attr(not pattern.forward),
        "neutral": mlir.bool_attr(neutral),
    }
    return kernel_call(op, build, "scan", destinations, [*inputs, *inits], body, attributes)[:count]


def _scanned(
    op: Operation,
    build: Lowering,
    pattern: Scan,
    results: Sequence[Value],
    inputs: Sequence[Value],
    init: list[Value] | None,
) -> Sequence[Value]:
    """The first element (with the init values, if given), then each with the result before it."""
    shape = build.type(op.results[0]).shape
    d, length = pattern.dimension, shape[pattern.dimension]
    last = length - 1

    def row(b: Lowering, outer: list[Value], state: list[Value]) -> Sequence[Value]:
        def first(c: Lowering, inner: list[Value], tensors: list[Value]) -> Sequence[Value]:
            where = [*outer, structured.index(c, 0 if pattern.forward else last), *inner]
            elements = _elements(op, c, inputs, where)
            values = elements if init is None else _combined(op, c, pattern, init, elements)
            return _stored(c, values, tensors, where)

        def next(c: Lowering, step: Value, tensors: list[Value]) -> Sequence[Value]:
            one = structured.index(c, 1)
            before, here = arithmetic(c, "subi", step, one), step
            if not pattern.forward:
                end = structured.index(c, last)
                before, here = (arithmetic(c, "subi", end, place) for place in (before, step))

            def each(e: Lowering, inner: list[Value], rows: list[Value]) -> Sequence[Value]:
                elements = _elements(op, e, inputs, [*outer, here, *inner])
                kept = [load(e, tensor, [*outer, before, *inner]) for tensor in rows]
                values = _combined(op, e, pattern, kept, elements)
                return _stored(e, values, rows, [*outer, here, *inner])

            return nest(c, shape[d + 1 :], tensors, each)

        return loop(b, length, nest(b, shape[d + 1 :], state, first), next, start=1)

    return nest(build, shape[:d], results, row)


def _elements(
    op: Operation, build: Lowering, inputs: Sequence[Value], where: Sequence[Value]
) -> list[Value]:
    """The inputs' elements at a place, as the body takes them."""
    e = Emit(op, build)
    return [
        cast_scalar(e, load(build, tensor, where), _element(old), _element(result))
        for tensor, old, result in zip(inputs, op.operands, op.results, strict=False)
    ]


def _element(value: Value) -> ElementType:
    return tensor_type(value.type).element_type


def _combined(
    op: Operation, build: Lowering, pattern: Scan, kept: list[Value], elements: list[Value]
) -> list[Value]:
    """What lies before in the window goes first."""
    arguments = [*kept, *elements] if pattern.forward else [*elements, *kept]
    return inline(op.regions[0], arguments, build)


def _stored(
    build: Lowering, values: Sequence[Value], tensors: Sequence[Value], where: Sequence[Value]
) -> list[Value]:
    pairs = zip(values, tensors, strict=True)
    return [store(build, value, tensor, where) for value, tensor in pairs]


# --- init values that count -----------------------------------------------------------------------
def _folded(
    op: Operation, build: Lowering, tensors: Sequence[Value], init: list[Value], length: Dim
) -> list[Value]:
    """One init value, two of them combined, three, ..."""
    zero = structured.index(build, 0)
    started = _stored(build, init, tensors, [zero])

    def next(b: Lowering, step: Value, state: list[Value]) -> Sequence[Value]:
        before = arithmetic(b, "subi", step, structured.index(b, 1))
        kept = [load(b, tensor, [before]) for tensor in state]
        return _stored(b, inline(op.regions[0], [*kept, *init], b), state, [step])

    return loop(build, length, started, next, start=1)


def _with_inits(
    op: Operation,
    build: Lowering,
    pattern: Scan,
    results: Sequence[Value],
    folded: Sequence[Value],
) -> Sequence[Value]:
    """Every result combined with as many init values as its window holds."""
    shape = build.type(op.results[0]).shape
    last = shape[pattern.dimension] - 1

    def each(b: Lowering, where: list[Value], state: list[Value]) -> Sequence[Value]:
        number = where[pattern.dimension]
        if pattern.forward:
            number = arithmetic(b, "subi", structured.index(b, last), number)
        inits = [load(b, tensor, [number]) for tensor in folded]
        values = [load(b, tensor, where) for tensor in state]
        pair = (inits, values) if pattern.forward else (values, inits)
        return _stored(b, inline(op.regions[0], [*pair[0], *pair[1]], b), state, where)

    return nest(build, shape, results, each)


# --- init values that change nothing --------------------------------------------------------------
def _least(type: ElementType) -> object:
    if type.is_float:
        return -np.inf
    return -(1 << (type.bits - 1)) if type.kind is Kind.SIGNED else 0


def _greatest(type: ElementType) -> object:
    if type.is_float:
        return np.inf
    return (1 << (type.bits - (type.kind is Kind.SIGNED))) - 1


def _ones(type: ElementType) -> object:
    return -1 if type.kind is Kind.SIGNED else _greatest(type)


_IDENTITIES: dict[str, Callable[[ElementType], object]] = {
    "stablehlo.add": lambda type: 0,
    "stablehlo.multiply": lambda type: 1,
    "stablehlo.maximum": _least,
    "stablehlo.minimum": _greatest,
    "stablehlo.and": _ones,
    "stablehlo.or": lambda type: 0,
    "stablehlo.xor": lambda type: 0,
}


def init_is_identity(computation: Operation, init: Value, count: int) -> bool:
    """Whether a computation is one op on both arguments, and ``init`` its neutral element.

    Args:
        computation: an op whose region it is.
        count: how many values it combines.
    """
    block = computation.regions[0].blocks[0]
    operations = [mlir.inner_operation(view) for view in block.operations]
    if count != 1 or len(operations) != 2 or operations[0].name not in _IDENTITIES:
        return False
    combines = set(operations[0].operands) == set(block.arguments)
    returned = ir.terminator(block).operands[0] == operations[0].results[0]
    while mlir.is_result_of(init, ("stablehlo.broadcast_in_dim", "stablehlo.reshape")):
        init = mlir.inner_operation(init.owner).operands[0]
    value = ir.constant_of(init) if combines and returned else None
    if value is None:
        return False
    type = _element(init)
    if type.is_complex and operations[0].name in ("stablehlo.maximum", "stablehlo.minimum"):
        return False
    return bool(value.item() == _IDENTITIES[operations[0].name](type))
