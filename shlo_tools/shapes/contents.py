"""What small integer tensors hold, element by element: the arithmetic of shapes.

Sizes are followed as integers without bounds: a program whose shape arithmetic overflows its type
asks for shapes that no memory holds. Numbers wrap around as their type has it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shlo_tools import dims, dtypes, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import Array, Kind, TensorType
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.ops._op import with_operands
from shlo_tools.reference import EVALUATORS
from shlo_tools.reference._evaluates import keywords_of
from shlo_tools.shapes import sources
from shlo_tools.shapes.types import LIMIT

if TYPE_CHECKING:
    from shlo_tools.shapes.analysis import Shapes


Contents = tuple[Dim, ...]


def of_value(value: Value, shapes: Shapes) -> Contents | None:
    """The elements of a value; symbols where nothing tells them."""
    count = _count(value, shapes)
    if count is None:
        return None
    op = mlir.defining_op(value)
    found: Sequence[Dim] | None = None
    if op is None:
        found = _carried(value, shapes)
    elif op.name in _PASSED:
        found = shapes.contents(op.operands[list(op.results).index(value)])
    elif op.name == "stablehlo.while":
        found = _carried(op.regions[1].blocks[0].arguments[list(op.results).index(value)], shapes)
    elif len(op.results) == 1:
        found = _computed(op, shapes)
    found = [UNKNOWN] * count if found is None else found
    rows = enumerate(found)
    return tuple(shapes.element(value, i) if d is UNKNOWN else d for i, d in rows)


_PASSED = ("stablehlo.optimization_barrier",)


def _computed(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    """By the op's rule; by the reference where that takes numbers and the rule knows less."""
    value = op.results[0]
    rule = RULES.get(op.name)
    if rule is None or (op.name in _ON_INTEGERS and str(value.type).endswith("i1>")):
        return _evaluated(op, shapes)
    found = rule(op, shapes)
    if found is None or UNKNOWN in found:
        numbers = _evaluated(op, shapes)
        return found if numbers is None else numbers
    return _wrapped(value, found) if op.name in _MAY_WRAP else found


def _wrapped(value: Value, elements: Sequence[Dim]) -> list[Dim]:
    """Results of arithmetic as their type holds them.

    Expressions of sizes are taken to fit: what overflows is no size of anything. What is computed
    from other elements may wrap around, so that nothing is said of it.
    """
    if str(value.type) == "index":
        return list(elements)
    element = dtypes.tensor_type(value.type).element_type
    unsigned = element.kind is Kind.UNSIGNED
    return [_fitting(dim, element.bits, unsigned=unsigned) for dim in elements]


