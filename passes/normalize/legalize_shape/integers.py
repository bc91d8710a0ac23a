"""Scalars of integers as StableHLO; what is known is computed here and now.

Scalars are ``tensor<i64>`` (``tensor<i1>`` for conditions). A value is known where a constant
defines it, and an equal op is not made twice in a block: that is all there is to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.ir import Lowering, constant_of
from shlo_tools.mlir import Attribute, Type, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.shapes.arithmetic import INTEGERS

I1, I32, I64 = (TensorType((), ELEMENT_TYPES[name]) for name in ("i1", "i32", "i64"))


def emit(
    build: Lowering,
    name: str,
    operands: Sequence[Value],
    type: TensorType | Type,
    attributes: Mapping[str, Attribute] | None = None,
) -> Value:
    """The result of an op; of the one that stands in this block already, if there is one."""
    result_type = type.mlir() if isinstance(type, TensorType) else type
    items = tuple(sorted((attributes or {}).items(), key=lambda item: item[0]))
    memory: dict[Any, Value] = cast(Any, build.conversion).memory
    key = (build.at.block, name, tuple(operands), result_type, items)
    if key not in memory:
        memory[key] = build.value(name, operands, result_type, attributes)
    return memory[key]


def constant(build: Lowering, number: int, type: TensorType = I64) -> Value:
    array = np.full(type.static_shape, number, object).astype(type.element_type.dtype)
    attribute = dtypes.to_attribute(array, type.element_type)
    return emit(build, "stablehlo.constant", (), type, {"value": attribute})


def number(value: Value) -> int | None:
    """A scalar that is known."""
    elements = constant_of(value)
    if elements is None or elements.ndim or elements.dtype.kind not in "iub":
        return None
    return int(elements)


def type_of(value: Value) -> TensorType:
    return dtypes.tensor_type(value.type)


# --- arithmetic -----------------------------------------------------------------------------------
_BITWISE: dict[str, Callable[[int, int], int]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_FOLDS: Mapping[str, Callable[[Any, Any], Dim]] = {**INTEGERS, **_BITWISE}
# x op n = x, for signed integers and booleans
_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1}
_SAME = ("and", "maximum", "minimum", "or")  # x op x = x


def binary(build: Lowering, name: str, a: Value, b: Value) -> Value:
    """``stablehlo.<name>`` of two values of one type."""
    type = type_of(a)
    x, y = number(a), number(b)
    if type.element_type.name in ("i1", "i32", "i64") and not type.rank:
        if x is not None and y is not None and name in _FOLDS:
            folded = _FOLDS[name](x, y)
            if isinstance(folded, int):  # a division by zero is left to run time
                return constant(build, type.element_type.wrapped(folded), type)
        if x is not None and has_trait(f"stablehlo.{name}", Trait.COMMUTATIVE):
            a, b, x, y = b, a, y, x
        if y is not None and (simple := _simple(name, a, b, y, type)) is not None:
            return simple
        if a == b and name in _SAME:
            return a
    return emit(build, f"stablehlo.{name}", (a, b), a.type)


def _simple(name: str, a: Value, b: Value, y: int, type: TensorType) -> Value | None:
    """``a op y`` for a known ``y``, where that is one of the two."""
    if type.element_type.name == "i1":
        return {("and", 1): a, ("and", 0): b, ("or", 1): b, ("or", 0): a}.get((name, y))
    if _NEUTRAL.get(name) == y:
        return a
    return b if name == "multiply" and y == 0 else None


def chain(build: Lowering, name: str, values: Sequence[Value], start: int, type: TensorType) -> Any:
    """All values combined by an associative op; ``start`` where there is none."""
    if not values:
        return constant(build, start, type)
    total = values[0]
    for value in values[1:]:
        total = binary(build, name, total, value)
    return total


def all_of(build: Lowering, conditions: Sequence[Value]) -> Value:
    conjunction: Value = chain(build, "and", conditions, 1, I1)
    return conjunction


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}


def compare(build: Lowering, direction: str, a: Value, b: Value, kind: str = "SIGNED") -> Value:
    """``stablehlo.compare`` of integers; booleans are unsigned and floats of kind FLOAT."""
    type = type_of(a)
    x, y = number(a), number(b)
    result = type.with_element(I1.element_type)
    if kind == "SIGNED" and not type.rank:
        if x is not None and y is not None:
            return constant(build, _COMPARED[direction](x, y), I1)
        if a == b:
            return constant(build, _COMPARED[direction](0, 0), I1)
    attributes = {
        "comparison_direction": mlir.parse_attribute(
            f"#stablehlo<comparison_direction {direction}>"
        ),
        "compare_type": mlir.parse_attribute(f"#stablehlo<comparison_type {kind}>"),
    }
    return emit(build, "stablehlo.compare", (a, b), result, attributes)


def select(build: Lowering, condition: Value, on_true: Value, on_false: Value) -> Value:
    known = number(condition)
    if known is not None:
        return on_true if known else on_false
    if on_true == on_false:
        return on_true
    return emit(build, "stablehlo.select", (condition, on_true, on_false), on_true.type)


def negated(build: Lowering, condition: Value) -> Value:
    known = number(condition)
    if known is not None:
        return constant(build, not known, I1)
    return emit(build, "stablehlo.not", (condition,), condition.type)


def floor_divided(build: Lowering, a: Value, b: Value) -> Value:
    """The quotient rounded down: one less where the remainder has not the divisor's sign."""
    x, y = number(a), number(b)
    if x is not None and y:
        return constant(build, type_of(a).element_type.wrapped(x // y), type_of(a))
    quotient, lower = _rounded(build, a, b, upward=False)
    one = constant(build, 1, type_of(a))
    return select(build, lower, binary(build, "subtract", quotient, one), quotient)


def ceiling_divided(build: Lowering, a: Value, b: Value) -> Value:
    """The quotient rounded up."""
    x, y = number(a), number(b)
    if x is not None and y:
        return constant(build, type_of(a).element_type.wrapped(-(-x // y)), type_of(a))
    quotient, higher = _rounded(build, a, b, upward=True)
    one = constant(build, 1, type_of(a))
    return select(build, higher, binary(build, "add", quotient, one), quotient)


def _rounded(build: Lowering, a: Value, b: Value, *, upward: bool) -> tuple[Value, Value]:
    """The quotient rounded toward 0, and where one is missing."""
    quotient, rest = binary(build, "divide", a, b), binary(build, "remainder", a, b)
    zero = constant(build, 0, type_of(a))
    inexact = compare(build, "NE", rest, zero)
    below, b_below = (compare(build, "LT", value, zero) for value in (rest, b))
    missing = compare(build, "EQ" if upward else "NE", below, b_below, kind="UNSIGNED")
    return quotient, binary(build, "and", inexact, missing)


def converted(build: Lowering, value: Value, element: str) -> Value:
    """A value in another element type, by ``stablehlo.convert``."""
    type = type_of(value).with_element(ELEMENT_TYPES[element])
    if type == type_of(value):
        return value
    known = number(value)
    if known is not None and element in ("i32", "i64"):
        return constant(build, type.element_type.wrapped(known), type)
    return emit(build, "stablehlo.convert", (value,), type)
