"""The table of legalization rules, and how types are lowered.

A rule lowers one op: ``@lowers def transpose(op, operands, build) -> results``. It gets lowered
operands and reads types from the old ``op`` only, because lowered integers have lost their sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowered, Lowering, Rule
from shlo_tools.mlir import Operation, Type
from shlo_tools.narrow_floats import STORAGE, is_narrow

RULES: dict[str, Rule] = {}

FUTURE = "!stablehlo.future<"
BOUNDS = "#stablehlo.bounds"

# Floats of 8 bits and less as the element type of a tensor or memref.
NARROW = re.compile(r"(?<=[x<])f[468]E\w+")


def lowers(
    rule: Callable[[Operation, list[Any], Lowering], Sequence[Lowered]],
) -> Callable[[Operation, list[Any], Lowering], Sequence[Lowered]]:
    """Register a rule for the StableHLO op that the function is named after."""
    RULES[op_name(rule)] = rule
    return rule


def op_name(rule: Callable[..., Any]) -> str:
    """``def if_`` is the rule of ``stablehlo.if``."""
    return "stablehlo." + rule.__name__.rstrip("_")


def lowered_type(type: Type) -> Type | tuple[Type, ...]:
    """Unsigned integers become signless, narrow floats bytes, a tuple or a future its
    elements, a token nothing; bounds of sizes go."""
    if mlir.is_tuple(type):
        return _spread(mlir.members(type))
    text = str(type)
    if text == "!stablehlo.token":
        return ()
    if text.startswith(FUTURE):
        return _spread(future_members(text))
    if "ui" not in text and BOUNDS not in text and not NARROW.search(text):
        return type
    if mlir.is_tensor(type):
        return lowered_tensor(tensor_type(type))
    text = NARROW.sub(STORAGE, text)
    return mlir.parse_type(text.replace("xui", "xi").replace("<ui", "<i"))


def _spread(types: Iterable[Type]) -> tuple[Type, ...]:
    """The lowered forms of several types, one after the other."""
    members = [lowered_type(type) for type in types]
    return tuple(t for m in members for t in (m if isinstance(m, tuple) else (m,)))


def future_members(text: str) -> list[Type]:
    """The types of what a future, given by its spelling, holds."""
    return mlir.members(mlir.parse_type(f"tuple<{text.removeprefix(FUTURE)}"))


def lowered_element(type: ElementType) -> str:
    """The spelling of a lowered element type."""
    return STORAGE if is_narrow(type) else type.signless


def lowered_tensor(type: TensorType) -> Type:
    """The lowered form of a tensor type, in the current context."""
    shape = [d if isinstance(d, int) else mlir.DYNAMIC for d in type.shape]
    return mlir.tensor_type(shape, mlir.parse_type(lowered_element(type.element_type)))