def _fitting(dim: Dim, bits: int, *, unsigned: bool) -> Dim:
    if isinstance(dim, int):
        wrapped = dim & ((1 << bits) - 1)
        return wrapped if unsigned or not wrapped >> (bits - 1) else wrapped - (1 << bits)
    low, high = dims.bounds(dim)
    least, most = (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    if low is not None and high is not None and low >= least and high <= most:
        return dim
    if not all(sources.is_size(symbol) for symbol in dims.symbols(dim)):
        return UNKNOWN
    return UNKNOWN if unsigned and not dims.at_most(0, dim) else dim


def _count(value: Value, shapes: Shapes) -> int | None:
    """How many elements a value has; None if they are not followed."""
    if str(value.type) == "index":
        return 1
    type = shapes.type(value)
    if not isinstance(type, TensorType) or type.element_type.kind in (Kind.FLOAT, Kind.COMPLEX):
        return None
    return type.size if type.is_static and type.size <= LIMIT else None


def _carried(argument: Value, shapes: Shapes) -> Contents | None:
    """A loop's argument that the body returns as it is holds what the loop started with."""
    block: Block = argument.owner
    loop = mlir.inner_operation(block.owner)
    if loop.name != "stablehlo.while":
        return None
    index = list(block.arguments).index(argument)
    body = loop.regions[1].blocks[0]
    if ir.terminator(body).operands[index] != body.arguments[index]:
        return None
    return shapes.contents(loop.operands[index])


# --- rules ----------------------------------------------------------------------------------------
Rule = Callable[[Operation, "Shapes"], Sequence[Dim] | None]


def _array(value: Value, shapes: Shapes) -> Array | None:
    """A value's elements as an array of sizes, in its shape."""
    elements = shapes.contents(value)
    if elements is None:
        return None
    type = shapes.type(value)
    shape = type.static_shape if isinstance(type, TensorType) else ()
    array = np.empty(len(elements), object)
    array[:] = elements
    return array.reshape(shape)


def _constant(op: Operation, shapes: Shapes) -> Sequence[Dim]:
    held = dtypes.from_attribute(op.attributes["value"])
    return [int(x) for x in held.reshape(-1)]


def _elementwise(function: Callable[..., Dim]) -> Rule:
    def rule(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
        rows = [shapes.contents(operand) for operand in op.operands]
        if any(row is None for row in rows):
            return None
        return [function(*row) for row in zip(*[r for r in rows if r is not None], strict=True)]

    return rule


def _divide(a: Dim, b: Dim) -> Dim:
    """Rounds toward zero, which is down where nothing is negative."""
    return dims.floor_divided(a, b) if dims.at_most(0, a) and dims.at_most(1, b) else UNKNOWN


def _remainder(a: Dim, b: Dim) -> Dim:
    return dims.remainder(a, b) if dims.at_most(0, a) and dims.at_most(1, b) else UNKNOWN


def _compare(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    direction = str(op.attributes["comparison_direction"]).split()[-1].rstrip(">")
    return _elementwise(functools.partial(_compared, direction))(op, shapes)


def _compared(direction: str, a: Dim, b: Dim) -> Dim:
    answers = {
        "EQ": lambda: dims.equal(a, b),
        "NE": lambda: _not(dims.equal(a, b)),
        "LE": lambda: dims.at_most(a, b),
        "LT": lambda: dims.at_most(a + 1, b),
        "GE": lambda: dims.at_most(b, a),
        "GT": lambda: dims.at_most(b + 1, a),
    }
    answer = answers[direction]()
    return UNKNOWN if answer is None else int(answer)


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _select(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    pred, on_true, on_false = (shapes.contents(operand) for operand in op.operands)
    if pred is None or on_true is None or on_false is None:
        return None
    if len(pred) == 1:
        pred = pred * len(on_true)
    return [
        (a if p else b) if isinstance(p, int) else (a if a == b else UNKNOWN)
        for p, a, b in zip(pred, on_true, on_false, strict=True)
    ]


def _convert(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    given = shapes.contents(op.operands[0])
    if given is None or dtypes.tensor_type(op.results[0].type).element_type.name != "i1":
        return given
    return [_compared("NE", size, 0) for size in given]


# --- placing elements -----------------------------------------------------------------------------
def _same_order(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    return shapes.contents(op.operands[0])


def _concatenate(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    rows = [_array(operand, shapes) for operand in op.operands]
    known = [row for row in rows if row is not None]
    axis = op.attributes["dimension"].value
    return _flat(np.concatenate(known, axis)) if len(known) == len(rows) else None


def _slice(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    array = _array(op.operands[0], shapes)
    names = ("start_indices", "limit_indices", "strides")
    rows = zip(*(list(op.attributes[name]) for name in names), strict=True)
    return None if array is None else _flat(array[tuple(slice(*row) for row in rows)])


def _transpose(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    array = _array(op.operands[0], shapes)
    return None if array is None else _flat(array.transpose(list(op.attributes["permutation"])))


def _broadcast_in_dim(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    array = _array(op.operands[0], shapes)
    if array is None:
        return None
    shape = dtypes.tensor_type(op.results[0].type).static_shape
    axes = list(op.attributes["broadcast_dimensions"])
    order = sorted(range(len(axes)), key=lambda d: axes[d])
    sizes = [array.shape[axes.index(d)] if d in axes else 1 for d in range(len(shape))]
    return _flat(np.broadcast_to(array.transpose(order).reshape(sizes), shape))


def _flat(array: Array) -> Sequence[Dim]:
    return list(array.reshape(-1))


_FOLDS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "stablehlo.add": lambda a, b: a + b,
    "stablehlo.multiply": lambda a, b: a * b,
    "stablehlo.maximum": dims.maximum,
    "stablehlo.minimum": dims.minimum,
}


def _reduce(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    """The number of elements of a shape is such a product."""
    body = [mlir.inner_operation(o) for o in op.regions[0].blocks[0].operations]
    if len(body) != 2 or body[0].name not in _FOLDS or len(op.results) != 1:
        return None
    array, init = (_array(operand, shapes) for operand in op.operands)
    if array is None or init is None or array.ndim != 1:
        return None
    sizes: list[Dim] = list(array)
    return [functools.reduce(_FOLDS[body[0].name], sizes, init.item())]


# --- constants ------------------------------------------------------------------------------------
_FAMILIES = ("elementwise", "data_movement", "gather_scatter")


def _evaluated(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    """An op on nothing but numbers, by the reference."""
    evaluate = EVALUATORS.get(op.name)
    if evaluate is None or op.regions or evaluate.__module__.split(".")[-1] not in _FAMILIES:
        return None
    rows = [_numbers(operand, shapes) for operand in op.operands]
    if None in rows:
        return None
    types = [dtypes.tensor_type(operand.type) for operand in op.operands]
    arrays = iter(
        np.array(row).astype(type.element_type.dtype).reshape(type.static_shape)
        for row, type in zip(rows, types, strict=True)
    )
    arguments = with_operands(op, arrays)
    if "result_types" in keywords_of(evaluate):
        arguments["result_types"] = [dtypes.tensor_type(result.type) for result in op.results]
    return [int(x) for x in np.asarray(evaluate(**arguments)).reshape(-1)]


# --- indices of other dialects --------------------------------------------------------------------
def _arith_constant(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    held: Any = op.attributes["value"]
    return _constant(op, shapes) if mlir.is_tensor(op.results[0].type) else [held.value]


def _numbers(value: Value, shapes: Shapes) -> list[int] | None:
    """The elements where all of them are numbers."""
    elements = shapes.contents(value)
    found = [size for size in elements or () if isinstance(size, int)]
    return found if elements is not None and len(found) == len(elements) else None


def _extent(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    type, index = shapes.type(op.operands[0]), _numbers(op.operands[1], shapes)
    if not isinstance(type, TensorType) or index is None or not 0 <= index[0] < type.rank:
        return None
    return [type.shape[index[0]]]


def _extracted(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    array = _array(op.operands[0], shapes)
    rows = [_numbers(operand, shapes) for operand in list(op.operands)[1:]]
    at = tuple(row[0] for row in rows if row is not None)
    if array is None or len(at) < len(rows):
        return None
    inside = all(0 <= i < size for i, size in zip(at, array.shape, strict=True))
    found: Dim = array[at] if inside else UNKNOWN
    return [found]


def _collected(op: Operation, shapes: Shapes) -> Sequence[Dim] | None:
    rows = [shapes.contents(operand) for operand in op.operands]
    return None if None in rows else [row[0] for row in rows if row is not None]


RULES: dict[str, Rule] = {
    "arith.addi": _elementwise(lambda a, b: a + b),
    "arith.constant": _arith_constant,
    "arith.divsi": _elementwise(_divide),
    "arith.divui": _elementwise(_divide),
    "arith.index_cast": _same_order,
    "arith.maxsi": _elementwise(dims.maximum),
    "arith.minsi": _elementwise(dims.minimum),
    "arith.muli": _elementwise(lambda a, b: a * b),
    "arith.remsi": _elementwise(_remainder),
    "arith.remui": _elementwise(_remainder),
    "arith.subi": _elementwise(lambda a, b: a - b),
    "stablehlo.add": _elementwise(lambda a, b: a + b),
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    "stablehlo.compare": _compare,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.constant": _constant,
    "stablehlo.convert": _convert,
    "stablehlo.divide": _elementwise(_divide),
    "stablehlo.dynamic_reshape": _same_order,
    "stablehlo.maximum": _elementwise(dims.maximum),
    "stablehlo.minimum": _elementwise(dims.minimum),
    "stablehlo.multiply": _elementwise(lambda a, b: a * b),
    "stablehlo.negate": _elementwise(lambda a: -a),
    "stablehlo.reduce": _reduce,
    "stablehlo.remainder": _elementwise(_remainder),
    "stablehlo.reshape": _same_order,
    "stablehlo.select": _select,
    "stablehlo.slice": _slice,
    "stablehlo.subtract": _elementwise(lambda a, b: a - b),
    "stablehlo.transpose": _transpose,
    "tensor.dim": _extent,
    "tensor.extract": _extracted,
    "tensor.from_elements": _collected,
}

# Whose results may not fit their type.
_MAY_WRAP = frozenset(
    name
    for name in RULES
    if name.rpartition(".")[2] in ("add", "convert", "multiply", "negate", "reduce", "subtract")
) | {"arith.addi", "arith.index_cast", "arith.muli", "arith.subi"}

# Arithmetic means something else on i1.
_ON_INTEGERS = tuple(
    f"stablehlo.{name}"
    for name in ("add", "divide", "multiply", "negate", "reduce", "remainder", "subtract")
)
