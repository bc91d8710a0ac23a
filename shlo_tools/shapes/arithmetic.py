"""Rules of the arithmetic of shapes: elements of an op's result from those of its operands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools import dims, dtypes, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.shapes.state import State

Rule = Callable[[Operation, State], Sequence[Dim] | None]


def _array(value: Value, state: State) -> Array | None:
    """A value's elements as an array of sizes, in its shape."""
    elements = state.current_contents(value)
    if elements is None:
        return None
    type = state.type(value)
    shape = type.static_shape if isinstance(type, TensorType) else ()
    array = np.empty(len(elements), object)
    array[:] = elements
    return array.reshape(shape)


def _constant(op: Operation, state: State) -> Sequence[Dim]:
    attribute = op.attributes["value"]
    if attribute not in state.constants:
        array = dtypes.from_attribute(attribute).reshape(-1)
        state.constants[attribute] = tuple(int(x) for x in array)
    return state.constants[attribute]


def _elementwise(function: Callable[..., Dim]) -> Rule:
    def rule(op: Operation, state: State) -> Sequence[Dim] | None:
        rows = [state.current_contents(operand) for operand in op.operands]
        known = [row for row in rows if row is not None]
        if len(known) < len(rows):
            return None
        count = next((len(row) for row in known if len(row) != 1), 1)
        spread = [row * count if len(row) == 1 else row for row in known]  # clamp's limits
        return [function(*row) for row in zip(*spread, strict=True)]

    return rule


INTEGERS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "add": lambda a, b: a + b,
    "divide": lambda a, b: _by_parts(dims.floor_divided, a, b),  # rounds toward zero
    "maximum": dims.maximum,
    "minimum": dims.minimum,
    "multiply": lambda a, b: a * b,
    "remainder": lambda a, b: _by_parts(dims.remainder, a, b),  # has the sign of the dividend
    "subtract": lambda a, b: a - b,
}
_ASSOCIATIVE = ("add", "maximum", "minimum", "multiply")


def _by_parts(function: Callable[[Dim, Dim], Dim], a: Dim, b: Dim) -> Dim:
    """Of the positive part of a number and of its negative part, of which one is 0."""
    if not dims.at_most(1, b):
        return UNKNOWN
    above, below = dims.maximum(a, 0), dims.maximum(-a, 0)
    return _simple(function(above, b) - function(below, b))


def _compare(op: Operation, state: State) -> Sequence[Dim] | None:
    direction = ir.enum_of(op, "comparison_direction")
    return _elementwise(functools.partial(_compared, direction))(op, state)


def _compared(direction: str, a: Dim, b: Dim) -> Dim:
    return _simple(_COMPARED[direction](a, b))


def _less(a: Dim, b: Dim) -> Dim:
    """1 where ``a < b``, else 0."""
    return dims.minimum(dims.maximum(b - a, 0), 1)


def _differ(a: Dim, b: Dim) -> Dim:
    if dims.equal(a, b) is not None:
        return int(not dims.equal(a, b))
    return dims.minimum(dims.maximum(a - b, b - a), 1)


_COMPARED: dict[str, Callable[[Dim, Dim], Dim]] = {
    "EQ": lambda a, b: 1 - _differ(a, b),
    "NE": _differ,
    "LE": lambda a, b: 1 - _less(b, a),
    "LT": _less,
    "GE": lambda a, b: 1 - _less(a, b),
    "GT": lambda a, b: _less(b, a),
}

_MOST_ATOMS = 192


def _simple(dim: Dim) -> Dim:
    """An expression that is worth keeping; beyond it a symbol of its own says as much."""
    return dim if _count_atoms(dim) <= _MOST_ATOMS else UNKNOWN


def _count_atoms(dim: Dim) -> int:
    if not isinstance(dim, dims.Size):
        return 0
    inner = (atom for monomial, _ in dim.terms for atom in monomial)
    return sum(
        1 + sum(map(_count_atoms, atom.operands)) if isinstance(atom, dims.Operation) else 1
        for atom in inner
    )


