"""The table of rules: op name -> what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from shlo_tools import mlir
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Type

# Operands and results are values, or what ``values.py`` has for the dialect's own types.
Rule = Callable[[Operation, list[Any], Lowering], Any]
RULES: dict[str, Rule] = {}

SHAPE, SIZE, WITNESS, VALUE_SHAPE = (
    f"!shape.{name}" for name in ("shape", "size", "witness", "value_shape")
)


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops; it returns one lowered value per result."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


def converted_type(type: Type) -> Type:
    """What stands for a type where it leaves the function; others are as they are."""
    text = str(type)
    if text == SHAPE:
        return mlir.tensor_type([mlir.DYNAMIC], mlir.integer_type(64))
    if text == SIZE or mlir.is_index(type):
        return mlir.tensor_type([], mlir.integer_type(64))
    if mlir.is_tensor(type) and text.endswith(("xindex>", "<index>")):
        shape = cast(mlir.ShapedType, type).shape
        return mlir.tensor_type(shape, mlir.integer_type(64))
    if text[0] in "if" or text.startswith("bf"):  # a scalar
        return mlir.tensor_type([], type)
    return type
