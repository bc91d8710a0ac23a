"""How a sort orders, as nodes: the number that a comparator compares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, cast

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.stages.nodes import Node, NodeKind
from shlo_tools.codegen.stages.sorts.orders import Key
from shlo_tools.mlir import Operation
from shlo_tools.narrow_floats import is_narrow
from shlo_tools.passes.stages.regions import rule_of

_PLAIN = 24  # ops of a comparator that is looked at for keys

Constant = Callable[[Operation, tuple[Node, ...]], Node]


def sort_key(op: Operation, operands: Sequence[Node], constant: Constant) -> Key | None:
    """What a comparator compares of each element, where it is one number; else None.

    Args:
        constant: reads a constant.
    """
    (block,) = op.regions[0].blocks
    *ops, end = [mlir.inner_operation(view) for view in block.operations]
    by_value = {inner.results[0]: inner for inner in ops}
    compare = by_value.get(end.operands[0])
    if compare is None or compare.name != "stablehlo.compare" or len(ops) > _PLAIN:
        return None
    direction = ir.enum_of(compare, "comparison_direction")
    places = {argument: number for number, argument in enumerate(block.arguments)}
    keys: set[int] = set()

    def shown(value: mlir.Value) -> Hashable:
        """The same for equal numbers of two elements; notes which argument is read."""
        if value in places:
            keys.add(places[value])
            return "element", places[value] // 2
        inner = by_value[value]
        attributes = tuple(inner.attributes.items())
        return inner.name, attributes, tuple(shown(v) for v in inner.operands)

    sides = []
    for value in compare.operands:
        keys.clear()
        sides.append((shown(value), set(keys)))
    (left, first), (right, second) = sides
    if left != right or len(first) != 1 or direction not in ("LT", "GT"):
        return None
    (a,), (b,) = first, second
    if a == b:
        return None
    is_descending = (direction == "GT") != (a > b)
    source = operands[a // 2]
    if dtypes.tensor_type(compare.operands[0].type).element_type.is_complex:
        return None
    order = compare.attributes["compare_type"] if "compare_type" in compare.attributes else ""

    def node(value: mlir.Value) -> Node:
        if value in places:
            return source
        inner = by_value[value]
        if inner.name == "stablehlo.constant":
            return constant(inner, ())
        below = tuple(node(v) for v in inner.operands)
        shape = source.shape if any(part.shape for part in below) else ()
        element = dtypes.tensor_type(inner.results[0].type).element_type
        return Node(NodeKind.ELEMENTWISE, shape, element, below, rule=rule_of(inner))

    key = node(compare.operands[0])
    if is_narrow(key.element):
        return None  # codes whose signs stand in other places
    own = _element(compare.operands[0], by_value)
    is_total = "TOTALORDER" in str(order)
    if own is None or key.element.is_boolean:
        return Key(key, is_descending, is_total)
    return Key(key, is_descending, is_total, a // 2, own.nan)


class _Element(NamedTuple):
    """An element that is compared as it is, but for zeros and NaN that are made equal.

    Attributes:
        nan: what all NaN are made, if they are.
    """

    value: mlir.Value
    nan: np.generic | None


def _element(value: mlir.Value, ops: dict[mlir.Value, Operation]) -> _Element | None:
    """The element that a number is, where it is one; else None.

    Args:
        ops: what makes values that are no elements.
    """
    if value not in ops:
        return _Element(value, None)
    select = ops[value]
    if select.name != "stablehlo.select":
        return None
    condition, on_true, on_false = select.operands
    compare, element = ops.get(condition), _element(on_false, ops)
    number = _number(on_true, ops)
    if element is None or number is None or compare is None or compare.name != "stablehlo.compare":
        return None
    left, right = compare.operands
    direction = ir.enum_of(compare, "comparison_direction")
    if left != element.value:
        return None
    if direction == "NE" and right == left and np.isnan(number):
        return _Element(left, number)
    is_zero = number == 0 and _number(right, ops) == 0
    return element if direction == "EQ" and is_zero and not np.signbit(number) else None


def _number(value: mlir.Value, ops: dict[mlir.Value, Operation]) -> np.generic | None:
    """A constant's float; None for all else."""
    op = ops.get(value)
    if op is None or op.name != "stablehlo.constant":
        return None
    if not dtypes.tensor_type(value.type).element_type.is_float:
        return None
    return cast(np.generic, dtypes.splat_element(op.attributes["value"])[()])