def _select(op: Operation, state: State) -> Sequence[Dim] | None:
    pred, on_true, on_false = (state.current_contents(operand) for operand in op.operands)
    if pred is None or on_true is None or on_false is None:
        return None
    if len(pred) == 1:
        pred = pred * len(on_true)
    rows = zip(pred, on_true, on_false, strict=True)
    return [a if a == b else _simple(b + p * (a - b)) for p, a, b in rows]


def _sign(size: Dim) -> Dim:
    return dims.minimum(dims.maximum(size, -1), 1)


def _absolute(size: Dim) -> Dim:
    return dims.maximum(size, -size)


# Booleans are the numbers 0 and 1, and so their operations are arithmetic.
def _of_booleans(function: Callable[..., Dim]) -> Rule:
    def rule(op: Operation, state: State) -> Sequence[Dim] | None:
        return _elementwise(function)(op, state) if is_boolean(op.results[0]) else None

    return rule


def is_boolean(value: Value) -> bool:
    return str(value.type).endswith(("<i1>", "xi1>"))


def _clamp(low: Dim, size: Dim, high: Dim) -> Dim:
    return dims.minimum(dims.maximum(size, low), high)


def _convert(op: Operation, state: State) -> Sequence[Dim] | None:
    elements = state.current_contents(op.operands[0])
    if elements is None or dtypes.tensor_type(op.results[0].type).element_type.name != "i1":
        return elements
    return [_compared("NE", size, 0) for size in elements]


# --- placing elements -----------------------------------------------------------------------------
def _same_order(op: Operation, state: State) -> Sequence[Dim] | None:
    return state.current_contents(op.operands[0])


def _concatenate(op: Operation, state: State) -> Sequence[Dim] | None:
    rows = [_array(operand, state) for operand in op.operands]
    known = [row for row in rows if row is not None]
    axis = ir.integer_of(op, "dimension")
    return _flat(np.concatenate(known, axis)) if len(known) == len(rows) else None


def _slice(op: Operation, state: State) -> Sequence[Dim] | None:
    array = _array(op.operands[0], state)
    names = ("start_indices", "limit_indices", "strides")
    rows = zip(*(ir.integers_of(op, name) for name in names), strict=True)
    # The ellipsis keeps what has no dimensions an array.
    places: Any = (*(slice(*row) for row in rows), ...)
    return None if array is None else _flat(array[places])


def _transpose(op: Operation, state: State) -> Sequence[Dim] | None:
    array = _array(op.operands[0], state)
    return None if array is None else _flat(array.transpose(ir.integers_of(op, "permutation")))


def _broadcast_in_dim(op: Operation, state: State) -> Sequence[Dim] | None:
    array = _array(op.operands[0], state)
    if array is None:
        return None
    shape = dtypes.tensor_type(op.results[0].type).static_shape
    axes = ir.integers_of(op, "broadcast_dimensions")
    order = sorted(range(len(axes)), key=lambda d: axes[d])
    sizes = [array.shape[axes.index(d)] if d in axes else 1 for d in range(len(shape))]
    return _flat(np.broadcast_to(array.transpose(order).reshape(sizes), shape))


def _flat(array: Array) -> Sequence[Dim]:
    return list(array.reshape(-1))


def _reduce(op: Operation, state: State) -> Sequence[Dim] | None:
    """The number of elements of a shape is such a product."""
    block = op.regions[0].blocks[0]
    body = [mlir.inner_operation(o) for o in block.operations]
    name = body[0].name.removeprefix("stablehlo.")
    if len(body) != 2 or name not in _ASSOCIATIVE or len(op.results) != 1:
        return None
    if set(body[0].operands) != set(block.arguments) or body[1].operands[0].owner != body[0]:
        return None
    array, init = (_array(operand, state) for operand in op.operands)
    if array is None or init is None or array.ndim != 1:
        return None
    fold = INTEGERS[name]
    sizes: list[Dim] = list(array)
    if not ir.integers_of(op, "dimensions"):
        return [fold(init.item(), size) for size in sizes]
    return [functools.reduce(fold, sizes, init.item())]


