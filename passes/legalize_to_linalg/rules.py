"""The table of legalization rules, and how types are lowered.

A rule lowers one op: ``@lowers def transpose(op, operands, build) -> results``. It gets lowered
operands and reads types from the old ``op`` only, because lowered integers have lost their sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.ir import Lowered, Lowering, Rule
from shlo_tools.mlir import Operation, Type

RULES: dict[str, Rule] = {}


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
    """Unsigned integers become signless, a tuple its elements, a token nothing."""
    text = str(type)
    if text == "!stablehlo.token":
        return ()
    if text.startswith("tuple<"):
        spread: Any = type
        members = [lowered_type(spread.get_type(i)) for i in range(spread.num_types)]
        return tuple(t for m in members for t in (m if isinstance(m, tuple) else (m,)))
    if "ui" not in text:
        return type
    if mlir.is_tensor(type):
        return lowered_tensor(tensor_type(type))
    return mlir.parse_type(text.replace("xui", "xi").replace("<ui", "<i"))


def lowered_tensor(type: TensorType) -> Type:
    """The lowered form of a tensor type, in the current context."""
    shape = [d if isinstance(d, int) else mlir.DYNAMIC for d in type.shape]
    return mlir.tensor_type(shape, mlir.parse_type(type.element_type.signless))