def _dimension_size(op: Operation, state: State) -> Sequence[Dim] | None:
    type, d = state.current(op.operands[0]), ir.integer_of(op, "dimension")
    return [type.shape[d]] if isinstance(type, TensorType) and d < type.rank else None


# --- indices of other dialects --------------------------------------------------------------------
def _extent(op: Operation, state: State) -> Sequence[Dim] | None:
    type, index = state.type(op.operands[0]), state.numbers(op.operands[1])
    if not isinstance(type, TensorType) or index is None or not 0 <= index[0] < type.rank:
        return None
    return [type.shape[index[0]]]


def _extracted(op: Operation, state: State) -> Sequence[Dim] | None:
    array = _array(op.operands[0], state)
    rows = [state.numbers(operand) for operand in list(op.operands)[1:]]
    at = tuple(row[0] for row in rows if row is not None)
    if array is None or len(at) < len(rows):
        return None
    inside = all(0 <= i < size for i, size in zip(at, array.shape, strict=True))
    element: Dim = array[at] if inside else UNKNOWN
    return [element]


def _collected(op: Operation, state: State) -> Sequence[Dim] | None:
    rows = [state.current_contents(operand) for operand in op.operands]
    return None if None in rows else [row[0] for row in rows if row is not None]


RULES: dict[str, Rule] = {
    **{f"stablehlo.{name}": _elementwise(function) for name, function in INTEGERS.items()},
    "arith.addi": _elementwise(INTEGERS["add"]),
    "arith.constant": _constant,
    "arith.divsi": _elementwise(INTEGERS["divide"]),
    "arith.divui": _elementwise(INTEGERS["divide"]),
    "arith.index_cast": _same_order,
    "arith.maxsi": _elementwise(INTEGERS["maximum"]),
    "arith.minsi": _elementwise(INTEGERS["minimum"]),
    "arith.muli": _elementwise(INTEGERS["multiply"]),
    "arith.remsi": _elementwise(INTEGERS["remainder"]),
    "arith.remui": _elementwise(INTEGERS["remainder"]),
    "arith.subi": _elementwise(INTEGERS["subtract"]),
    "stablehlo.abs": _elementwise(_absolute),
    "stablehlo.and": _of_booleans(lambda a, b: _simple(a * b)),
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    "stablehlo.clamp": _elementwise(_clamp),
    "stablehlo.compare": _compare,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.constant": _constant,
    "stablehlo.convert": _convert,
    "stablehlo.dynamic_reshape": _same_order,
    "stablehlo.get_dimension_size": _dimension_size,
    "stablehlo.negate": _elementwise(lambda a: -a),
    "stablehlo.not": _of_booleans(lambda a: 1 - a),
    "stablehlo.or": _of_booleans(lambda a, b: _simple(a + b - a * b)),
    "stablehlo.reduce": _reduce,
    "stablehlo.reshape": _same_order,
    "stablehlo.select": _select,
    "stablehlo.sign": _elementwise(_sign),
    "stablehlo.slice": _slice,
    "stablehlo.transpose": _transpose,
    "tensor.dim": _extent,
    "tensor.extract": _extracted,
    "tensor.from_elements": _collected,
}

# Whose results may not fit their type.
MAY_WRAP = frozenset(
    name
    for name in RULES
    if name.rpartition(".")[2]
    in ("abs", "add", "convert", "get_dimension_size", "multiply", "negate", "reduce", "subtract")
) | {"arith.addi", "arith.index_cast", "arith.muli", "arith.subi"}

# Arithmetic means something else on i1.
ON_INTEGERS = tuple(
    f"stablehlo.{name}"
    for name in ("add", "divide", "multiply", "negate", "reduce", "remainder", "subtract")
)
